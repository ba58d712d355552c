package nemesis

import (
	"fmt"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// later arms a fault, and leaves it to a process of its own to note that it came about. One that never does has no "done".
func (r *Runner) later(w workload.World, a Action, arm func(*Runner, string) (persistence.Call[string], error)) error {
	call, err := arm(r, a.Target)
	if err != nil {
		return fmt.Errorf("%s %s: %w", a.Fault, a.Target, err)
	}
	life, _ := r.Crew.Life(a.Target)
	w.Go(history.Wire, func(w workload.World) {
		if proof, outcome, _ := call.Await(); outcome == persistence.Answered {
			w.Note(history.Fault, &history.FaultDone{Fault: a.Fault, Target: a.Target, Life: life, Phase: history.PhaseDone, Proof: proof})
		}
	})
	return nil
}

// losing arms the loss of the next such message of the worker's present life, with its connection.
func losing(message string, way workload.Way) func(*Runner, string) (persistence.Call[string], error) {
	return func(r *Runner, name string) (persistence.Call[string], error) {
		process, err := r.running(name)
		if err != nil {
			return nil, err
		}
		return r.Wire.Arm(process, workload.Rule{Message: message, Way: way, Do: workload.Cut, Nth: 1}), nil
	}
}
