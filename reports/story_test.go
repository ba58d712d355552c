package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
)

func texts(lines []Line) []string {
	var out []string
	for _, l := range lines {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", l.Who, l.Text, strings.Join(l.Marks, ","))))
	}
	return out
}

// TestStoryTraces: each line of a story names lines of the history that are there, and that are about its worker.
func TestStoryTraces(t *testing.T) {
	r := ran(t, corrupted(lww, false), checker.Expectation{Violates: six})
	told := Story(r)
	for _, l := range told {
		if l.From < 2 || l.To < l.From || l.To > len(r.History.Events)+1 {
			t.Fatalf("lines %d to %d: %s", l.From, l.To, l.Text)
		}
		first := r.History.Events[l.From-2]
		if l.At.Nanoseconds() != first.Time {
			t.Errorf("line %d is at %d ns, told at %s: %s", l.From, first.Time, l.At, l.Text)
		}
	}
	var marked []string
	for _, l := range told {
		marked = append(marked, l.Marks...)
	}
	slices.Sort(marked)
	want := slices.Sorted(slices.Values(six))
	if !slices.Equal(marked, want) {
		t.Errorf("marked are %v; broken are %v", marked, want)
	}
}

// TestStoryOfAHold: offsets count from 0 and events from 1; who reads "@2" must not have to know.
func TestStoryOfAHold(t *testing.T) {
	all := texts(Story(ran(t, fended(cas), checker.Expectation{})))
	for _, want := range []string{
		"a is held at folded @2 (event 3)", "b is held at commit-answered @5 (up to event 5)",
		"a persist @2 is refused (condition, stored @4)",
	} {
		if !slices.Contains(all, want) {
			t.Errorf("no %q in:\n%s", want, strings.Join(all, "\n"))
		}
	}
}

// TestStoryOfAFailure: what found no connection was refused by nobody.
func TestStoryOfAFailure(t *testing.T) {
	tp := newTape(cas)
	failed := written("a/1", fold(0), history.Opt{})
	failed.Code = "no-connections"
	tp.call("a/1", history.Persist, written("a/1", fold(0), history.Opt{}), history.Fail, failed)
	r := Run{History: &tp.History}
	if told := texts(Story(r)); len(told) != 1 || told[0] != "a persist @0 fails (no-connections)" {
		t.Errorf("told: %v", told)
	}
	if got, want := r.defence(), "a's persist @0 failed (no-connections) (line 3); nothing changed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestStoryOfALivelock: what is refused a thousand times is told in one line, what fails a thousand times in few, and what
// breaks in the middle is told all the same.
func TestStoryOfALivelock(t *testing.T) {
	tp := newTape(lww)
	tp.produce(0)
	for range 1000 {
		tp.refused("a/1", fold(0), 4)
	}
	tp.note("a/1", history.Life, &history.LifeEvent{Status: "stopped"})
	told := texts(Story(Run{History: &tp.History}))
	if len(told) != 1 || told[0] != "a persist @0 is refused (condition, stored @4), 1000 times" {
		t.Errorf("told: %v", told)
	}

	tp = newTape(lww)
	for range 1000 {
		tp.note("a/1", history.Life, &history.LifeEvent{Status: "failed", Error: "refused"})
	}
	all := Story(Run{History: &tp.History})
	all[500].Marks = []string{checker.NoLeap}
	cut := short(all)
	if len(cut) != opening+finale+3 || !slices.Contains(texts(cut), "a fails and restarts: refused "+checker.NoLeap) {
		t.Errorf("%d lines of %d", len(cut), len(all))
	}
	left := 0
	for _, l := range cut {
		if l.Text == "" {
			left += l.From
		}
	}
	if left+opening+finale+1 != len(all) {
		t.Errorf("%d are said to be left out", left)
	}
}

// TestStoryOfAFlushApart: what a task of a worker does is told with what the worker does, in one line.
func TestStoryOfAFlushApart(t *testing.T) {
	tp := newTape(cas)
	tp.produce(0)
	tp.folds("a/1", 0)
	w := &history.Write{Key: acct, Offset: 0, Write: "a/1/flush#1", State: fold(0), Owner: history.Owner{Member: "a/1",
		Generation: 1}}
	tp.call("a/1/flush", history.Persist, w, history.OK, w)
	if told := texts(Story(Run{History: &tp.History})); len(told) != 1 || told[0] != "a folds event 1, stores @0" {
		t.Errorf("told: %q", told)
	}
}

// TestStoryOfAHeldTask: the event is that of the point in which the task stands, not that of the poll loop.
func TestStoryOfAHeldTask(t *testing.T) {
	tp := newTape(cas)
	tp.produce(0, 1, 2)
	tp.folds("a/1", 0)
	tp.point("a/1/flush", history.PointBeforePersist, 0)
	tp.folds("a/1", 1, 2)
	tp.note("nemesis", history.Fault, &history.FaultDone{
		Fault: history.FaultHold, Target: "a/flush", Life: "a/1", Phase: history.PhaseDone,
		Proof: "a/1/flush stands in before-persist @0",
	})
	told := texts(Story(Run{History: &tp.History}))
	if want := "a/flush is held at before-persist @0 (event 1)"; told[len(told)-1] != want {
		t.Errorf("told: %q", told)
	}
}

// TestStoryOfASilentRecovery: loud breaks by what was done to the worker, or else by what it did not say; not by whatever
// happened to be recorded when its time was over.
func TestStoryOfASilentRecovery(t *testing.T) {
	run := func(done func(*tape)) []string {
		tp := newTape(cas)
		tp.point("a/1", history.PointAssigned, 0)
		tp.add("a/1", history.Invoke, history.Recover, 1, &history.Recovery{
			Keys: []string{acct}, Owner: history.Owner{Generation: 1}, Deadline: history.Some(int64(time.Second)),
		})
		done(tp)
		tp.now = 2 * time.Second
		tp.fault(history.FaultHold, "b/1", "b/1 stands in folded @1")
		h := &tp.History
		return texts(Story(Run{History: h, Report: checker.Check(h)}))
	}
	if told := run(func(*tape) {}); told[0] !=
		"a owns p0 (generation 1), still recovers when it has to poll, and says nothing loud" {
		t.Errorf("of itself: %q", told)
	}
	if told := run(func(tp *tape) { tp.fault(history.FaultLose, "a/1", "") }); !slices.Contains(told,
		"a loses the answer that it awaits loud") {
		t.Errorf("by the plan: %q", told)
	}
}

// TestStoryMarksWhatItDoesNotTell: a property can break at an event that no line of the story is about.
func TestStoryMarksWhatItDoesNotTell(t *testing.T) {
	tp := newTape(lww)
	tp.call("observer", history.Committed, &history.CommittedOffset{}, history.OK,
		&history.CommittedOffset{Offset: history.Some(5)})
	told := texts(Story(Run{History: &tp.History, Report: checker.Report{Properties: []checker.Result{{
		Property: checker.NoLeap, Verdict: checker.Fail,
		Witness: []checker.Evidence{{Index: 1, Line: 3, Text: "observer reads the committed offset of partition 0: 5"}},
	}}}}))
	if len(told) != 1 || told[0] != "observer reads the committed offset of partition 0: 5 "+checker.NoLeap {
		t.Errorf("told: %v", told)
	}
}

// TestCommand: a command that is broken is one command still.
func TestCommand(t *testing.T) {
	var b strings.Builder
	long := "chaos run " + strings.Repeat("x", 60) + " --arm cassandra/cas --without persist-condition --seed 1"
	Command(&b, "  again:    ", long)
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if len(lines) != 2 || !strings.HasSuffix(lines[0], " \\") || !strings.HasPrefix(strings.TrimSpace(lines[1]), "--") {
		t.Errorf("broken into:\n%s", b.String())
	}
	joined := strings.Join(strings.Fields(strings.ReplaceAll(b.String(), "\\\n", "")), " ")
	if joined != "again: "+long {
		t.Errorf("as one line: %s", joined)
	}
}
