package checker

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/single-writer/chaos/history"
)

var staleRequires = []string{"evicted a", "dirty a", "stale-write a", "recovered c", "persisted c"}

// handover is the part that all stale scenarios begin with: a stores 0..4, folds 5, is held and evicted; b takes over,
// stores 5..9 and commits 10.
func handover(plain bool) step {
	return all(
		truth("start", -1), recover_("a", 0, none), owns("a", plain, 0, 4),
		fold("a", 5), fault("hold", "a"), evicted("a"), point("b", "assigned", 5),
		recover_("b", 5, show(P("a", 4))), owns("b", plain, 5, 9), fault("hold", "b"), probe(show(P("b", 9))),
	)
}

// finale is the end of a run whose input had 12 events.
func finale(row *history.Row) step {
	return all(last(row), settle(row), post(upTo(11)...), truth("end", 12), end(true))
}

func stalePeriodicFlushLWW() *history.History {
	c10, c11 := P("c", 10).of(0, 1, 2, 3, 4, 5, 10), P("c", 11).of(0, 1, 2, 3, 4, 5, 10, 11)
	return with(hist(
		handover(true), now(P("a", 5)), probe(show(P("a", 5))),
		recover_("c", 10, show(P("a", 5))), now(c10), commit("c", 11), now(c11), commit("c", 12),
		finale(show(c11)),
	), 12, staleRequires...)
}

func stalePeriodicFlushCAS() *history.History {
	return with(hist(
		handover(false), no(P("a", 5), 9), probe(show(P("b", 9))),
		recover_("c", 10, show(P("b", 9))), owns("c", false, 10, 11), finale(show(P("c", 11))),
	), 12, append(slices.Clone(staleRequires), "rejected-write a")...)
}

// staleErrorTeardown: a folds 0..2 and stores nothing; b stores up to 5, commits 6; a's teardown flushes 2.
func staleErrorTeardown() *history.History {
	c6 := P("c", 6).of(0, 1, 2, 6)
	return with(hist(
		truth("start", -1), recover_("a", 0, none), fold("a", 2), fault("hold", "a"), evicted("a"), point("b", "assigned", 0),
		recover_("b", 0, none), now(P("b", 5)), commit("b", 6), probe(show(P("b", 5))),
		now(P("a", 2)), probe(show(P("a", 2))), recover_("c", 6, show(P("a", 2))), now(c6), commit("c", 7),
		last(show(c6)), post(upTo(6)...), truth("end", 7), end(true),
	), 7, staleRequires...)
}

// zombieRevives: a folds 0..2; b stores 3 unless it never persisted, folds the close at 4, deletes what it persisted and
// commits 5; a flushes 2; c folds 5 onto it. Under cas-persist only the deletes are plain.
func zombieRevives(persisted bool, write func(W) step) *history.History {
	b := all()
	if persisted {
		b = all(write(P("b", 3)), now(D("b", 4)))
	}
	c5 := P("c", 5).of(0, 1, 2, 5)
	return with(hist(
		truth("start", -1), recover_("a", 0, none), fold("a", 2), fault("hold", "a"), evicted("a"), point("b", "assigned", 0),
		recover_("b", 0, none), b, commit("b", 5), probe(none),
		write(P("a", 2)), probe(show(P("a", 2))), recover_("c", 5, show(P("a", 2))), write(c5), commit("c", 6),
		last(show(c5)), post(0, 1, 2, 3), closes(4), post(5), truth("end", 6), end(true),
	), 6, staleRequires...)
}

// zombieRefused is the same under cas: the delete leaves a tombstone, of a key that was never stored too.
func zombieRefused(persisted bool) *history.History {
	b := ok(D("b", 4))
	if persisted {
		b = all(ok(P("b", 3)), b)
	}
	c5 := P("c", 5).of(5)
	return with(hist(
		truth("start", -1), recover_("a", 0, none), fold("a", 2), fault("hold", "a"), evicted("a"), point("b", "assigned", 0),
		recover_("b", 0, none), b, commit("b", 5), probe(show(D("b", 4))),
		no(P("a", 2), 4), probe(show(D("b", 4))), recover_("c", 5, show(D("b", 4))), ok(c5), commit("c", 6),
		last(show(c5)), post(0, 1, 2, 3), closes(4), post(5), truth("end", 6), end(true),
	), 6, append(slices.Clone(staleRequires), "rejected-write a")...)
}

// staleDelete: a stores 4 and folds the close at 5; b deletes, stores a new life up to 9 and commits 10; a deletes at 5.
// Under cas-persist only the deletes are plain.
func staleDelete(write func(W) step) *history.History {
	c10 := P("c", 10).of(10)
	return with(hist(
		truth("start", -1), recover_("a", 0, none), write(P("a", 4)), commit("a", 5), fold("a", 5), fault("hold", "a"),
		evicted("a"), point("b", "assigned", 5), recover_("b", 5, show(P("a", 4))),
		now(D("b", 5)), write(P("b", 9).of(6, 7, 8, 9)), commit("b", 10), probe(show(P("b", 9).of(6, 7, 8, 9))),
		now(D("a", 5)), probe(none), recover_("c", 10, none), write(c10), commit("c", 11),
		last(show(c10)), post(0, 1, 2, 3, 4), closes(5), post(6, 7, 8, 9, 10), truth("end", 11), end(true),
	), 11, staleRequires...)
}

// six are what a stale flush breaks; seven, what one breaks that brings a closed key back.
var six = []string{NoStaleOverwrite, DurableFold, RecoveryCut, RecoveryComplete, NoLeap, SingleWriter}

var seven = append(slices.Clone(six), NoResurrection)

func TestScenarios(t *testing.T) {
	for _, c := range []struct {
		name     string
		h        *history.History
		violates []string
	}{
		{"stale-periodic-flush lww", stalePeriodicFlushLWW(), six},
		{"stale-periodic-flush cas", stalePeriodicFlushCAS(), nil},
		{"stale-error-teardown lww", staleErrorTeardown(), six},
		{"zombie-revives-deleted-key lww", zombieRevives(true, now), seven},
		{"zombie-revives-deleted-key cas-persist", zombieRevives(true, ok), seven},
		{"zombie-revives-deleted-key cas", zombieRefused(true), nil},
		{"zombie-revives-never-persisted lww", zombieRevives(false, now), []string{NoLeap, NoResurrection, RecoveryCut, DurableFold}},
		{"zombie-revives-never-persisted cas-persist", zombieRevives(false, ok), []string{NoLeap, NoResurrection, RecoveryCut, DurableFold}},
		{"zombie-revives-never-persisted cas", zombieRefused(false), nil},
		{"stale-delete lww", staleDelete(now), six},
		{"stale-delete cas-persist", staleDelete(ok), six},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := history.Validate(c.h); err != nil {
				t.Fatal(err)
			}
			rep := Check(c.h)
			met, deviations := rep.Meets(Expectation{Violates: c.violates})
			for _, m := range rep.Requires {
				met = met && m.Met
			}
			if p, _ := rep.Property(Progress); !met || p.Verdict != Pass {
				dump(t, c.h, rep)
				t.Fatalf("deviations: %q", deviations)
			}
		})
	}
}

// The witness of the main scenario shows the newer write and the older one that replaced it, and the one of durable-fold
// which events were lost and what they were worth.
func TestWitnessOfStalePeriodicFlush(t *testing.T) {
	rep := Check(stalePeriodicFlushLWW())
	p, _ := rep.Property(NoStaleOverwrite)
	if len(p.Witness) != 2 || p.Witness[0].Text != "b/1 persist acct-1 @9 applied" ||
		p.Witness[1].Text != "a/1 persist acct-1 @5 applied" {
		t.Errorf("%+v", p.Witness)
	}
	want := "acct-1 had reached @9 (by b/1) when balance 210.00 of 6 events @5 was stored with the greatest timestamp: " +
		"events 7 to 10, worth 340.00, are missing from it."
	if p.Summary != want {
		t.Errorf("%s", p.Summary)
	}
	p, _ = rep.Property(DurableFold)
	want = "What acct-1 has stored @10 is not the fold of its events: events 7 to 10 lost, balance short by 340.00."
	if p.Summary != want || p.Counts["violations"] != 2 || len(p.Witness) != 1 {
		t.Errorf("%s %v %v", p.Summary, p.Counts, p.Witness)
	}
}

// The witness of a revival is the close, the commit beyond it, the zombie's write and who read it first.
func TestWitnessOfZombieRevives(t *testing.T) {
	p, _ := Check(zombieRevives(true, now)).Property(NoResurrection)
	var texts []string
	for _, w := range p.Witness {
		texts = append(texts, w.Text)
	}
	if want := []string{"b/1 commit 5 accepted", "a/1 persist acct-1 @2 applied",
		"observer probe read of acct-1 shows balance 60.00 of 3 events @2, written by a/1#persist2", "record 4: event 5 of acct-1, close"}; !slices.Equal(texts, want) {
		t.Errorf("%q", texts)
	}
	want := "acct-1 was closed at 4 and 5 was committed, and then balance 60.00 of 3 events @2 was seen by a probe: " +
		"a life that had ended is back."
	if p.Summary != want || p.Counts["violations"] != 2 {
		t.Errorf("%s %v", p.Summary, p.Counts)
	}
	if p, _ := Check(zombieRefused(false)).Property(NoResurrection); p.Verdict != Pass {
		t.Errorf("under cas: %s", p.Verdict)
	}
}

// Cut anywhere, a history can be judged; a failure that was proved stays proved, and nothing that was whole is broken.
func TestCutHistories(t *testing.T) {
	for _, c := range []struct {
		broken, fenced *history.History
		all            []string
	}{
		{stalePeriodicFlushLWW(), stalePeriodicFlushCAS(), six},
		{zombieRevives(true, now), zombieRefused(true), seven},
	} {
		broken := map[string]bool{}
		for n := range c.broken.Events {
			cut := &history.History{Header: c.broken.Header, Events: c.broken.Events[:n]}
			rep := Check(cut)
			if p, _ := rep.Property(Progress); p.Verdict != Unknown {
				t.Fatalf("progress of %d events: %s", n, p.Verdict)
			}
			for name := range broken {
				if got := verdictOf(cut, name); got != Fail {
					t.Fatalf("%s was broken before event %d and now is %s", name, n, got)
				}
			}
			for _, name := range verdicts(rep, Fail) {
				broken[name] = true
			}
			if n < len(c.fenced.Events) {
				if f := verdicts(Check(&history.History{Header: c.fenced.Header, Events: c.fenced.Events[:n]}),
					Fail); len(f) > 0 {
					t.Fatalf("the fenced history, cut at %d, breaks %q", n, f)
				}
			}
		}
		if len(broken) != len(c.all) {
			t.Errorf("broken: %v", broken)
		}
	}
}

// What is read back from a file is judged the same as what was in memory.
func TestWrittenAndReadBack(t *testing.T) {
	h := stalePeriodicFlushLWW()
	var buf bytes.Buffer
	f, err := history.NewFile(&buf, h.Header)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range h.Events {
		f.Record(e)
	}
	back, err := history.ReadFrom("history.jsonl", &buf)
	if err != nil || f.Err() != nil {
		t.Fatal(err, f.Err())
	}
	if want, got := Check(h), Check(back); !reflect.DeepEqual(want, got) {
		t.Errorf("%+v, read back %+v", want, got)
	}
}
