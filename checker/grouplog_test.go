package checker

import (
	"slices"
	"testing"

	"github.com/single-writer/chaos/history"
)

// Entries of the group's log, in its order.

func logNote(e history.GroupLogEntry) step {
	return func(m *history.Memory) {
		e.Position = int64(len(m.Events))
		note("drain", history.GroupLog, &e)(m)
	}
}

func inLog(worker string, offset int64) step {
	return logNote(history.GroupLogEntry{Commit: &history.LoggedCommit{
		Offset: history.Some(offset), Member: life(worker), Generation: generations[worker],
	}})
}

func strangerInLog(offset int64) step {
	return logNote(history.GroupLogEntry{Commit: &history.LoggedCommit{Offset: history.Some(offset)}})
}

// generationInLog is a record of the group in which each worker holds one partition.
func generationInLog(generation int64, holds map[string]int64) step {
	g := &history.LoggedGroup{Generation: history.Some(generation)}
	for _, worker := range []string{"a", "b", "c"} {
		if p, ok := holds[worker]; ok {
			g.Members = append(g.Members, history.LoggedMember{Member: life(worker), Client: life(worker),
				Partitions: []int32{int32(p)}})
		}
	}
	return logNote(history.GroupLogEntry{Group: g})
}

var (
	removedInLog = logNote(history.GroupLogEntry{Commit: &history.LoggedCommit{}})
	strangeInLog = logNote(history.GroupLogEntry{KeyVersion: history.Some(8)})
	logEnds      = logNote(history.GroupLogEntry{Ends: true})
)

// What the log makes of commits that the answers leave open.
func TestTheLogDecides(t *testing.T) {
	input := post(upTo(12)...)
	for _, c := range []struct {
		name  string
		h     *history.History
		fails []string
	}{
		{"in doubt, and not in the log: it excuses nothing", hist(input,
			commitCall("b", 3), commit("b", 10), probe(show(P("b", 4))), inLog("b", 10), logEnds), []string{NoLeap}},
		{"in doubt, and in the log before the read can have been", hist(input,
			commitCall("b", 3), commit("b", 10), probe(show(P("b", 4))), inLog("b", 3), inLog("b", 10), logEnds),
			[]string{NoLeap}},
		{"in doubt, and in the log after the other", hist(input,
			commitCall("b", 3), commit("b", 10), probe(show(P("b", 4))), inLog("b", 10), inLog("b", 3), logEnds),
			[]string{OffsetMonotonic}},
		{"two at once, in the log's order", hist(input,
			atOnce(5, 10), probe(show(P("b", 5))), inLog("b", 5), inLog("b", 10), logEnds), []string{NoLeap}},
		{"two at once, the other way round", hist(input,
			atOnce(5, 10), probe(show(P("b", 5))), inLog("b", 10), inLog("b", 5), logEnds), []string{OffsetMonotonic}},
		{"the log is cut: the old rules hold", hist(input,
			commitCall("b", 3), commit("b", 10), probe(show(P("b", 4))), inLog("b", 10)), nil},
		{"in doubt when the log was read, of a generation that is not over", hist(input,
			ok(P("b", 9)), commit("b", 10), commitCall("b", 5), inLog("b", 10), logEnds, last(show(P("b", 4)))),
			[]string{NoStaleOverwrite}},
		{"in doubt when the log was read, of the one that is stored", hist(input, ok(P("b", 9)), commit("b", 10), commitCall("b", 5),
			generationInLog(3, map[string]int64{"b": 0}), inLog("b", 10), logEnds, last(show(P("b", 4)))),
			[]string{NoStaleOverwrite}},
		{"in doubt when the log was read, of one that is", hist(input,
			commit("b", 10), commitCall("b", 5), inLog("b", 10), generationInLog(4, nil), logEnds,
			last(show(P("b", 4)))), []string{NoLeap}},
		{"twice the same, once in doubt", hist(input,
			commitCall("a", 5), commit("a", 5), inLog("a", 5), inLog("a", 5), logEnds), nil},
		{"in the log twice, asked for once", hist(input,
			commit("a", 5), inLog("a", 5), inLog("a", 5), logEnds), []string{SingleOwner}},
		{"refused, and in the log", hist(input, op("a/1", history.Commit, commitValue("a", 5), history.Fail, commitValue("a", 5)),
			inLog("a", 5), logEnds), []string{SingleOwner}},
		{"a log that contradicts the answers decides nothing", hist(input,
			ok(P("b", 9)), commit("b", 5), commit("b", 10), inLog("b", 10), inLog("b", 5), logEnds), []string{OffsetMonotonic}},
		{"read back what the log never had", hist(input,
			commit("b", 5), readBack(history.Some(7)), inLog("b", 5), logEnds), nil},
		{"answered after the log was read", hist(input,
			around(commitValue("b", 5), history.Commit, "b/1", all(generationInLog(3, nil), logEnds), commitValue("b", 5)),
			last(show(P("b", 3)))), []string{NoLeap}},
		{"accepted, and lost by the coordinator", hist(input,
			commit("b", 5), logEnds, last(show(P("b", 3)))), []string{NoLeap, OffsetMonotonic}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := history.Validate(c.h); err != nil {
				t.Fatal(err)
			}
			if got := verdicts(Check(c.h), Fail); !slices.Equal(got, c.fails) {
				dump(t, c.h, Check(c.h))
				t.Errorf("fails %q, want %q", got, c.fails)
			}
		})
	}
}

func TestSingleOwnerWithoutEvidence(t *testing.T) {
	for name, c := range map[string]struct {
		h    *history.History
		want Verdict
	}{
		"nothing at all":                 {hist(), Vacuous},
		"cut before anybody owned":       {hist(post(0)), Vacuous},
		"cut before the log was read":    {hist(recover_("a", 0, none)), Unknown},
		"cut within the log":             {hist(recover_("a", 0, none), generationInLog(1, map[string]int64{"a": 0})), Unknown},
		"a rig that did not read it":     {hist(recover_("a", 0, none), end(true)), Vacuous},
		"nobody was assigned anything":   {hist(generationInLog(0, nil), logEnds, end(true)), Vacuous},
		"one generation":                 {hist(generationInLog(1, map[string]int64{"a": 0}), logEnds), Pass},
		"each its own":                   {hist(generationInLog(1, map[string]int64{"a": 0, "b": 1}), logEnds), Pass},
		"a record that cannot be read":   {hist(generationInLog(1, map[string]int64{"a": 0}), strangeInLog, logEnds), Unknown},
		"one that can, and shows enough": {hist(generationInLog(1, map[string]int64{"a": 0, "b": 0}), strangeInLog), Fail},
	} {
		if got := verdictOf(c.h, SingleOwner); got != c.want {
			dump(t, c.h, Check(c.h))
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Where the answers contradict the log, what it says of the order is worth nothing.
func TestAContradictedLog(t *testing.T) {
	for name, h := range map[string]*history.History{
		"read back what it never had": hist(truth("start", -1), commit("b", 5), readBack(history.Some(7)), inLog("b", 5), logEnds),
		"read back too late":          hist(commit("b", 5), commit("b", 7), readBack(history.Some(7)), commit("b", 8), inLog("b", 5), inLog("b", 8), inLog("b", 7)),
	} {
		if got := verdictOf(h, OffsetMonotonic); got == Pass {
			dump(t, h, Check(h))
			t.Errorf("%s: %s", name, got)
		}
	}
	h := hist(commit("b", 5), commit("b", 5), commit("b", 6), inLog("b", 5), inLog("b", 6), inLog("b", 5), logEnds)
	if NewRun(h).commits[0].whole {
		t.Error("a log in another order than the answers is relied on")
	}
}

// A commit in doubt is settled by the log.
func TestSettledByTheLog(t *testing.T) {
	h := hist(commitCall("a", 5), commitCall("a", 6), inLog("a", 5), logEnds, end(true))
	u := Check(h).Unknowns
	if u.Seen != 1 || u.NeverSeen != 1 || u.Each[0].Settled != "found in the log" || u.Each[0].By != h.Events[2].Line() {
		t.Errorf("%+v", u)
	}
}

// The time for which two owners were alive, by the run's clock: an event takes 1 ms here.
func TestOverlaps(t *testing.T) {
	reaches := func(worker, name string) step {
		return note(life(worker), history.Point, &history.PointReached{Point: name,
			Owner: history.Owner{Generation: generations[history.WorkerOf(worker)]}})
	}
	assigned := func(worker string) step { return reaches(worker, "assigned") }
	revoked, lost := reaches("a", "revoked"), reaches("a", "lost")
	ended := func(worker string) step {
		return note(life(worker), history.Life, &history.LifeEvent{Status: "failed"})
	}
	for name, c := range map[string]struct {
		h *history.History
		// ms is the longest overlap, -1 for none.
		ms int
	}{
		"handed over":                        {hist(assigned("a"), revoked, assigned("b")), -1},
		"revoked and flushed first":          {hist(assigned("a"), revoked, ok(P("a", 0)), assigned("b")), -1},
		"alive to the end":                   {hist(assigned("a"), assigned("b"), post(0, 1)), 2},
		"killed":                             {hist(assigned("a"), assigned("b"), fault("kill", "a"), post(0, 1)), 1},
		"failed":                             {hist(assigned("a"), assigned("b"), post(0), ended("a"), post(1)), 2},
		"lost, with a flush after it":        {hist(assigned("a"), assigned("b"), lost, ok(P("a", 0)), post(0)), 3},
		"lost, with a flush apart after it":  {hist(assigned("a"), assigned("b"), lost, ok(P("a/1/flush", 0)), post(0)), 3},
		"handed to a life, held by its task": {hist(assigned("a"), lost, ok(P("a/1/flush", 0)), assigned("b"), ok(P("a/1/flush", 1))), 2},
		"a worker after its own restart":     {hist(assigned("a"), ended("a"), assigned("a/2"), post(0)), -1},
		"assigned anew while the other was":  {hist(assigned("a"), lost, assigned("b"), assigned("a"), post(0, 1)), 2},
	} {
		p, _ := Check(c.h).Property(SingleOwner)
		got, any := p.Counts["longest-overlap-ms"]
		if !any {
			got = -1
		}
		if got != c.ms || p.Verdict == Fail {
			dump(t, c.h, Check(c.h))
			t.Errorf("%s: %d ms, not %d", name, got, c.ms)
		}
	}
	h := hist(assigned("a"), assigned("b"), post(0, 1), generationInLog(1, map[string]int64{"a": 0}),
		generationInLog(3, map[string]int64{"b": 0}), logEnds)
	const want = "In 2 generations, no partition was given to two members. The longest time in which two owners of a partition " +
		"were alive: 5 ms (a/1 and b/1, partition 0)."
	if p, _ := Check(h).Property(SingleOwner); p.Summary != want {
		t.Errorf("%s, not: %s", p.Summary, want)
	}
}
