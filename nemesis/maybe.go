package nemesis

import (
	"errors"
	"fmt"
	"strings"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// A plan that nobody wrote, as one drawn from a seed, cannot know where its workers will stand. Its steps are Maybe: what
// cannot be done is passed over, which the history says.

// unfit is why a worker cannot bear a fault just now. Of a plan that somebody wrote it is a mistake; what else goes wrong is
// the rig's.
type unfit struct{ error }

func unfitf(format string, args ...any) error { return &unfit{fmt.Errorf(format, args...)} }

// Unfit tells whether an error is a fault that its worker could not bear at that moment.
func Unfit(err error) bool {
	var cannot *unfit
	return errors.As(err, &cannot)
}

// came waits for a moment that may not come.
func (r *Runner) came(w workload.World, watch workload.Watch, step int, t workload.Trigger) bool {
	if t.IsZero() {
		return true
	}
	w.Note(history.Plan, &history.PlanStep{Of: "plan", Step: step, Status: "armed", Detail: t.String()})
	if _, ok := watch.Await(t.Limit()); ok {
		return true
	}
	r.pass(w, step, fmt.Sprintf("%s%s%s", t, inVain, t.Limit()))
	return false
}

// inVain stands between a moment and how long it was waited for: what tells a step whose moment did not come from one whose
// faults could not be done.
const inVain = " did not come within "

// InVain tells whether a step waited for a moment that did not come.
func InVain(s *history.PlanStep) bool {
	return s.Status == "timeout" || s.Status == "passed" && strings.Contains(s.Detail, inVain)
}

// tryAll does those of the actions that can be done.
func (r *Runner) tryAll(w workload.World, step int, actions []Action) error {
	for _, a := range actions {
		err := r.fits(a)
		if err == nil {
			err = r.do(w, a)
		}
		var cannot *unfit
		switch {
		case errors.As(err, &cannot):
			r.pass(w, step, fmt.Sprintf("%s %s: %v", a.Fault, a.Target, cannot))
		case err != nil:
			return err
		}
	}
	return nil
}

func (r *Runner) pass(w workload.World, step int, why string) {
	w.Note(history.Plan, &history.PlanStep{Of: "plan", Step: step, Status: "passed", Detail: why})
}

// fits finds what can be seen before a fault is announced.
func (r *Runner) fits(a Action) error {
	f, known := Named(a.Fault)
	switch {
	case !known || !f.Takes(Worker) || f.OnWire(): // what is done to servers looks by itself
		return nil
	case a.Fault == history.FaultStart:
		if process, running := r.Crew.Life(a.Target); running {
			return unfitf("it runs already, as %s", process)
		}
		return nil
	}
	if a.Fault == history.FaultEvict && r.Sentinel.ill {
		return unfitf("the coordinator may not answer while a broker is not well")
	}
	process, err := r.running(a.Target)
	if err == nil && a.Fault == history.FaultRelease && !r.Stage.Held(process) {
		err = unfitf("%s is not held", process)
	}
	return err
}
