package sim

import (
	"strings"
	"testing"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// A lost answer is one that says "applied" to a write of that process: reads, refusals and the writes of others are answered,
// and what was not told was done all the same. It is lost once.
func TestLoseAnswer(t *testing.T) {
	w := New(1, 1, history.NewMemory(history.Header{}))
	err := w.Board().Run("a/1", func(p workload.World) {
		lost := w.LoseAnswer("a/1")
		proof := ""
		p.Go("wire", func(workload.World) { proof, _, _ = lost.Await() })
		do := func(process string, verb persistence.Verb, c persistence.Condition, offset int64) (persistence.Answer, persistence.Outcome, error) {
			return w.Start(persistence.Statement{Verb: verb, If: c, Key: "k", Offset: offset, Value: []byte("v"),
				Metadata: persistence.MarkOf(process) + `1","generation":1}`}).Await()
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
