package checker

import (
	"slices"
	"testing"

	"github.com/single-writer/chaos/history"
)

// Lawful histories that look like broken ones, and one that breaks less than it seems to.
func TestLookalikes(t *testing.T) {
	input := post(upTo(11)...)
	for _, c := range []struct {
		name  string
		h     *history.History
		fails []string
	}{
		{"zombie ahead of the new owner", hist(input, truth("start", -1),
			ok(P("b", 5)), ok(P("a", 7)), recover_("c", 6, show(P("a", 7))), ok(P("c", 8)), commit("c", 9)), nil},
		{"zombie equal to the new owner", hist(input, truth("start", -1),
			ok(P("b", 9)), ok(P("a", 9)), commit("b", 10), recover_("c", 10, show(P("a", 9)))), nil},
		{"zombie before the new owner's first write", hist(input, truth("start", -1),
			ok(P("a", 4)), recover_("b", 5, show(P("a", 4))), ok(P("a", 6)), no(P("b", 5), 6),
			recover_("b/2", 5, show(P("a", 6))), ok(P("b/2", 7)), commit("b", 8)), nil},
		{"in doubt, then recovered", hist(input, truth("start", -1),
			ok(P("a", 4)), commit("a", 5), info(P("a", 5)), recover_("b", 5, show(P("a", 5))), ok(P("b", 6)),
			commit("b", 7)), nil},
		{"in doubt, then not there", hist(input, truth("start", -1),
			ok(P("a", 4)), commit("a", 5), info(P("a", 5)), recover_("b", 5, show(P("a", 4))), ok(P("b", 5)),
			commit("b", 6)), nil},
		{"a commit one round behind its snapshot", hist(input, truth("start", -1),
			ok(P("a", 4)), ok(P("a", 5)), commit("a", 5), recover_("b", 5, show(P("a", 5))), commit("b", 6)), nil},
		{"the nemesis ended the life of the row's cells", hist(input, truth("start", -1),
			ok(P("a", 5)), commit("a", 6), expires("begin"), probe(none), expires("done"), recover_("b", 6, none),
			ok(P("b", 6).of(6)), commit("b", 7)), nil},
		{"the nemesis took the row away", hist(input, truth("start", -1),
			ok(P("a", 5)), commit("a", 6), reaps(show(P("a", 5))), recover_("b", 6, none), ok(P("b", 6).of(6)),
			commit("b", 7)), nil},
		{"the nemesis took away what only a refusal had told of", hist(input, truth("start", -1),
			call(P("b", 5)), no(P("a", 4), 5), reaps(show(P("b", 5))), last(none)), nil},
		{"the nemesis found nothing to take away", hist(input, truth("start", -1),
			ok(P("a", 5)), reaps(none), commit("a", 6), last(none)), []string{NoStaleOverwrite, NoLeap}},
		{"made of a journal whose close was not committed", hist(post(0), closes(1), truth("start", -1),
			ok(P("a", 0)), commit("a", 1), journals("a", 1), makes("b", 1, closed, 1)), nil},
		{"a row behind its journal, of which the recovery came to no end", hist(post(0), truth("start", -1),
			journals("a", 0), commit("a", 1), recovering("b", 1, none)), nil},
		{"absent after its close", hist(post(0), closes(1), truth("start", -1),
			now(P("a", 0)), commit("a", 1), now(D("a", 1)), probe(none), commit("a", 2), recover_("b", 2, none)), nil},
		{"absent after a delete whose commit was lost", hist(post(0), closes(1), truth("start", -1),
			now(P("a", 0)), commit("a", 1), now(D("a", 1)), probe(none), recover_("b", 1, none)), nil},
		{"a close of what was never stored", hist(post(0), closes(1), truth("start", -1),
			commit("a", 2), recover_("b", 2, none)), nil},
		{"a tombstone recovered, then a new life", hist(post(0), closes(1), post(2), truth("start", -1),
			ok(P("a", 0)), ok(D("a", 1)), commit("a", 2), recover_("b", 2, show(D("a", 1))), ok(P("b", 2).of(2)),
			commit("b", 3)), nil},
		{"a tombstone of an earlier life below a later close", hist(closes(0), post(1), closes(2), truth("start", -1),
			ok(D("a", 0)), commit("a", 1), recover_("b", 3, show(D("a", 0)))), nil},
		{"plain, stale, lost by its timestamp", hist(input, truth("start", -1),
			ok(P("b", 9).at(9)), commit("b", 10), ok(P("a", 5).at(5)), probe(show(P("b", 9))),
			recover_("c", 10, show(P("b", 9)))), nil},
		{"plain, stale, in doubt, never seen", hist(input, truth("start", -1),
			ok(P("b", 9).at(9)), commit("b", 10), call(P("a", 5).at(10)), probe(show(P("b", 9))),
			recover_("c", 10, show(P("b", 9)))), nil},
		{"plain, stale, perhaps hidden by one in doubt", hist(input, truth("start", -1),
			ok(P("b", 9).at(9)), commit("b", 10), call(P("b", 10).at(30)), ok(P("a", 5).at(20)),
			recover_("c", 10, show(P("b", 10)))), nil},
		{"overwritten in time", hist(input, truth("start", -1),
			ok(P("b", 9).at(9)), commit("b", 10), ok(P("a", 5).at(10)), ok(P("b", 10).at(11)), commit("b", 11),
			recover_("c", 11, show(P("b", 10)))),
			[]string{NoStaleOverwrite, NoLeap, SingleWriter}},
		{"corrupted with no stale write: b's clock is behind a's", hist(input, truth("start", -1),
			ok(P("a", 5).at(99)), commit("a", 6), ok(P("b", 9).at(9)), commit("b", 10), recover_("c", 10, show(P("a", 5)))),
			[]string{NoStaleOverwrite, RecoveryCut, RecoveryComplete, NoLeap}},
		{"a delete that found nothing to delete", hist(post(0), closes(1), post(2), truth("start", -1),
			ok(P("a", 2).of(2)), commit("a", 3), nothing(D("a", 1)), recover_("b", 3, show(P("a", 2).of(2)))), nil},
		{"settled by the rig's own read", hist(input, truth("start", -1),
			ok(P("b", 9)), commit("b", 10), info(P("a", 5)), last(show(P("b", 9))), settle(show(P("a", 5))),
			last(show(P("a", 5)))), nil},
		{"a commit that goes back, behind what is stored", hist(input, truth("start", -1),
			ok(P("a", 5)), commit("a", 6), commit("a", 5), probe(show(P("a", 5))), ok(P("a", 6)), commit("a", 7)),
			[]string{OffsetMonotonic}},
		{"a late commit of the same generation, and then the next owner", hist(input, truth("start", -1),
			ok(P("b", 2)), commitCall("b", 3), ok(P("b", 9)), commit("b", 10), readBack(history.Some(3)),
			recover_("c", 3, show(P("b", 9))), ok(P("c", 10)), commit("c", 11)), []string{OffsetMonotonic}},
		{"an expired key", hist(input, truth("start", -1),
			ok(P("a", 5)), probe(expiring(show(P("a", 5)))), commit("a", 6), probe(none), recover_("b", 6, none),
			ok(P("b", 6).of(6)), commit("b", 7)), nil},
		{"recovered from beyond what is known of the input", hist(post(0), recovering("b", 5, none)), nil},
		{"nothing, perhaps by a newer delete in doubt", hist(
			call(D("a", 0).at(1)), ok(P("b", 4).at(2)), info(D("c", 0).at(3)), probe(show(P("b", 4))), probe(none)),
			[]string{NoStaleOverwrite}},
		{"plain and in doubt before, seen after", hist(
			call(P("a", 5).at(20)), ok(P("b", 9)), probe(show(P("a", 5)))), []string{NoStaleOverwrite}},
		{"applied, but perhaps hidden by a plain delete ahead of the servers", hist(
			ok(D("b", 4).at(99)), ok(P("a", 2))), []string{SingleWriter}},
		{"one timestamp twice", hist(ok(P("b", 9).at(5)), ok(P("a", 5).at(5))), nil},
		{"one timestamp twice, the older first", hist(ok(P("a", 5).at(5)), ok(P("b", 9).at(5))), nil},
		{"wrong, but lost by its timestamp", hist(input, ok(P("b", 9).at(9)), ok(P("a", 5).of(5).at(5))), nil},
		{"conditional and in doubt before a plain one, seen after", hist(
			call(P("a", 5)), ok(P("b", 9).at(1)), probe(show(P("a", 5)))), []string{NoStaleOverwrite}},
		{"a delete that did nothing explains nothing", hist(
			ok(P("b", 9)), nothing(D("b", 10)), probe(none)), []string{NoStaleOverwrite}},
		{"a torn row shows two offsets", hist(
			probe(&history.Row{Offset: history.Some(9), State: P("a", 5).v.State}), probe(show(P("a", 7)))),
			[]string{NoStaleOverwrite, DurableFold}},
		{"other contents than were written", hist(post(0, 1),
			call(P("a", 1)), probe(&history.Row{Offset: history.Some(1), State: P("a", 1).of(1).v.State,
				Write: P("a", 1).v.Write})),
			[]string{DurableFold}},
		{"seen, never acknowledged, not recovered", hist(
			call(P("a", 5)), probe(show(P("a", 5))), recovering("b", 0, none)), []string{NoStaleOverwrite}},
		{"a late commit of the same generation", hist(input,
			commitCall("b", 3), commit("b", 10), probe(show(P("b", 4)))), nil},
		{"a late commit of a generation that is over", hist(input,
			commitCall("a", 3), commit("b", 10), probe(show(P("b", 4)))), []string{NoLeap}},
		{"two commits at once", hist(input, atOnce(5, 10), probe(show(P("b", 5)))), nil},
		{"a commit under way", hist(input, commit("b", 10),
			around(commitValue("b", 5), history.Commit, "b", probe(show(P("b", 5))), commitValue("b", 5))),
			[]string{OffsetMonotonic}},
		{"an offset read back while another was committed", hist(input,
			ok(P("b", 4)), commit("b", 5), around(&history.CommittedOffset{}, history.Committed, "observer",
				all(ok(P("b", 9)), commit("b", 10)), &history.CommittedOffset{Offset: history.Some(5)})), nil},
		{"a refused commit of the former owner", hist(input,
			ok(P("b", 9)), commit("b", 10), op("a/1", history.Commit, commitValue("a", 5), history.Fail, commitValue("a", 5)),
			readBack(history.Some(10))), nil},
		{"none committed, as a broker says it", hist(truth("start", -1), readBack(history.Opt{}), readBack(history.Opt{N: -1}),
			commit("a", 0), readBack(history.Some(-1)), readBack(history.Opt{N: -1})), nil},
		{"the offsets of two partitions", hist(input,
			ok(P("b", 9)), commit("b", 10), op("b/1", history.Commit, &history.OffsetCommit{Partition: 1, Offset: 1}, history.OK,
				&history.OffsetCommit{Partition: 1, Offset: 1})), nil},
		{"closed, committed, and opened again", hist(post(0), closes(1), post(2), truth("start", -1),
			now(P("a", 0)), commit("a", 1), now(D("a", 1)), commit("a", 2), now(P("a", 2).of(2)), commit("a", 3),
			probe(show(P("a", 2).of(2))), recover_("b", 3, show(P("a", 2).of(2)))), nil},
		{"a read under way while a close was committed", hist(post(0), closes(1), truth("start", -1),
			now(P("a", 0)), commit("a", 1), around(&history.RowRead{Key: acct, Purpose: history.ForProbe}, history.Read,
				"observer",
				all(now(D("a", 1)), commit("a", 2)), &history.RowRead{Key: acct, Row: show(P("a", 0))})), nil},
		{"alive while the delete and the commit are in doubt", hist(post(0), closes(1), truth("start", -1),
			now(P("a", 0)), commit("a", 1), info(D("a", 1).at(1)), commitCall("a", 2), probe(show(P("a", 0))),
			recover_("b", 1, show(P("a", 0)))), nil},
		{"a zombie's value from beyond the close", hist(post(0), closes(1), post(2, 3), truth("start", -1),
			recover_("b", 0, none), commit("b", 2), ok(P("a", 3).of(2, 3)), probe(show(P("a", 3).of(2, 3))),
			recover_("c", 2, show(P("a", 3).of(2, 3)))), nil},
		{"brought back by the rig's own read", hist(post(0), closes(1),
			commit("b", 2), info(P("a", 0)), last(none), settle(show(P("a", 0))), last(show(P("a", 0)))), nil},
		{"brought back after the offset went back before the close", hist(post(0), closes(1), truth("start", -1),
			commit("b", 2), readBack(history.Opt{}), recover_("c", 0, none), ok(P("c", 0)), probe(show(P("c", 0)))),
			[]string{NoResurrection, OffsetMonotonic}},
		{"committed beyond a row, by what was recovered from the journal", hist(input, truth("start", -1),
			journals("a", 0), ok(P("a", 0)), commit("a", 1), journals("a", 1), makes("b", 1, P("a", 1).v.State, 1),
			commit("b", 2),
			probe(show(P("a", 0))), makes("c", 2, P("a", 1).v.State, 1)), nil},
		{"committed beyond a row, its event in the journal perhaps", hist(input, truth("start", -1),
			ok(P("a", 0)), commit("a", 1), journaling("a", 1), commit("b", 2), probe(show(P("a", 0)))), nil},
		{"old events below a tombstone, left out", hist(post(0), closes(1), post(2), truth("start", -1),
			ok(P("b", 0)), ok(D("b", 1)), clears("b"), commit("b", 2), journals("a", 0), no(P("a", 0), 1),
			makes("c", 2, closed, 1),
			journals("c", 2), ok(P("c", 2).of(2)), commit("c", 3), makes("b", 3, P("c", 2).of(2).v.State, 2)), nil},
		{"old events below a tombstone, folded by one who begins before the close", hist(post(0), closes(1), truth("start", -1),
			ok(P("b", 0)), ok(D("b", 1)), clears("b"), journals("a", 0), makes("c", 0, P("a", 0).v.State, 1),
			ok(D("c", 1)), commit("c", 2)), nil},
		{"a journal that was cleared holds nothing", hist(post(0), truth("start", -1),
			journals("a", 0), clears("a"), commit("a", 1), probe(none)), []string{NoLeap}},
		{"a stale snapshot, and the journal is whole", hist(input, truth("start", -1), journals("b", 0), journals("b", 1),
			ok(P("b", 1).at(9)), commit("b", 2), ok(P("a", 0).at(10)), probe(show(P("a", 0))),
			makes("c", 2, P("b", 1).v.State, 1)),
			[]string{NoStaleOverwrite, SingleWriter}},
		{"a commit in the middle of a read", hist(input, commit("b", 10),
			around(&history.RowRead{Key: acct, Purpose: history.ForProbe}, history.Read, "observer", commit("b", 5),
				&history.RowRead{Key: acct, Row: show(P("b", 5))})), []string{OffsetMonotonic}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := history.Validate(c.h); err != nil {
				t.Fatal(err)
			}
			rep := Check(c.h)
			if got := verdicts(rep, Fail); !slices.Equal(got, c.fails) {
				dump(t, c.h, rep)
				t.Errorf("fails %q, want %q", got, c.fails)
			}
		})
	}
}

func commitValue(worker string, offset int64) *history.OffsetCommit {
	worker = history.WorkerOf(worker)
	return &history.OffsetCommit{Offset: offset, Owner: history.Owner{Member: life(worker), Generation: generations[worker]}}
}

// commitCall is a commit that was never answered.
func commitCall(worker string, offset int64) step {
	return op(life(worker), history.Commit, commitValue(worker, offset), "", nil)
}

// atOnce are two commits, both accepted, neither of which is before the other.
func atOnce(x, y int64) step {
	return func(m *history.Memory) {
		first, second := begin(m, "b/1", history.Commit, commitValue("b", x)),
			begin(m, "b/1", history.Commit, commitValue("b", y))
		add(m, "b/1", history.OK, history.Commit, first, commitValue("b", x))
		add(m, "b/1", history.OK, history.Commit, second, commitValue("b", y))
	}
}

// around is an operation with something else between its call and its answer.
func around(asked any, f history.F, process string, inner step, answered any) step {
	return func(m *history.Memory) {
		id := begin(m, process, f, asked)
		inner(m)
		add(m, process, history.OK, f, id, answered)
	}
}

// nothing is a conditional write that was answered without any of its statements being applied.
func nothing(w W) step {
	done := w.v
	done.Statements = []history.StatementDone{{CQL: "update-if-offset", Result: "null"}}
	return op(w.process(), w.f, &w.v, history.OK, &done)
}

// expires is the fault that ends the life of a row's cells.
func expires(phase string) step {
	return note("nemesis", history.Fault, &history.FaultDone{Fault: "expire", Target: acct, Phase: phase})
}

// reaps is the fault that takes the row away which a read has found, with what happens in the middle of it.
func reaps(found *history.Row, meanwhile ...step) step {
	phase := func(phase string) step {
		return note("nemesis", history.Fault, &history.FaultDone{Fault: history.FaultReap, Target: acct, Phase: phase})
	}
	return all(phase(history.PhaseBegin), probe(found), all(meanwhile...), phase(history.PhaseDone))
}

func expiring(row *history.Row) *history.Row {
	row.TTL = history.Some(0)
	return row
}

// What no-leap makes of a commit when no read tells what is stored.
func TestNoLeapWithoutReads(t *testing.T) {
	two := all(truth("start", -1), post(0), closes(1))
	for _, c := range []struct {
		name string
		h    *history.History
		want Verdict
	}{
		{"a close of what was never stored", hist(two, commit("a", 2)), Pass},
		{"covered by one in doubt", hist(truth("start", -1), post(0), info(P("a", 0)), commit("a", 1)), Unknown},
		{"covered by one refused", hist(truth("start", -1), post(0), no(P("a", 0), 7), commit("a", 1)), Pass},
		{"deleted in doubt", hist(two, ok(P("a", 0)), call(D("a", 1)), commit("a", 2)), Unknown},
		{"closed and nobody deletes", hist(two, ok(P("a", 0)), commit("a", 2)), Fail},
		{"closed again, an older delete in doubt", hist(two, post(2), closes(3), ok(P("a", 0)), call(D("a", 1)), ok(P("a", 2).of(2)), commit("a", 4)), Unknown},
		{"absent, then a persist in doubt", hist(two, probe(none), call(P("a", 0)), commit("a", 2)), Unknown},
		{"no truth at the start", hist(post(0), commit("a", 1)), Unknown},
		{"input not known", hist(truth("start", -1), commit("a", 1)), Unknown},
		{"acknowledged and lost by its clock", hist(truth("start", -1), post(upTo(9)...),
			ok(P("a", 5).at(99)), ok(P("b", 9).at(9)), commit("b", 10)), Fail},
		{"nothing committed", hist(truth("start", -1), post(0), ok(P("a", 0))), Vacuous},
	} {
		if got := verdictOf(c.h, NoLeap); got != c.want {
			dump(t, c.h, Check(c.h))
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// What the two properties of a committed offset make of a history that holds little.
func TestCommittedOffsetsWithoutEvidence(t *testing.T) {
	for _, c := range []struct {
		property, name string
		h              *history.History
		want           Verdict
	}{
		{NoResurrection, "no close", hist(post(0), commit("a", 1), probe(show(P("a", 0)))), Vacuous},
		{NoResurrection, "the close is not committed", hist(post(0), closes(1), commit("a", 1), probe(show(P("a", 0)))), Vacuous},
		{NoResurrection, "nobody looks after it", hist(post(0), closes(1), probe(none), commit("a", 2)), Vacuous},
		{NoResurrection, "gone", hist(post(0), closes(1), commit("a", 2), probe(none)), Pass},
		{NoResurrection, "a tombstone", hist(post(0), closes(1), commit("a", 2), probe(show(D("a", 1)))), Pass},
		{NoResurrection, "the input is not known", hist(commit("a", 2), probe(show(P("a", 0)))), Unknown},
		{NoResurrection, "the input is known to before the commit", hist(post(0), commit("a", 2), probe(show(P("a", 0)))), Unknown},
		{NoResurrection, "the input is not known, and it is gone", hist(commit("a", 2), probe(none)), Vacuous},
		{NoResurrection, "no state at all", hist(post(0), closes(1), commit("a", 2),
			probe(&history.Row{Offset: history.Some(0), Broken: "{"})), Vacuous},
		{OffsetMonotonic, "one commit", hist(commit("a", 5)), Vacuous},
		{OffsetMonotonic, "two at once", hist(atOnce(5, 4)), Vacuous},
		{OffsetMonotonic, "one accepted, one in doubt", hist(commit("a", 5), commitCall("a", 4)), Vacuous},
		{OffsetMonotonic, "two commits", hist(commit("a", 5), commit("a", 5)), Pass},
		{OffsetMonotonic, "none at the start, and one", hist(truth("start", -1), commit("a", 5)), Pass},
		{OffsetMonotonic, "told at the end, after a commit under way", hist(commit("a", 5), truth("end", 4)), Vacuous},
	} {
		if got := verdictOf(c.h, c.property); got != c.want {
			dump(t, c.h, Check(c.h))
			t.Errorf("%s, %s: %s, want %s", c.property, c.name, got, c.want)
		}
	}
}

// A recovery that is answered in time, too late, or not at all.
func TestLoud(t *testing.T) {
	// answered is a recovery with so many milliseconds left, and a probe in the middle of it: its answer comes after three.
	answered := func(left int64, how history.Type) step {
		return func(m *history.Memory) {
			v := &history.Recovery{Owner: history.Owner{Member: "b/1"},
				Deadline: history.Some((int64(len(m.Events)) + left) * 1e6)}
			id := begin(m, "b/1", history.Recover, v)
			probe(none)(m)
			add(m, "b/1", how, history.Recover, id, v)
		}
	}
	at := func(point string) step { return note("b/1", history.Point, &history.PointReached{Point: point}) }
	for _, c := range []struct {
		name string
		h    *history.History
		want Verdict
	}{
		{"in time", hist(answered(3, history.OK)), Pass},
		{"too late", hist(answered(2, history.OK)), Fail},
		{"an error that comes too late", hist(answered(2, history.Fail)), Fail},
		{"an error in time", hist(answered(3, history.Fail), evicted("b")), Pass},
		{"too late by as long as it was held", hist(at("assigned"), post(0), answered(1, history.OK)), Pass},
		{"too late by more than that", hist(at("assigned"), post(0), answered(-1, history.OK)), Fail},
		{"held before another recovery of the same poll", hist(at("polled"), post(0), answered(6, history.OK), answered(1, history.OK)), Pass},
		{"the time of another recovery is its own", hist(at("polled"), answered(6, history.OK), answered(1, history.OK)), Fail},
		{"held before its poll", hist(at("folded"), post(0), at("polled"), answered(1, history.OK)), Fail},
		{"its time was over before it began", hist(post(0), answered(-1, history.OK)), Vacuous},
		{"stopped in time", hist(stuck("b", "1500"), fault("stop", "b"), post(0, 1), end(true)), Vacuous},
		{"stopped too late", hist(stuck("b", "500"), post(0), fault("stop", "b"), end(true)), Fail},
		{"another life was stopped", hist(stuck("b", "1500"), fault("stop", "a"), post(0, 1), end(true)), Fail},
		{"the history is cut", hist(stuck("b", "1500"), post(0)), Unknown},
		{"no deadline, and cut", hist(stuck("b", "")), Unknown},
		{"no deadline, and another is out", hist(stuck("b", ""), evicted("a"), end(true)), Vacuous},
		{"put out by the nemesis", hist(stuck("b", ""), fault("evict", "b"), evicted("b"), end(true)), Vacuous},
		{"no recovery", hist(post(0)), Vacuous},
	} {
		if got := verdictOf(c.h, Loud); got != c.want {
			dump(t, c.h, Check(c.h))
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Odd values are no reason to panic, and none to accuse.
func TestOddValues(t *testing.T) {
	h := hist(
		read("observer", "", &history.Row{}),
		op("a/1", history.Read, &history.RowRead{}, history.OK, (*history.RowRead)(nil)),
		op("a/1", history.Read, (*history.RowRead)(nil), history.OK, nil),
		op("a/1", history.Persist, &history.Write{Key: acct, Offset: 1 << 62}, history.OK, nil),
		op("a/1", history.Persist, nil, history.OK, nil),
		op("a/1", history.Commit, &history.OffsetCommit{Partition: -1, Offset: 1 << 62}, history.OK, nil),
		op("a/1", history.Recover, &history.Recovery{Partition: 7, Start: -3}, "", nil),
		op("drain", history.Scan, &history.TableScan{}, history.OK, &history.TableScan{Rows: []history.KeyedRow{{}}}),
		op("producer", history.Produce, &history.Produced{}, history.OK, &history.Produced{Offset: history.Some(-1)}),
		note("a/1", history.Point, nil), note("x", history.Truth, (*history.GroundTruth)(nil)), note("x", history.End, nil),
	)
	h.Header.Requires = []string{"", "dirty", "nonsense a", "handovers x", "stale-write a", "evicted a", "dirty a"}
	rep := Check(h)
	for i := range h.Events {
		NewRun(h).describe(i)
	}
	if got := verdicts(rep, Fail); len(got) > 0 {
		dump(t, h, rep)
		t.Errorf("fails %q", got)
	}
}
