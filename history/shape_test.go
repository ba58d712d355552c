package history

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// sequence draws a history that keeps all rules: several processes, each with at most one open operation, in any
// interleaving, the last of them perhaps open for ever.
func sequence(t *rapid.T) []Event {
	var es []Event
	open := map[string]Event{}
	now, op := int64(0), int64(0)
	for range rapid.IntRange(1, 30).Draw(t, "length") {
		now += rapid.Int64Range(0, 3).Draw(t, "later")
		e := Event{Index: len(es), Time: now, Process: rapid.SampledFrom([]string{"a/1", "b/1", "drain"}).Draw(t, "process")}
		if call, ok := open[e.Process]; ok {
			delete(open, e.Process)
			e.Type, e.F, e.Op, e.Value = rapid.SampledFrom([]Type{OK, Fail, Info}).Draw(t, "type"), call.F, call.Op, call.Value
		} else {
			e.F = rapid.SampledFrom(every()[:len(vocabulary)-1]).Draw(t, "f")
			e.Type, e.Value = Note, filled(e.F, rapid.Bool().Draw(t, "optional"))
			if e.F.IsOp() {
				op += rapid.Int64Range(1, 3).Draw(t, "op")
				e.Type, e.Op = Invoke, op
				open[e.Process] = e
			}
		}
		es = append(es, e)
	}
	if rapid.Bool().Draw(t, "ended") {
		es = append(es, Event{Index: len(es), Time: now, Process: "drain", Type: Note, F: End, Value: &Ending{}})
	}
	return es
}

// corruptions break one thing each; what comes out is refused, or is a history that keeps the rules.
var corruptions = []func(*rapid.T, []Event, int) []Event{
	func(_ *rapid.T, es []Event, i int) []Event { return slices.Delete(es, i, i+1) },
	func(_ *rapid.T, es []Event, i int) []Event { return slices.Insert(es, i, es[i]) },
	func(_ *rapid.T, es []Event, i int) []Event { return es[:i] },
	func(t *rapid.T, es []Event, i int) []Event {
		j := rapid.IntRange(0, len(es)-1).Draw(t, "with")
		es[i], es[j] = es[j], es[i]
		return es
	},
	func(_ *rapid.T, es []Event, i int) []Event { es[i].Process = "c/1"; return es },
	func(t *rapid.T, es []Event, i int) []Event {
		es[i].Type = rapid.SampledFrom([]Type{Invoke, OK, Note}).Draw(t, "other type")
		return es
	},
	func(t *rapid.T, es []Event, i int) []Event {
		es[i].Op = rapid.Int64Range(-1, 9).Draw(t, "other op")
		return es
	},
	func(t *rapid.T, es []Event, i int) []Event {
		es[i].Index = rapid.IntRange(-1, 9).Draw(t, "other index")
		return es
	},
	func(t *rapid.T, es []Event, i int) []Event {
		es[i].Time = rapid.Int64Range(-1, 99).Draw(t, "other time")
		return es
	},
}

func TestSequences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		es := sequence(t)
		if err := Validate(&History{Header: header, Events: es}); err != nil {
			t.Fatalf("a lawful sequence is refused: %v", err)
		}
		broken := rapid.SampledFrom(corruptions).Draw(t, "corruption")(t, slices.Clone(es),
			rapid.IntRange(0, len(es)-1).Draw(t, "at"))
		inMemory := Validate(&History{Header: header, Events: broken})
		if keeps := lawful(broken); (inMemory == nil) != keeps {
			t.Fatalf("it keeps the rules: %v; Validate says %v", keeps, inMemory)
		}
		out, err := AppendHeader(nil, header)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range broken {
			if out, err = AppendLine(out, e); err != nil {
				t.Fatal(err)
			}
		}
		if _, onFile := ReadFrom("history", bytes.NewReader(out)); (onFile == nil) != (inMemory == nil) ||
			onFile != nil && onFile.Error() != inMemory.Error() {
			t.Fatalf("the reader says %v, Validate says %v", onFile, inMemory)
		}
	})
}

// lawful tells by the rules' own words, without the shape's bookkeeping, whether the events keep them.
func lawful(es []Event) bool {
	for i, e := range es {
		before := es[:i]
		same := func(f Event) bool { return f.Op == e.Op }
		switch {
		case e.Index != i, e.Time < 0, e.Process == "":
			return false
		case i > 0 && (before[i-1].Time > e.Time || before[i-1].F == End):
			return false
		case !e.F.IsOp():
			if e.Type != Note || e.Op != 0 {
				return false
			}
		case e.Type == Invoke:
			if e.Op < 1 || slices.ContainsFunc(before, func(f Event) bool { return f.Op >= e.Op }) {
				return false
			}
		case e.Type == OK || e.Type == Fail || e.Type == Info:
			j := slices.IndexFunc(before, same)
			if e.Op < 1 || j < 0 || slices.ContainsFunc(before[j+1:], same) {
				return false
			}
			if before[j].Process != e.Process || before[j].F != e.F {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func TestValidateLooksAtTheHeader(t *testing.T) {
	if err := Validate(&History{}); err == nil || err.Error() != "history:1: schema 0 is not supported" {
		t.Errorf("a history without a schema: %v", err)
	}
}
