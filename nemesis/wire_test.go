package nemesis_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// rule arms one for the next message of a.
func rule(fault, message string, way workload.Way, do workload.Effect, by time.Duration) nemesis.Action {
	return nemesis.Action{Fault: fault, Target: "a", Rule: &workload.Rule{Message: message, Way: way, Do: do, By: by, Nth: 1}}
}

// with adds actions to a step.
func with(s nemesis.Step, actions ...nemesis.Action) nemesis.Step {
	s.Do = append(s.Do, actions...)
	return s
}

// commits are what a process was told of its commits, as "info @5".
func (r *rig) commits(process string) (out []string) {
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.OffsetCommit); ok && e.Process == process && e.Type != history.Invoke {
			out = append(out, string(e.Type)+" "+v.Code)
		}
	}
	return out
}

// A commit whose answer is dropped was made, and one that is dropped itself was not; who sent them learns neither.
func TestDropped(t *testing.T) {
	for way, want := range map[workload.Way]int64{workload.Answer: 5, workload.Request: 4} {
		r := newRig(t, 1, do("start", "a"),
			with(when("a", "before-commit", 5), rule("drop-message", "OffsetCommit", way, workload.Drop, 0)),
			nemesis.Step{When: workload.Trigger{Worker: "a", Point: "commit-answered", Event: 5, Answer: "unknown"}, Do: acts([]string{"hold", "a", "probe", "all"})})
		r.play(t, func(workload.World) {
			if at, _, _ := r.Truth.Committed(0).Await(); at.N != want {
				t.Errorf("%s dropped: %d is committed", way, at.N)
			}
		})
		r.wantDone(t)
		if got := r.commits("a/1"); !strings.HasPrefix(got[len(got)-1], "info") {
			t.Errorf("%s dropped: %v", way, got)
		}
		if got := r.proof("drop-message"); !strings.Contains(got, "nobody told") {
			t.Errorf("%s: proved by %s", way, got)
		}
		if got := r.armedWith(); !slices.Equal(got, []string{"begin drop of " + map[workload.Way]string{workload.Answer: "the answer to "}[way] + "OffsetCommit 1",
			"done drop of " + map[workload.Way]string{workload.Answer: "the answer to "}[way] + "OffsetCommit 1"}) {
			t.Errorf("the history says %q", got)
		}
	}
}

// armedWith are the rules that the history tells of.
func (r *rig) armedWith() (out []string) {
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.FaultDone); ok && v.With != "" {
			out = append(out, v.Phase+" "+v.With)
		}
	}
	return out
}

// What stands on the wire is lifted when the plan is at its end, so that the worker goes on; what waits for one message is left
// to come about, and lifted with the run, which waits for what is late.
func TestLiftedAtTheEnd(t *testing.T) {
	r := newRig(t, 1, do("start", "a"), with(when("a", "folded", 5),
		nemesis.Action{Fault: "cut-off", Target: "a", Wall: &workload.Wall{From: workload.OfCassandra, Silently: true}}), nemesis.Step{After: 300 * time.Millisecond, Do: acts([]string{"probe", "all"})})
	var before, after int64
	r.play(t, func(w workload.World) {
		at, _, _ := r.Truth.Committed(0).Await()
		before = at.N
		w.Sleep(20 * time.Second)
		at, _, _ = r.Truth.Committed(0).Await()
		after = at.N
	})
	r.wantDone(t)
	if before > 5 || after != 10 {
		t.Errorf("committed are %d behind the wall, %d when it is lifted", before, after)
	}
	if got := r.proof("lift"); !strings.HasPrefix(got, "the silent cut from cassandra, which struck ") {
		t.Errorf("it is lifted with %q", got)
	}

	late := newRig(t, 1, do("start", "a"), with(when("a", "before-persist", 5), rule("delay-message", "persist", workload.Request, workload.Delay, 9*time.Second)),
		when("a", "persist-sent", 5, "kill", "a"))
	var stopped time.Duration
	late.play(t, func(w workload.World) {
		if late.proof("lift") != "" {
			t.Error("it was lifted before it came about")
		}
		if err := late.StopAll(w); err != nil {
			t.Error(err)
		}
		stopped = w.Now()
	})
	late.wantDone(t)
	if stopped < 9*time.Second {
		t.Errorf("the last reads do not wait for what is late: they came after %s", stopped)
	}
}

// A chance of 0 strikes nothing, one of 1 everything; what is drawn comes from the run's seed.
func TestChance(t *testing.T) {
	struck := func(seed int64, chance float64) string {
		r := newRig(t, 1, with(do("start", "a"), nemesis.Action{Fault: "cut-message", Target: "a", Rule: &workload.Rule{Message: "persist", Way: workload.Answer, Do: workload.Cut,
			Draw: &workload.Draw{Chance: chance}}}), nemesis.Step{After: 30 * time.Second, Do: acts([]string{"lift", "a"})})
		r.Seed = seed
		r.play(t)
		r.wantDone(t)
		return r.proof("lift")
	}
	if got := struck(1, 0); !strings.HasSuffix(got, "which struck 0, is lifted") {
		t.Error(got)
	}
	if got := struck(1, 1); strings.HasSuffix(got, "which struck 0, is lifted") {
		t.Error(got)
	}
	if a, again := struck(7, 0.4), struck(7, 0.4); a != again {
		t.Errorf("%s; again: %s", a, again)
	}
}
