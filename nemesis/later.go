package nemesis

import (
	"slices"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// later arms a fault, and leaves it to a process of its own to note that it came about. One that never does has no "done".
func (r *Runner) later(w workload.World, a Action, told history.FaultDone, arm func(*Runner, Action) (persistence.Call[string], error)) error {
	call, err := arm(r, a)
	if err != nil {
		return err
	}
	w.Go(history.Wire, func(w workload.World) {
		proof, outcome, _ := call.Await()
		if outcome != persistence.Answered {
			return
		}
		told.Phase, told.Proof = history.PhaseDone, proof
		w.Note(history.Fault, &told)
		if a.Rule != nil {
			r.late = max(r.late, w.Now()+a.Rule.By)
			// One that was for this message alone is over, and there is nothing to lift.
			r.armed = slices.DeleteFunc(r.armed, func(d armed) bool { return d.rule == a.Rule && !d.stands })
		}
	})
	return nil
}

// losing arms the loss of the next such message of the worker's present life, with its connection.
func losing(message string, way workload.Way) func(*Runner, Action) (persistence.Call[string], error) {
	return func(r *Runner, a Action) (persistence.Call[string], error) {
		process, err := r.running(a.Target)
		if err != nil {
			return nil, err
		}
		return r.Wire.Arm(process, workload.Rule{Message: message, Way: way, Do: workload.Cut, Nth: 1}), nil
	}
}
