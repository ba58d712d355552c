package nemesis

import (
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// What is done to the way between a worker and its servers. Whatever a plan arms there is for the worker in all its lives, and stands
// until it is lifted or has done its work.

// onWire arms a rule; its call ends with the proof when a message was struck.
func (r *Runner) onWire(name string, rule workload.Rule) (persistence.Call[string], error) {
	if err := rule.Check(); err != nil {
		return nil, err
	}
	return r.Wire.Arm(name, rule), nil
}

// cutOff keeps a worker from all servers of a kind; its call ends with the proof when something was kept from one.
func (r *Runner) cutOff(name string, b workload.Wall) (persistence.Call[string], error) {
	if err := b.Check(); err != nil {
		return nil, err
	}
	return r.Wire.CutOff(name, b), nil
}

// lift ends what was armed for a worker, and tells what each has done.
func (r *Runner) lift(_ workload.World, name string) (string, error) {
	proof, outcome, err := r.Wire.Lift(name).Await()
	if outcome != persistence.Answered {
		return "", unfitf("%v", err)
	}
	return proof, nil
}
