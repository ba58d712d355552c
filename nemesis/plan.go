// Package nemesis does what a scenario's plan says: it waits for a moment, and does something to a worker at it.
//
// It knows workers and the coordinator only by the small interfaces it declares, gives no verdicts, and cannot tell
// whether the world is simulated.
package nemesis

import (
	"fmt"
	"time"

	"github.com/single-writer/chaos/workload"
)

// Step is one step of a plan: when this happens, do that. Steps are armed one at a time, in order.
type Step struct {
	// When is what the step waits for; the zero Trigger waits for nothing. And are further moments: then the step waits for
	// all of them, in whatever order they come, and the worker of each stands still at its own.
	When workload.Trigger
	And  []workload.Trigger
	// After is how long the step waits, on the world's clock, before it looks out for its moments.
	After time.Duration
	// Maybe: a moment that does not come, and an action that its worker cannot bear just then, are passed over, and the plan
	// goes on. Without it either ends the run.
	Maybe bool
	// Do is done one action after another, each until its effect is proved.
	Do []Action
	// Where is file:line:col, for messages.
	Where string
}

// Action is one fault done to one target.
type Action struct {
	// Fault is the name of a fault in the registry.
	Fault string
	// Target is what it is done to: a worker's name, or what else the fault takes.
	Target string
	// Rule and Wall are what it arms on the wire, where it is a fault of that kind.
	Rule *workload.Rule
	Wall *workload.Wall
}

// failed says which step an error is of.
func (s Step) failed(number int, err error) error {
	err = fmt.Errorf("step %d of the plan: %w", number, err)
	if s.Where != "" {
		err = fmt.Errorf("%s: %w", s.Where, err)
	}
	return err
}
