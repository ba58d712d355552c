package checker

import (
	"slices"
	"testing"

	"github.com/single-writer/chaos/history"
)

// smallest are further histories that break a property and from which nothing can be taken away, beside those that its
// page shows; and next to each the nearest one that does not break it.
var smallest = []struct {
	property, name string
	broken, whole  *history.History
}{
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

	{DurableFold, "a torn row",
		hist(probe(&history.Row{Offset: history.Some(9), State: P("a", 5).v.State})),
		hist(post(0), probe(&history.Row{Offset: history.Some(0), State: P("a", 0).v.State}))},
	{DurableFold, "no state at all",
		hist(probe(&history.Row{Offset: history.Some(0), Broken: "{"})),
		hist(post(0), probe(show(P("a", 0))))},

	{NoLeap, "it is not there",
		hist(post(0), commit("a", 1), probe(none)),
		hist(post(0), commit("a", 0), probe(none))},
	{DurableFold, "made of a journal, an event left out",
		hist(post(0, 1), makes("b", 0, P("a", 1).of(1).v.State, 1)),
		hist(post(0, 1), makes("b", 0, P("a", 1).v.State, 1))},
	{DurableFold, "made of a journal, a life before the close",
		hist(post(0), closes(1), post(2), makes("c", 0, P("c", 2).of(0, 2).v.State, 2)),
		hist(post(0), closes(1), post(2), makes("c", 0, P("c", 2).of(2).v.State, 2))},

	{RecoveryCut, "little made of a journal, though the row has it",
		hist(post(1), makes("b", 2, P("a", 0).v.State, 1)),
		hist(post(0, 1), recover_("b", 2, show(P("a", 1))))},
	{RecoveryCut, "a closed account made alive of a journal",
		hist(closes(1), makes("c", 2, P("a", 0).v.State, 1)),
		hist(closes(1), makes("c", 2, closed, 1))},

	{RecoveryComplete, "little made of a journal",
		hist(ok(P("a", 5)), makes("b", 0, P("a", 4).v.State, 4)),
		hist(ok(P("a", 5)), makes("b", 0, P("a", 4).v.State, 5))},
	{RecoveryComplete, "nothing in a journal",
		hist(ok(P("a", 5)), makes("b", 0, closed, -1)),
		hist(ok(D("a", 5)), makes("b", 0, closed, -1))},

	{NoLeap, "it is not there, nor in a journal",
		hist(post(0), commit("a", 1), probe(none)),
		hist(post(0), journals("a", 0), commit("a", 1), probe(none))},
	{NoLeap, "read back",
		hist(post(0), op("observer", history.Committed, &history.CommittedOffset{}, history.OK,
			&history.CommittedOffset{Offset: history.Some(1)}), probe(none)),
		hist(post(0), op("observer", history.Committed, &history.CommittedOffset{}, history.OK,
			&history.CommittedOffset{}), probe(none))},

	{NoResurrection, "recovered",
		hist(closes(1), commit("b", 2), read("c/1", history.ForRecovery, show(P("a", 0)))),
		hist(closes(1), recovering("c", 2, show(P("a", 0))), commit("b", 2))},
	{NoResurrection, "made of a journal",
		hist(closes(1), commit("b", 2), makes("c", 2, P("a", 0).v.State, 1)),
		hist(closes(1), commit("b", 2), makes("c", 2, closed, 1))},
	{NoResurrection, "a row whose end no journal has",
		hist(closes(1), commit("b", 2), probe(show(P("a", 0)))),
		hist(closes(1), journals("b", 1), commit("b", 2), probe(show(P("a", 0))))},
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
	{NoResurrection, "the commit was in doubt and is in the log",
		hist(closes(1), inLog("b", 2), last(show(P("a", 0)))),
		hist(closes(1), inLog("b", 1), last(show(P("a", 0))))},

	{SingleWriter, "plain, below",
		hist(ok(P("b", 9).at(1)), ok(P("a", 5).at(2))),
		hist(ok(P("b", 9).at(2)), ok(P("a", 5).at(1)))},
	{SingleWriter, "in doubt and seen only after",
		hist(call(P("a", 5)), ok(P("b", 9)), probe(show(P("a", 5)))),
		hist(call(P("a", 5)), ok(P("b", 9)), probe(show(P("b", 9))))},

	{Linearizable, "something else is read",
		under(armCAS, hist(ok(P("b", 9)), probe(show(P("a", 5))))),
		under(armCAS, hist(call(P("a", 9)), ok(P("b", 9)), probe(show(P("a", 9)))))},
	{Linearizable, "nothing is read",
		under(armCASPersist, hist(ok(P("b", 9)), probe(none))),
		under(armCASPersist, hist(call(P("b", 9)), probe(none)))},
	{Linearizable, "it was not written by anybody",
		under(armCAS, hist(truth("start", -1), probe(show(P("a", 5))))),
		under(armCAS, hist(truth("start", -1), call(P("a", 5)), probe(show(P("a", 5)))))},
	{Linearizable, "two refusals, the stored offset falls",
		under(armCAS, hist(no(P("a", 5), 9), no(P("a", 4), 6))),
		under(armCAS, hist(no(P("a", 5), 6), call(P("b", 9)), no(P("a", 4), 9)))},
	{Linearizable, "a tombstone that should not be there",
		under(armCAS, hist(ok(D("b", 5)), probe(show(D("b", 5)))), guardTombstone),
		under(armCAS, hist(ok(D("b", 5)), probe(none)), guardTombstone)},

	{LWWRegister, "it was not written by anybody",
		under(armLWW, hist(truth("start", -1), probe(show(P("a", 5))))),
		under(armLWW, hist(truth("start", -1), call(P("a", 5).at(1)), probe(show(P("a", 5)))))},
	{LWWRegister, "it is written only later",
		under(armLWW, hist(probe(show(P("a", 5))), call(P("a", 5).at(1)))),
		under(armLWW, hist(call(P("a", 5).at(1)), probe(show(P("a", 5)))))},
	{LWWRegister, "a greater offset of the same timestamp",
		under(armLWW, hist(call(P("a", 5).at(1)), ok(P("b", 9).at(1)), probe(show(P("a", 5))))),
		under(armLWW, hist(call(P("a", 9).at(1)), ok(P("b", 5).at(1)), probe(show(P("a", 9)))))},
	{LWWRegister, "a torn row of two timestamps",
		under(armLWW, hist(call(P("a", 5).at(1)), probe(torn(P("a", 5), 9)))),
		under(armLWW, hist(call(P("a", 5).at(1)), call(P("b", 9).at(1)), probe(torn(P("a", 5), 9))))},
	{LWWRegister, "other contents than were written",
		under(armLWW, hist(call(P("a", 5).at(1)), probe(other(P("a", 5), 4)))),
		under(armLWW, hist(call(P("a", 5).at(1)), call(P("a", 4).at(1)), probe(other(P("a", 5), 4))))},

	{OffsetMonotonic, "none where there was one",
		hist(readBack(history.Some(1)), readBack(history.Opt{})),
		hist(readBack(history.Opt{}), readBack(history.Some(1)))},
	{OffsetMonotonic, "below what was committed before the run",
		hist(truth("start", 6), commit("a", 5)),
		hist(truth("start", -1), commit("a", 5))},
	{OffsetMonotonic, "removed",
		hist(inLog("a", 6), removedInLog),
		hist(removedInLog, inLog("a", 6))},
	{OffsetMonotonic, "less is read back than the log has",
		hist(inLog("a", 6), readBack(history.Some(5))),
		hist(commitCall("a", 6), logEnds, readBack(history.Some(5)))},
}

// torn is a row whose offset cell is another write's.
func torn(w W, offset int64) *history.Row {
	row := show(w)
	row.Offset = history.Some(offset)
	return row
}

// other is a row whose value is that of another offset.
func other(w W, offset int64) *history.Row {
	row := show(w)
	row.State = P("a", offset).v.State
	return row
}

func verdictOf(h *history.History, property string) Verdict {
	p, _ := Check(h).Property(property)
	return p.Verdict
}

func TestSmallest(t *testing.T) {
	for _, c := range smallest {
		t.Run(c.property+"/"+c.name, func(t *testing.T) {
			breaks(t, c.property, c.broken)
			holds(t, c.property, c.whole)
		})
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
