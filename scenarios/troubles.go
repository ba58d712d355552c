package scenarios

import (
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
)

// troubles draws what is done to servers: one trouble at a time, each healed before the next, and all well for a while between.
type troubles struct {
	drawing
	healthy time.Duration
	// struck is the target that is not well, healed tells that one was.
	struck string
	healed bool
}

// strike draws to which server it is done: to one by its name, or to the broker that has a role by then.
func (t *troubles) strike(fault *nemesis.Fault, after time.Duration) nemesis.Step {
	if t.healed {
		after += t.healthy
		t.healed = false
	}
	all := t.of.Cluster.targets(fault)
	if fault.Takes(nemesis.AnotherServer) {
		all = []string{nemesis.Another}
	}
	target := all[t.IntN(len(all))]
	if fault.Strikes() {
		t.struck = target
	}
	return nemesis.Step{After: after, Do: []nemesis.Action{{Fault: fault.Name, Target: target}}}
}

// heal is the end of a trouble.
func (t *troubles) heal(after time.Duration) nemesis.Step {
	s := nemesis.Step{After: after, Do: []nemesis.Action{{Fault: history.FaultHealServer, Target: t.struck}}}
	t.struck, t.healed = "", true
	return s
}
