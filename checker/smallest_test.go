package checker

import (
	"slices"
	"testing"

	"github.com/single-writer/chaos/history"
)

// smallest are, for each property, histories that break it and from which nothing can be taken away; and next to each the
// nearest one that does not break it.
var smallest = []struct {
	property, name string
	broken, whole  *history.History
}{
	{NoStaleOverwrite, "by timestamps",
		hist(ok(P("b", 9).at(1)), ok(P("a", 5).at(2))),
		hist(ok(P("b", 9).at(2)), ok(P("a", 5).at(1)))},
	{NoStaleOverwrite, "by conditional answers",
		hist(ok(P("b", 9)), ok(P("a", 5))),
		hist(ok(P("b", 9)), no(P("a", 5), 9))},
	{NoStaleOverwrite, "by a read",
		hist(ok(P("b", 9)), probe(show(P("a", 5)))),
		hist(ok(P("b", 9)), probe(show(P("b", 9))))},
	{NoStaleOverwrite, "by nothing there",
		hist(ok(P("b", 9)), probe(none)),
		hist(ok(P("b", 9)), call(D("b", 10)), probe(none))},
	{NoStaleOverwrite, "by a delete below the mark",
		hist(ok(P("b", 9).at(1)), ok(D("a", 5).at(2))),
		hist(ok(P("b", 9).at(1)), ok(D("b", 10).at(2)))},
	{NoStaleOverwrite, "by two refusals",
		hist(no(P("a", 5), 9), no(P("a", 4), 6)),
		hist(no(P("a", 5), 6), no(P("a", 4), 9))},
	{NoStaleOverwrite, "acknowledged and lost by its clock",
		hist(ok(P("a", 5).at(2)), ok(P("b", 9).at(1))),
		hist(ok(P("a", 5).at(1)), ok(P("b", 9).at(2)))},

	{DurableFold, "an event left out",
		hist(post(0, 1), ok(P("a", 1).of(1))),
		hist(post(0, 1), ok(P("a", 1)))},
	{DurableFold, "an event folded twice",
		hist(post(0), ok(P("a", 0).of(0, 0))),
		hist(post(0), ok(P("a", 0).of(0)))},
	{DurableFold, "a life before the close",
		hist(post(0), closes(1), post(2), ok(P("a", 2).of(0, 2))),
		hist(post(0), closes(1), post(2), ok(P("a", 2).of(2)))},
	{DurableFold, "a torn row",
		hist(probe(&history.Row{Offset: history.Some(9), State: P("a", 5).v.State})),
		hist(post(0), probe(&history.Row{Offset: history.Some(0), State: P("a", 0).v.State}))},
	{DurableFold, "no state at all",
		hist(probe(&history.Row{Offset: history.Some(0), Broken: "{"})),
		hist(post(0), probe(show(P("a", 0))))},

	{RecoveryCut, "nothing found",
		hist(post(0), recovering("b", 1, none)),
		hist(post(0), recovering("b", 0, none))},
	{RecoveryCut, "an old value found",
		hist(post(1), recovering("b", 2, show(P("a", 0)))),
		hist(post(0, 1), recovering("b", 1, show(P("a", 0))))},
	{RecoveryCut, "a closed account found alive",
		hist(closes(1), recovering("b", 2, show(P("a", 0)))),
		hist(post(0), closes(1), recovering("b", 2, none))},

	{RecoveryComplete, "nothing found",
		hist(ok(P("a", 5)), recovering("b", 0, none)),
		hist(info(P("a", 5)), recovering("b", 0, none))},
	{RecoveryComplete, "an old value found",
		hist(ok(P("a", 5)), recovering("b", 0, show(P("a", 4)))),
		hist(ok(P("a", 5)), recovering("b", 0, show(P("a", 6))))},

	{NoLeap, "nothing was written",
		hist(truth("start", -1), post(0), commit("a", 1)),
		hist(truth("start", -1), post(0), ok(P("a", 0)), commit("a", 1))},
	{NoLeap, "it is not there",
		hist(post(0), commit("a", 1), probe(none)),
		hist(post(0), commit("a", 0), probe(none))},
	{NoLeap, "an old value is there",
		hist(post(1), commit("a", 2), probe(show(P("a", 0)))),
		hist(post(1), commit("a", 2), probe(show(P("a", 1))))},
	{NoLeap, "read back",
		hist(post(0), op("observer", history.Committed, &history.CommittedOffset{}, history.OK,
			&history.CommittedOffset{Offset: history.Some(1)}), probe(none)),
		hist(post(0), op("observer", history.Committed, &history.CommittedOffset{}, history.OK,
			&history.CommittedOffset{}), probe(none))},

	{NoResurrection, "seen",
		hist(closes(1), commit("b", 2), probe(show(P("a", 0)))),
		hist(closes(1), commit("b", 1), probe(show(P("a", 0))))},
	{NoResurrection, "recovered",
		hist(closes(1), commit("b", 2), read("c/1", history.ForRecovery, show(P("a", 0)))),
		hist(closes(1), recovering("c", 2, show(P("a", 0))), commit("b", 2))},
	{NoResurrection, "the close was read back as committed",
		hist(closes(1), readBack(history.Some(2)), last(show(P("a", 0)))),
		hist(closes(1), readBack(history.Some(2)), settle(show(P("a", 0))))},
	{NoResurrection, "the close was committed before the run",
		hist(closes(1), truth("start", 2), probe(show(P("a", 0)))),
		hist(closes(1), truth("start", 1), probe(show(P("a", 0))))},
	{NoResurrection, "the life before, and not the new one",
		hist(closes(1), commit("b", 3), probe(show(P("a", 1).of(0, 1)))),
		hist(closes(1), commit("b", 3), probe(show(P("b", 2).of(2))))},
	{NoResurrection, "found by a scan",
		hist(closes(1), commit("b", 2), scan(show(P("a", 0)))),
		hist(closes(1), commit("b", 2), scan(show(D("b", 1))))},

	{SingleWriter, "below",
		hist(ok(P("b", 9)), ok(P("a", 5))),
		hist(ok(P("b", 9)), ok(P("a", 10)))},
	{SingleWriter, "plain, below",
		hist(ok(P("b", 9).at(1)), ok(P("a", 5).at(2))),
		hist(ok(P("b", 9).at(2)), ok(P("a", 5).at(1)))},
	{SingleWriter, "at the same offset with other contents",
		hist(ok(P("b", 9)), ok(P("a", 9).of(9))),
		hist(ok(P("b", 9)), ok(P("a", 9)))},
	{SingleWriter, "in doubt and seen only after",
		hist(call(P("a", 5)), ok(P("b", 9)), probe(show(P("a", 5)))),
		hist(call(P("a", 5)), ok(P("b", 9)), probe(show(P("b", 9))))},
	{SingleWriter, "a plain delete of what was seen",
		hist(call(P("b", 9)), probe(show(P("b", 9))), call(D("a", 5).at(1)), probe(none)),
		hist(call(P("b", 9)), probe(show(P("b", 9))), call(D("b", 10).at(1)), probe(none))},

	{OffsetMonotonic, "two commits",
		hist(commit("a", 6), commit("b", 5)),
		hist(commit("a", 5), commit("b", 5))},
	{OffsetMonotonic, "read back lower than it was committed",
		hist(commit("a", 6), readBack(history.Some(5))),
		hist(commitCall("a", 6), readBack(history.Some(5)))},
	{OffsetMonotonic, "none where there was one",
		hist(readBack(history.Some(1)), readBack(history.Opt{})),
		hist(readBack(history.Opt{}), readBack(history.Some(1)))},
	{OffsetMonotonic, "below what was committed before the run",
		hist(truth("start", 6), commit("a", 5)),
		hist(truth("start", -1), commit("a", 5))},

	{Progress, "nothing committed",
		with(hist(post(0), truth("end", -1), end(true)), 1),
		with(hist(post(0), truth("end", 1), end(true)), 1)},
}

func verdictOf(h *history.History, property string) Verdict {
	p, _ := Check(h).Property(property)
	return p.Verdict
}

func TestSmallest(t *testing.T) {
	for _, c := range smallest {
		t.Run(c.property+"/"+c.name, func(t *testing.T) {
			for _, h := range []*history.History{c.broken, c.whole} {
				if err := history.Validate(h); err != nil {
					t.Fatal(err)
				}
			}
			rep := Check(c.broken)
			if p, _ := rep.Property(c.property); p.Verdict != Fail || len(p.Witness) == 0 || p.Summary == "" {
				dump(t, c.broken, rep)
				t.Fatalf("the broken one: %s", p.Verdict)
			}
			if got := verdictOf(c.whole, c.property); got == Fail {
				dump(t, c.whole, Check(c.whole))
				t.Fatalf("the whole one: %s", got)
			}
		})
	}
}

// Without any one of its events a smallest history is malformed or proves nothing: no failure rests on less than it says.
func TestSmallestIsSmallest(t *testing.T) {
	for _, c := range smallest {
		for i := range c.broken.Events {
			less := without(c.broken, i)
			if history.Validate(less) != nil {
				continue
			}
			if verdictOf(less, c.property) == Fail {
				t.Errorf("%s, %s: it still fails without line %d (%s)", c.property, c.name, i+2, NewRun(c.broken).describe(i))
			}
		}
	}
}

// without gives the history with one event left out and the indexes closed up.
func without(h *history.History, i int) *history.History {
	less := &history.History{Header: h.Header, Events: slices.Delete(slices.Clone(h.Events), i, i+1)}
	for j := range less.Events {
		less.Events[j].Index = j
	}
	return less
}

// Each property is broken by at least one smallest history: a property without one is not tested at all.
func TestEveryPropertyHasASmallestHistory(t *testing.T) {
	for _, name := range PropertyNames() {
		if !slices.ContainsFunc(smallest, func(c struct {
			property, name string
			broken, whole  *history.History
		}) bool {
			return c.property == name
		}) {
			t.Errorf("%s has none", name)
		}
	}
}
