package checker

import (
	"testing"

	"github.com/single-writer/chaos/history"
)

// settled is a write that the row refused because it held it already: no statement of it was answered applied.
func settled(w W, how string) step {
	asked, answered := w.v, w.v
	answered.Settled = how
	answered.Statements = []history.StatementDone{{CQL: "insert-if-not-exists", Result: "refused",
		Stored: history.Some(w.v.Offset), Earlier: []string{"connection-closed"}}}
	return op(w.process(), w.f, &asked, history.OK, &answered)
}

// A write that was refused by itself took effect: what shows less after it is stale. The same answer without the word is of a
// write that found nothing to do.
func TestOwnWriteTookEffect(t *testing.T) {
	breaks(t, NoStaleOverwrite, hist(settled(P("a", 5), history.SettledOwn), probe(show(P("z", 2)))))
	if v := verdictOf(hist(settled(P("a", 5), ""), probe(show(P("z", 2)))), NoStaleOverwrite); v == Fail {
		t.Errorf("a write that did nothing is missed: %s", v)
	}
	holds(t, NoStaleOverwrite, hist(settled(P("a", 5), history.SettledOwn), probe(show(P("a", 5)))))
}

// resent is a write that was refused when it was sent again, and whose first sending nobody knows of.
func resent(w W, stored int64) step {
	asked, answered := w.v, w.v
	answered.Code, answered.Stored = history.CodeResent, history.Some(stored)
	return op(w.process(), w.f, &asked, history.Info, &answered)
}

// What was refused when it was sent again may be seen, and may not; and a refusal names what is stored whoever was refused.
func TestResentMayHaveTakenEffect(t *testing.T) {
	for _, p := range []string{NoStaleOverwrite, SingleWriter, DurableFold} {
		for _, seen := range []step{all(), read("b/1", history.ForRecovery, show(P("a", 5)))} {
			h := hist(post(upTo(9)...), call(P("a", 5)), seen, ok(P("b", 9)), resent(P("a", 6), 9), last(show(P("b", 9))))
			if v := verdictOf(h, p); v == Fail {
				t.Errorf("%s is %s", p, v)
			}
		}
	}
	breaks(t, NoStaleOverwrite, hist(ok(P("b", 9)), resent(P("a", 6), 7)))
	holds(t, NoStaleOverwrite, hist(ok(P("b", 9)), resent(P("a", 6), 9)))
}

// A write that was refused by itself counts as one of which the rig was not told, and that a read settled.
func TestOwnWriteIsSettled(t *testing.T) {
	own := P("a", 5)
	u := Check(hist(read("a/1", history.ForOwnWrite, show(own)), settled(own, history.SettledOwn), end(true))).Unknowns
	if u.Operations != 1 || u.Seen != 1 || len(u.Each) != 1 || u.Each[0].Settled != "refused by its own write, seen by a read" ||
		u.Each[0].By != 3 {
		t.Errorf("%+v", u)
	}
}
