package nemesis_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// A fault on a worker that cannot bear it is a mistake of the plan, and the run says which step it was, and why.
func TestMistakesOfAPlan(t *testing.T) {
	started, stopped := do("start", "a"), do("start", "a", "stop", "a")
	for want, plan := range map[string][]nemesis.Step{
		"step 1 of the plan: hold a: the worker does not run: it was never started":                                         {do("hold", "a")},
		"step 2 of the plan: hold a: the worker does not run: a/1 has ended, and no other life was begun":                   {stopped, do("hold", "a")},
		"step 2 of the plan: kill a: the worker does not run: a/1 has ended, and no other life was begun":                   {stopped, do("kill", "a")},
		"step 2 of the plan: stop a: the worker does not run: a/1 has ended, and no other life was begun":                   {stopped, do("stop", "a")},
		"step 2 of the plan: release a: the worker does not run: a/1 has ended, and no other life was begun":                {stopped, do("release", "a")},
		"step 2 of the plan: hold a/flush: a/1/flush does not run now: a/1 stopped in folded @4 by a step that is not done": {started, when("a", "folded", 5, "hold", "a/flush")},
		"step 1 of the plan: expire acct-9: there is no key acct-9; there are: acct-1":                                      {do("expire", "acct-9")},
		"step 1 of the plan: expire acct-1: the row of acct-1 has no offset that could expire":                              {do("expire", "acct-1")},
		"step 1 of the plan: reap acct-9: there is no key acct-9; there are: acct-1":                                        {do("reap", "acct-9")},
		"step 1 of the plan: reap acct-1: acct-1 has no row":                                                                {do("reap", "acct-1")},
		"step 1 of the plan: phantom a: the worker does not run: it was never started":                                      {do("phantom", "a")},
		"step 1 of the plan: lose a: the worker does not run: it was never started":                                         {do("lose", "a")},
		"step 1 of the plan: unreachable a: the worker does not run: it was never started":                                  {do("unreachable", "a")},
		"step 2 of the plan: lose a: a/1 awaits no answer: a/1 stopped in persist-answered @4 by a step that is not done":   {started, when("a", "persist-answered", 5, "lose", "a")},
		"step 2 of the plan: evict a: the worker does not run: a/1 has ended, and no other life was begun":                  {stopped, do("evict", "a")},
		"step 2 of the plan: start a: worker a runs already, as a/1":                                                        {started, do("start", "a")},
		"step 1 of the plan: start z: no worker is called z":                                                                {do("start", "z")},
		"step 2 of the plan: release a: a/1 is not held: a/1 stopped in recovered @0 by a step that is not done":            {started, when("a", "recovered", 0, "release", "a")},
		"step 1 of the plan: probe acct-9: there is no key acct-9; there are: acct-1":                                       {do("probe", "acct-9")},
		"step 2 of the plan: no fault is called \"slay\"; there are: " + strings.Join(nemesis.FaultNames(), ", "):           {started, do("slay", "a")},
		`step 2 of the plan: evict a: the coordinator does not list a/1: {"state":"Empty","members":[]}`:                    {started, when("a", "folded", 5, "evict", "a", "evict", "a")},
		`step 1 of the plan: evict a: the coordinator does not list a/1: {"state":"Empty","members":[]}`:                    {do("start", "a", "evict", "a")},
	} {
		r := newRig(t, 1, plan...)
		r.play(t)
		r.wantFailed(t, want)
	}
	r := newRig(t, 1, nemesis.Step{Do: acts([]string{"hold", "a"}), Where: "x.yaml:9:5"})
	r.play(t)
	r.wantFailed(t, "x.yaml:9:5: step 1 of the plan: hold a: the worker does not run: it was never started")
}

// A moment that does not come ends the plan: the text says what was waited for, and where every worker stands.
func TestStepTimesOut(t *testing.T) {
	late := when("c", "recovered", 0)
	late.When.Within, late.When.Where = 5*time.Second, "x.yaml:31:11"
	r := newRig(t, 1, do("start", "a"), when("a", "folded", 4, "hold", "a"), do("start", "b"), do("start", "c", "stop", "c"), late)
	r.play(t)
	r.wantFailed(t, "x.yaml:31:11: step 5 of the plan waited 5s for c at `recovered`; "+
		"a/1 held in folded @3, b/1 before its first point, c/1 has ended, before its first point")
	var timeout *workload.Timeout
	if !errors.As(r.Failed, &timeout) || timeout.Step != 5 || timeout.Of != "plan" {
		t.Errorf("%#v", r.Failed)
	}
	if r.end > 6*time.Second {
		t.Errorf("it waited until %s", r.end)
	}
	var noted []string
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.PlanStep); ok && v.Of == "plan" && v.Step == 5 {
			noted = append(noted, v.Status)
		}
	}
	if got := strings.Join(noted, " "); got != "armed timeout" {
		t.Errorf("the history says of step 5: %s", got)
	}
}

func TestEmptyPlan(t *testing.T) {
	r := newRig(t, 1)
	r.play(t, func(w workload.World) {
		if err := r.StopAll(w); err != nil {
			t.Error(err)
		}
	})
	r.wantDone(t)
}

// The point of a step stops its worker until the step's actions are done, whatever they take, and it then goes on unless
// they held it.
func TestStepsStopTheirWorker(t *testing.T) {
	r := newRig(t, 1, do("start", "a"), when("a", "folded", 5, "probe", "all", "start", "b", "probe", "all"), when("a", "revoked", 0))
	r.play(t)
	r.wantDone(t)
	inStep := false
	for _, e := range r.memory.Events {
		switch v := e.Value.(type) {
		case *history.FaultDone:
			inStep = v.Fault == "probe"
		case *history.PlanStep:
			inStep = false
		case *history.PointReached:
			if inStep && strings.HasPrefix(e.Process, "a/") {
				t.Errorf("a went on to %s inside the step", v.Point)
			}
		}
	}
}

// A step of several moments waits for all of them, whichever comes first, and the worker of each stands still at its own.
func TestStepOfSeveralMoments(t *testing.T) {
	both := when("b", "commit-answered", 9, "hold", "a", "hold", "b", "release", "a", "release", "b")
	both.And = []workload.Trigger{{Worker: "a", Point: "teardown"}}
	for seed := range int64(20) {
		r := newRig(t, seed, do("start", "a"), when("a", "folded", 5, "hold", "a", "evict", "a", "start", "b"),
			when("b", "commit-answered", 8, "release", "a"), both)
		r.play(t)
		r.wantDone(t)
		var stood []string
		for _, e := range r.memory.Events {
			if v, ok := e.Value.(*history.FaultDone); ok && v.Fault == "hold" && v.Phase == "done" {
				stood = append(stood, v.Proof)
			}
		}
		want := []string{"a/1 stands in folded @4", "a/1 stands in teardown", "b/1 stands in commit-answered @9"}
		if !slices.Equal(stood, want) {
			t.Errorf("seed %d: %v", seed, stood)
		}
	}
	never := both
	never.And = []workload.Trigger{{Worker: "a", Point: "teardown", Within: time.Second}}
	r := newRig(t, 1, do("start", "b"), never)
	r.play(t)
	r.wantFailed(t, "step 2 of the plan waited 1s for a at `teardown`; b/1 stopped in commit-answered @9 by a step that is not done")
}

// The rig's end ends the plan too, wherever it is, and every worker, also one in its backoff: nothing is started, written
// or asked behind the last reads.
func TestStopAllEndsThePlan(t *testing.T) {
	plan := []nemesis.Step{do("start", "a")}
	for range 30 {
		plan = append(plan, when("a", "recovered", 0, "hold", "a", "probe", "all", "evict", "a", "release", "a"),
			when("a", "recovered", 0, "stop", "a", "start", "a"))
	}
	for after := time.Duration(0); after < 200*time.Millisecond; after += time.Millisecond {
		r := newRig(t, int64(after), plan...)
		err := r.world.Board().Run("drain", func(w workload.World) {
			w.Go("producer", r.feeder.Run)
			w.Go("sentinel", r.Sentinel.Run)
			w.Go("nemesis", r.Run)
			w.Sleep(after)
			if r.Done {
				t.Fatalf("the plan has ended: %v", r.Failed)
			}
			if err := r.StopAll(w); err != nil {
				t.Errorf("after %s: %v", after, err)
			}
			n := len(r.memory.Events)
			if w.Now() > after+time.Second {
				t.Errorf("stopping after %s took until %s", after, w.Now())
			}
			w.Sleep(20 * time.Second)
			for _, e := range r.memory.Events[n:] {
				if e.Process == "nemesis" || strings.Contains(e.Process, "/") {
					t.Errorf("stopped after %s: %v", after, e)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
