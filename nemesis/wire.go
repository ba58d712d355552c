package nemesis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// What is done to the way between a worker and its servers. Whatever a plan arms there is for the worker in all its lives, and stands
// until it is lifted or has done its work.

const lifted = "`lift`, unless `nth` has done its work"

// onWires arm rules and walls.
var onWires = []Fault{
	{
		Name: history.FaultDelayMessage, On: []Kind{Worker}, With: withBy, effect: workload.Delay,
		Does: "makes a message of the worker, or the answer to one, late by a time. On a connection to Kafka all behind it waits; " +
			"statements overtake one another",
		Proof: struckFirst, Heal: lifted, arm: (*Runner).armRule,
	},
	{
		Name: history.FaultHoldMessage, On: []Kind{Worker}, With: with, effect: workload.Hold,
		Does:  "keeps a message of the worker, or the answer to one, until it is lifted",
		Proof: struckFirst, Heal: "`lift`", arm: (*Runner).armRule,
	},
	{
		Name: history.FaultDropMessage, On: []Kind{Worker}, With: with, effect: workload.Drop,
		Does: "takes a message of the worker out, which is never done, or the answer to one, which was: nobody is told, and the " +
			"client waits until it gives up, or until a later answer on a connection to Kafka comes out of turn",
		Proof: struckFirst, Heal: lifted, arm: (*Runner).armRule,
	},
	{
		Name: history.FaultCutMessage, On: []Kind{Worker}, With: with, effect: workload.Cut,
		Does: "takes a message of the worker out, or the answer to one, and breaks the connection: before it had an effect, or " +
			"after",
		Proof: struckFirst, Heal: lifted, arm: (*Runner).armRule,
	},
	{
		Name: history.FaultSilenceMessage, On: []Kind{Worker}, With: with, effect: workload.Silence,
		Does:  "takes out a message of the worker, or the answer to one, and all after it on that connection, one way only",
		Proof: struckFirst, Heal: "`lift`", arm: (*Runner).armRule,
	},
	{
		Name: history.FaultCutOff, On: []Kind{Worker}, With: []Parameter{
			{"from", "`kafka` or `cassandra`", true},
			{"silently", "`true`: nothing comes through, as behind a wall that drops packets, and nobody is told; else connections " +
				"break, and none can be made", false},
		},
		Does:  "keeps the worker from all servers of a kind; it reaches the others",
		Proof: "what was first kept from a server", Heal: "`lift`", arm: (*Runner).cutOff,
	},
	{
		Name: history.FaultLift, On: []Kind{Worker},
		Does:  "ends what was armed on the wire of a worker: what is held there goes on",
		Proof: "what each rule has struck", do: (*Runner).lift,
	},
}

const struckFirst = "what was struck first, once it was"

// with are the parameters of a rule, withBy those of one that makes late.
var (
	with = []Parameter{
		{"message", "a request of Kafka by its name (`OffsetCommit`, `Heartbeat`), a statement by what it does (`persist`, `delete`, " +
			"`read`, `write`) or by its form (`update-if-offset`), or all to `kafka` or `cassandra`", true},
		{"way", "`request`, or `answer`, of which only those that say that it was done; `request` where it says nothing", false},
		{"nth", "which of them, counted from 1; without it each, until the rule is lifted", false},
		{"chance", "how likely each of them is struck, from 0 to 1, by the run's seed; not with `nth`", false},
	}
	withBy = append([]Parameter{{"by", "how late", true}}, with...)
)

// armRule arms a rule; its call ends with the proof when a message was struck.
func (r *Runner) armRule(a Action) (persistence.Call[string], error) {
	rule := *a.Rule
	if rule.Draw != nil {
		// Of two rules of one run each draws for itself.
		draw := workload.Draw{Chance: rule.Draw.Chance, Seed: uint64(r.Seed)<<8 + r.draws}
		r.draws++
		rule.Draw = &draw
	}
	if err := rule.Check(); err != nil {
		return nil, err
	}
	r.armed = append(r.armed, armed{who: a.Target, rule: a.Rule, stands: !rule.Over(rule.Nth)})
	return r.Wire.Arm(a.Target, rule), nil
}

// cutOff keeps a worker from all servers of a kind; its call ends with the proof when something was kept from one.
func (r *Runner) cutOff(a Action) (persistence.Call[string], error) {
	if err := a.Wall.Check(); err != nil {
		return nil, err
	}
	r.armed = append(r.armed, armed{who: a.Target, stands: true, keepsFromKafka: a.Wall.From == workload.OfKafka})
	return r.Wire.CutOff(a.Target, *a.Wall), nil
}

// lift ends what was armed for a worker, and tells what each has done.
func (r *Runner) lift(_ workload.World, name string) (string, error) {
	r.commanding = true
	proof, outcome, err := r.Wire.Lift(name).Await()
	r.commanding = false
	if outcome == persistence.Unknown {
		return "", err
	}
	r.armed = slices.DeleteFunc(r.armed, func(a armed) bool { return a.who == name })
	if outcome == persistence.Failed {
		return "", unfitf("%v", err)
	}
	return proof, nil
}

// armed is what was armed for a worker and not lifted.
type armed struct {
	who string
	// rule is what was armed; nil of a wall.
	rule *workload.Rule
	// stands tells that it goes on until it is lifted.
	stands, keepsFromKafka bool
}

// behindWall tells whether a worker reaches no broker: it cannot say goodbye.
func (r *Runner) behindWall(name string) bool {
	return slices.ContainsFunc(r.armed, func(a armed) bool { return a.who == name && a.keepsFromKafka })
}

// liftAll lifts what stands on the wire of anybody, or all that was armed, and waits for what is late still.
func (r *Runner) liftAll(w workload.World, all bool) (left []string) {
	for _, a := range slices.Clone(r.armed) {
		if !a.stands && !all || !slices.Contains(r.armed, a) {
			continue
		}
		if err := r.do(w, Action{Fault: history.FaultLift, Target: a.who}); err != nil && !Unfit(err) {
			left = append(left, fmt.Sprintf("what was armed on the wire of %s: %v", a.who, err))
		}
	}
	if all && w.Now() < r.late {
		w.Sleep(r.late - w.Now())
	}
	return left
}

// Late is until when a message that was made late is on its way.
func (r *Runner) Late() time.Duration { return r.late }

// with says in words what an action arms.
func (a Action) with() string {
	switch {
	case a.Rule != nil:
		return a.Rule.String()
	case a.Wall != nil:
		return strings.TrimPrefix(a.Wall.String(), "the ")
	}
	return ""
}
