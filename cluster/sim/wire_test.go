package sim

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// losing is the rule by which the next such message is lost with its connection.
func losing(message string, way workload.Way) workload.Rule {
	return workload.Rule{Message: message, Way: way, Do: workload.Cut, Nth: 1}
}

// by lets a process of that name do something, and waits for it.
func by(p workload.World, process string, do func()) {
	done := false
	p.Go(process, func(workload.World) { do(); done = true })
	p.Await(time.Hour, func() bool { return done })
}

// A lost answer is one that says "applied" to a write of that process: reads, refusals and the writes of others are answered,
// and what was not told was done all the same. It is lost once.
func TestLoseAnswer(t *testing.T) {
	w := New(1, 1, history.NewMemory(history.Header{}))
	err := w.Board().Run("drain", func(p workload.World) {
		lost := w.Arm("a/1", losing(workload.Upserts, workload.Answer))
		proof := ""
		p.Go("wire", func(workload.World) { proof, _, _ = lost.Await() })
		do := func(process string, verb persistence.Verb, c persistence.Condition, offset int64) (a persistence.Answer, o persistence.Outcome, err error) {
			by(p, process, func() {
				a, o, err = w.Start(persistence.Statement{Verb: verb, If: c, Key: "k", Offset: offset, Value: []byte("v")}).Await()
			})
			return a, o, err
		}
		for _, c := range []struct {
			process string
			verb    persistence.Verb
			cond    persistence.Condition
			offset  int64
			want    persistence.Outcome
		}{
			{"a/1", persistence.Update, persistence.IfOffsetAtMost, 1, persistence.Answered}, // there is no row
			{"b/1", persistence.Insert, persistence.IfNotExists, 2, persistence.Answered},
			{"a/1", persistence.Update, persistence.IfOffsetAtMost, 1, persistence.Answered}, // refused
			{"a/1", persistence.Select, persistence.Always, 0, persistence.Answered},
			{"a/11", persistence.Update, persistence.IfOffsetAtMost, 3, persistence.Answered},
			{"a/1", persistence.Update, persistence.IfOffsetAtMost, 4, persistence.Unknown},
			{"a/1", persistence.Update, persistence.IfOffsetAtMost, 5, persistence.Answered},
		} {
			if c.offset == 5 {
				if a, _, _ := do("b/1", persistence.Select, persistence.Always, 0); a.Row.Offset != history.Some(4) {
					t.Errorf("what was not told was not done: @%s", a.Row.Offset)
				}
			}
			_, outcome, err := do(c.process, c.verb, c.cond, c.offset)
			if outcome != c.want || outcome == persistence.Unknown && persistence.CodeOf(err) != "connection-closed" {
				t.Errorf("%s @%d: outcome %d, %v", c.process, c.offset, outcome, err)
			}
		}
		if !strings.HasPrefix(proof, "the answer to update-if-offset of k @4, applied, was held back") {
			t.Errorf("proof %q", proof)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A request that is lost is never done; a commit that is lost, or its answer, is the process's own, and a refused one is told.
func TestLoseRequestAndCommit(t *testing.T) {
	w := New(1, 1, history.NewMemory(history.Header{}))
	proofs := map[workload.Rule]string{}
	write, commits, accepted := losing(workload.Upserts, workload.Request), losing("OffsetCommit", workload.Request),
		losing("OffsetCommit", workload.Answer)
	mustPlay(t, w, func(p workload.World) {
		lose := func(process string, r workload.Rule) {
			lost := w.Arm(process, r)
			p.Go("wire", func(workload.World) { proofs[r], _, _ = lost.Await() })
		}
		lose("a/1", write)
		st := persistence.Statement{Verb: persistence.Update, Key: "k", Offset: 4, Value: []byte("v"), Timestamp: 1}
		by(p, "a/1", func() {
			if _, outcome, _ := w.Start(st).Await(); outcome != persistence.Unknown {
				t.Errorf("a write that is lost: outcome %d", outcome)
			}
		})
		if a, _, _ := w.Start(persistence.Statement{Verb: persistence.Select, Key: "k"}).Await(); a.Row != nil {
			t.Error("what was lost was done")
		}
		a, b := w.poller(t, "a/1", quick), w.poller(t, "b/1", quick)
		a.next(time.Second)
		commit := func(who *poller, token workload.Token, offset int64) (string, persistence.Outcome) {
			answer, outcome, _ := who.Commit(token, 0, offset).Await()
			return answer.Code, outcome
		}
		committed := func() history.Opt {
			at, _, _ := w.Committed(0).Await()
			return at
		}
		lose("a/1", commits)
		if code, outcome := commit(b, a.token, 1); outcome != persistence.Answered || code != codeNone {
			t.Errorf("another's commit: %q, outcome %d", code, outcome)
		}
		if _, outcome := commit(a, a.token, 2); outcome != persistence.Unknown || committed() != history.Some(1) {
			t.Errorf("a commit that is lost: outcome %d, committed %s", outcome, committed())
		}
		lose("a/1", accepted)
		if code, outcome := commit(a, workload.Token{Member: "nobody", Generation: 1}, 3); outcome != persistence.Answered || code != codeUnknownMember {
			t.Errorf("a refused commit: %q, outcome %d", code, outcome)
		}
		if _, outcome := commit(a, a.token, 4); outcome != persistence.Unknown || committed() != history.Some(4) {
			t.Errorf("a commit whose answer is lost: outcome %d, committed %s", outcome, committed())
		}
		if code, outcome := commit(a, a.token, 5); outcome != persistence.Answered || code != codeNone {
			t.Errorf("the next: %q, outcome %d", code, outcome)
		}
	})
	want := map[workload.Rule]string{
		write:    "update of k @4 was not sent, and its connection cut",
		commits:  "a commit of 2 was not sent, and its connection cut",
		accepted: "the answer to a commit of 4, accepted, was held back, and the connection cut",
	}
	if d := cmp.Diff(want, proofs); d != "" {
		t.Errorf("proofs (-want +got)\n%s", d)
	}
}

// What was sent before a loss was armed is not the next: its answer comes. Losses of both kinds wait side by side.
func TestLoseTheNext(t *testing.T) {
	w := New(1, 1, history.NewMemory(history.Header{}))
	mustPlay(t, w, func(p workload.World) {
		write := func(offset int64) (call persistence.Call[persistence.Answer]) {
			by(p, "a/1", func() {
				call = w.Start(persistence.Statement{Verb: persistence.Update, Key: "k", Offset: offset, Value: []byte("v"), Timestamp: offset})
			})
			return call
		}
		before := write(1)
		w.Arm("a/1", losing(workload.Upserts, workload.Answer))
		w.Arm("a/1", losing(workload.Upserts, workload.Request))
		if _, outcome, err := before.Await(); outcome != persistence.Answered {
			t.Errorf("what was under way: outcome %d, %v", outcome, err)
		}
		for _, c := range []struct {
			offset  int64
			outcome persistence.Outcome
			stored  int64
		}{{2, persistence.Unknown, 1}, {3, persistence.Unknown, 3}, {4, persistence.Answered, 4}} {
			if _, outcome, _ := write(c.offset).Await(); outcome != c.outcome {
				t.Errorf("@%d: outcome %d", c.offset, outcome)
			}
			if a, _, _ := w.Start(persistence.Statement{Verb: persistence.Select, Key: "k"}).Await(); a.Row.Offset != history.Some(c.stored) {
				t.Errorf("after @%d the row has @%s", c.offset, a.Row.Offset)
			}
		}
	})
}
