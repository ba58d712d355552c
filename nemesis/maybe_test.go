package nemesis_test

import (
	"slices"
	"testing"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
)

func maybe(s nemesis.Step) nemesis.Step {
	s.Maybe, s.When.Within = true, 300*time.Millisecond
	return s
}

// Whatever cannot be done is passed over and said, and the plan goes on to its end; the same plan without Maybe ends there.
func TestMaybe(t *testing.T) {
	strict := []nemesis.Step{
		do("release", "a"), do("kill", "a"), do("start", "a"), do("start", "a"), do("release", "a", "probe", "all"),
		when("a", "lost", 0, "hold", "a"), do("stop", "a"), do("evict", "a"), do("start", "a"),
	}
	want := []string{
		"release a: the worker does not run: it was never started",
		"kill a: the worker does not run: it was never started",
		"start a: it runs already, as a/1",
		"release a: a/1 is not held",
		"a at `lost` did not come within 300ms",
		"evict a: the worker does not run: a/1 has ended, and no other life was begun",
	}
	var plan []nemesis.Step
	for _, s := range strict {
		plan = append(plan, maybe(s))
	}
	r := newRig(t, 1, plan...)
	r.play(t)
	r.wantDone(t)
	var got, announced []string
	for _, e := range r.memory.Events {
		switch v := e.Value.(type) {
		case *history.PlanStep:
			if v.Status == "passed" {
				got = append(got, v.Detail)
			}
		case *history.FaultDone:
			announced = append(announced, v.Fault+" "+v.Phase)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("passed over: %q", got)
	}
	// What is seen to be in vain beforehand is not announced either: a fault without its proof is one that may have come.
	if !slices.Equal(announced, []string{"start begin", "start done", "probe begin", "probe done", "stop begin", "stop done", "start begin", "start done"}) {
		t.Errorf("announced: %v", announced)
	}
	once := newRig(t, 1, strict...)
	once.play(t)
	once.wantFailed(t, "step 1 of the plan: release a: the worker does not run: it was never started")
}

// An eviction of a member that the coordinator does not list can only be seen when it is tried.
func TestMaybeEvict(t *testing.T) {
	r := newRig(t, 1, maybe(do("start", "a", "evict", "a")), do("probe", "all"))
	r.play(t)
	r.wantDone(t)
}

// A step's pause comes before it looks out for its moment.
func TestAfter(t *testing.T) {
	late := maybe(when("a", "lost", 0, "probe", "all"))
	late.After = 700 * time.Millisecond
	r := newRig(t, 1, do("start", "a"), late)
	r.play(t)
	r.wantDone(t)
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.PlanStep); ok && v.Of == "plan" && v.Step == 2 && v.Status == "armed" && time.Duration(e.Time) < late.After {
			t.Errorf("it looks out after %s already", time.Duration(e.Time))
		}
	}
}
