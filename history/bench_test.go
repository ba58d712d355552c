package history

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/single-writer/chaos/ledger"
)

// rounds gives the events of n polls by a worker, as a run has them: points, a persist, a commit.
func rounds(n int) []Event {
	owner := Owner{Member: "a/1-9272e977-fe5c-4e16-ae67-4be3b97afa4d", Generation: 1}
	var es []Event
	add := func(t Type, f F, op int64, v any) {
		es = append(es, Event{Index: len(es), Time: int64(len(es)) * 150_000, Process: "a/1", Type: t, F: f, Op: op, Value: v})
	}
	var s ledger.State
	for i := range int64(n) {
		s = s.Fold(ledger.Event{ID: i + 1, Account: "acct-1", Kind: ledger.Post, Amount: decimal.New(i, -2)}, i)
		w := Write{Key: "acct-1", Offset: i, Owner: owner, Write: "a/1#1", State: &s}
		done := w
		done.Statements = []StatementDone{{CQL: "update-if-offset", Result: "applied"}}
		for _, p := range []string{"polled", "folded", "before-persist", "persist-sent"} {
			add(Note, Point, 0, &PointReached{Point: p, Key: "acct-1", Offset: Some(i), Owner: owner})
		}
		add(Invoke, Persist, 2*i+1, &w)
		add(OK, Persist, 2*i+1, &done)
		c := &OffsetCommit{Offset: i + 1, Owner: owner}
		add(Invoke, Commit, 2*i+2, c)
		add(OK, Commit, 2*i+2, c)
	}
	return es
}

func perEvent(b *testing.B, events, bytes int) {
	n := float64(b.N) * float64(events)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/event")
	b.ReportMetric(float64(bytes)/float64(events), "bytes/event")
}

// BenchmarkRead shows with its two sizes that reading is linear.
func BenchmarkRead(b *testing.B) {
	for name, n := range map[string]int{"800 events": 100, "80000 events": 10_000} {
		es := rounds(n)
		text := file(b, es)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ReadFrom("x", bytes.NewReader(text)); err != nil {
					b.Fatal(err)
				}
			}
			perEvent(b, len(es), len(text))
		})
	}
}

func BenchmarkRecord(b *testing.B) {
	es := rounds(1000)
	size := len(file(b, es))
	b.Run("memory", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m := NewMemory(header)
			for _, e := range es {
				m.Record(e)
			}
		}
		perEvent(b, len(es), 0)
	})
	b.Run("file", func(b *testing.B) {
		b.ReportAllocs()
		out, err := os.Create(filepath.Join(b.TempDir(), "history.jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		defer out.Close()
		for b.Loop() {
			f, err := NewFile(out, header)
			if err != nil {
				b.Fatal(err)
			}
			for _, e := range es {
				f.Record(e)
			}
			if f.Err() != nil {
				b.Fatal(f.Err())
			}
		}
		perEvent(b, len(es), size)
	})
}
