package nemesis

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// Unhealed is an error of the rig: what the nemesis has done to servers, and could not undo.
type Unhealed struct {
	// Left says of each server what is still the matter with it, and why.
	Left []string
}

func (u *Unhealed) Error() string { return "not healed: " + strings.Join(u.Left, "; ") }

// heal heals the servers that an action names, all at once: two nodes that are away may each need the other to be well again.
func (r *Runner) heal(w workload.World, a Action) error {
	var of []struck
	for _, s := range r.struck {
		if a.Target == All || s.server == a.Target || s.as == a.Target {
			of = append(of, s)
		}
	}
	if len(of) == 0 {
		return unfitf("nothing is the matter with it")
	}
	told, calls := make([]history.FaultDone, len(of)), make([]persistence.Call[string], len(of))
	r.commanding = true
	for i, s := range of {
		told[i] = r.announce(w, a, s.server)
		calls[i] = r.Servers.Heal(s.server)
	}
	var left []string
	for i, s := range of {
		proof, outcome, err := calls[i].Await()
		if outcome != persistence.Answered {
			left = append(left, fmt.Sprintf("%s is still %s: %v", s.server, s.trouble, err))
			continue
		}
		r.recovered(w, s.server)
		r.proved(w, told[i], proof)
	}
	r.commanding = false
	if len(left) > 0 {
		return &Unhealed{left}
	}
	return nil
}

// recovered takes a server from those that are not well.
func (r *Runner) recovered(w workload.World, server string) {
	r.struck = slices.DeleteFunc(r.struck, func(s struck) bool { return s.server == server })
	r.tell(w)
}

// joined is an error of the rig that outranks what the plan ended by: that, the end of a wait perhaps, is only told.
func joined(left, err error) error {
	if err == nil {
		return left
	}
	return fmt.Errorf("%w; before that: %s", left, err.Error())
}

// HealAll ends the plan and heals whatever is not well, for the end of a run whatever ended it: a plan that went on could harm a
// server behind its heal.
func (r *Runner) HealAll(w workload.World) error { return errors.Join(r.quit(w), r.undo(w, true)) }

// undo heals what is not well, and lifts what stands on the wire, or all that was armed there: what is to strike one message may
// still come about after the plan.
func (r *Runner) undo(w workload.World, all bool) error {
	left := r.liftAll(w, all)
	if len(r.struck) > 0 {
		var servers *Unhealed
		if err := r.do(w, Action{Fault: history.FaultHealServer, Target: All}); errors.As(err, &servers) {
			left = append(left, servers.Left...)
		} else if err != nil {
			return err
		}
	}
	if len(left) > 0 {
		return &Unhealed{left}
	}
	return nil
}

// commandWithin is how long a command to servers may take: above that of a server that is started, and has to be found well.
const commandWithin = 3 * time.Minute
