package scenarios

import (
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// troubles draws what goes on until it is healed: one trouble at a time, be it of a server or of a worker's way to one kind of
// them, each healed before the next, and none for a while between.
type troubles struct {
	drawing
	healthy time.Duration
	// cure is what heals the trouble that there is; healed tells that there was one before.
	cure   nemesis.Action
	healed bool
	// lasts counts the steps that were drawn since it began.
	lasts int
}

// longestTrouble is how many steps a trouble lasts, at most: a record that the producer cannot append in time ends the run.
const longestTrouble = 3

// over draws whether the trouble that there is ends now.
func (t *troubles) over() bool {
	if !t.ill() {
		return false
	}
	t.lasts++
	return t.lasts > longestTrouble || t.IntN(2) == 0
}

// ill tells whether there is a trouble.
func (t *troubles) ill() bool { return t.cure.Fault != "" }

// strike draws where the trouble is: at a server by its name, at the broker that has a role by then, or on the way of the worker.
func (t *troubles) strike(fault *nemesis.Fault, worker string, after time.Duration) nemesis.Step {
	if t.healed {
		after += t.healthy
		t.healed = false
	}
	a := nemesis.Action{Fault: fault.Name}
	switch {
	case fault.OnWire():
		a.Target = worker
		a.Wall = &workload.Wall{From: t.oneOf(workload.OfKafka, workload.OfCassandra), Silently: t.IntN(2) == 0}
		t.cure = nemesis.Action{Fault: history.FaultLift, Target: worker}
	case fault.Takes(nemesis.AnotherServer):
		a.Target = nemesis.Another
	default:
		a.Target = t.oneOf(t.of.Cluster.targets(fault)...)
	}
	if fault.Strikes() {
		t.cure = nemesis.Action{Fault: history.FaultHealServer, Target: a.Target}
	}
	return nemesis.Step{After: after, Do: []nemesis.Action{a}}
}

// heal is the end of a trouble.
func (t *troubles) heal(after time.Duration) nemesis.Step {
	s := nemesis.Step{After: after, Do: []nemesis.Action{t.cure}}
	t.cure, t.healed, t.lasts = nemesis.Action{}, true, 0
	return s
}

// longestDelay is above the time-out of a statement, and of a short session.
const longestDelay = 3 * time.Second

// rule draws which message of a worker something becomes of: the next of its kind, or its answer.
func (d drawing) rule(fault *nemesis.Fault, worker string) nemesis.Action {
	r := &workload.Rule{
		Message: d.oneOf(workload.Persists, workload.Deletes, workload.Reads, "OffsetCommit", "Heartbeat", "JoinGroup"),
		Way:     workload.Way(d.oneOf(string(workload.Request), string(workload.Answer))), Do: fault.Effect(), Nth: 1,
	}
	if r.Do == workload.Delay {
		r.By = time.Millisecond + d.upTo(longestDelay)
	}
	return nemesis.Action{Fault: fault.Name, Target: worker, Rule: r}
}

func (d drawing) oneOf(words ...string) string { return words[d.IntN(len(words))] }
