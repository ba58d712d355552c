package scenarios

import (
	"slices"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// randomKey is what stands in the place of stages, of a plan or of a worker's name where it is left to the seed.
const randomKey = "random"

const (
	mostWorkers = 26
	mostFaults  = 1000
	mostTimes   = 1000
	// standardHealthy is how long all servers are well between two troubles.
	standardHealthy = 500 * time.Millisecond
)

// drawable are the faults that a plan can draw. Of the others most end a worker's being held or away, or a server's being not
// well, and come by themselves; an unclean election needs a broker that was kept from records.
var drawable = []string{
	history.FaultEvict, history.FaultHold, history.FaultKill, history.FaultLoseAnswer, history.FaultLoseCommit,
	history.FaultLoseCommitAnswer, history.FaultLoseWrite, history.FaultPhantom, history.FaultProbe, history.FaultReap, history.FaultStop,
	history.FaultUnreachable,
	history.FaultDelayMessage, history.FaultDropMessage, history.FaultCutMessage, history.FaultCutOff,
	history.FaultKillServer, history.FaultPauseServer, history.FaultIsolateServer, history.FaultDeafenServer, history.FaultMuteServer,
	history.FaultCutClients, history.FaultFillDisk, history.FaultMoveCoordinator, history.FaultMoveLeader,
}

// randomInput reads {events: 32, closes: 4, pause: 300ms}.
func (l *loader) randomInput(f *field) {
	o, ok := l.object(f.value, f.at, aRandomInput, keysOf(aRandomInput)...)
	if !ok {
		return
	}
	events, ok := l.number(o.need("events"), mostEvents)
	closes, _ := l.number(o.field("closes"), mostEvents)
	pause, _ := l.duration(o.field("pause"), 0)
	if ok && closes > events {
		l.fail(o.field("closes").at, "", "%d of %d events cannot be closes", closes, events)
	}
	l.scenario.Random.Input = RandomInput{Events: int(events), Closes: int(closes), Pause: pause}
}

// randomPlan reads {random: {workers: 3, faults: 8, pause: 300ms, of: {hold: 4, kill: 1}, points: [folded]}}.
func (l *loader) randomPlan(f *field) {
	outer, ok := l.object(f.value, f.at, "a plan that is not a list", randomKey)
	if !ok {
		return
	}
	random := outer.need(randomKey)
	if random == nil {
		return
	}
	o, ok := l.object(random.value, random.at, aRandomPlan, keysOf(aRandomPlan)...)
	if !ok {
		return
	}
	workers, ok := l.number(o.need("workers"), mostWorkers)
	faults, _ := l.number(o.need("faults"), mostFaults)
	pause, _ := l.duration(o.field("pause"), 0)
	r := RandomPlan{Workers: int(workers), Faults: int(faults), Pause: pause, Healthy: standardHealthy, Points: l.vocabulary.Points}
	if healthy := o.field("healthy"); healthy != nil {
		r.Healthy, _ = l.duration(healthy, 0)
	}
	if points := o.field("points"); points != nil {
		r.Points = l.pointsOf(points)
	}
	if of := o.need("of"); of != nil {
		r.Of = l.weights(of)
	}
	if limits := o.field("at-most"); limits != nil {
		r.AtMost = l.limits(limits, r.Of)
	}
	l.scenario.Random.Plan = r
	for i := range workers {
		l.start(string(rune('a'+i)), random.at, moment{0, -1})
	}
	l.planRead = ok
}

// pointsOf reads the points to which a plan is kept.
func (l *loader) pointsOf(f *field) []string {
	had := len(l.errs)
	words := l.words(f)
	for _, w := range words {
		l.known(w, "point", "points", l.vocabulary.Points)
	}
	if len(words) == 0 && len(l.errs) == had {
		l.fail(f.at, listed("points", l.vocabulary.Points), "\"points\" names none")
	}
	return texts(words)
}

// weights reads which faults there are, and how often.
func (l *loader) weights(f *field) []Weight {
	o, ok := l.object(f.value, f.at, `"of"`)
	if !ok {
		return nil
	}
	if len(o.fields) == 0 {
		l.fail(o.at, listed("faults", drawable), "\"of\" names no fault")
	}
	var out []Weight
	for _, w := range o.fields {
		known := slices.Contains(drawable, w.name)
		if !known {
			l.fail(w.key, listed("faults", drawable), "%s", unknown("fault that can be drawn", w.name, drawable))
		}
		n, ok := l.between(w, 0, mostTimes)
		if !ok || !known {
			continue
		}
		if fault, _ := nemesis.Named(w.name); fault.OnServers() && l.clusterRead && len(l.scenario.Cluster.targets(fault)) == 0 {
			l.fail(w.key, "write cluster: {kafka: 3, cassandra: 3}", "%q needs %s, and this cluster has fewer", w.name, fault.Needs())
		}
		out = append(out, Weight{w.name, int(n)})
	}
	if len(out) > 0 && !slices.ContainsFunc(out, func(w Weight) bool { return w.Times > 0 }) {
		l.fail(o.at, "give one of them a weight of 1", "\"of\" gives no fault a weight, so that none could be drawn")
	}
	return out
}

// limits reads how often some of the faults may be drawn.
func (l *loader) limits(f *field, of []Weight) []Weight {
	o, ok := l.object(f.value, f.at, `"at-most"`)
	if !ok {
		return nil
	}
	var names []string
	for _, w := range of {
		names = append(names, w.Fault)
	}
	var out []Weight
	for _, w := range o.fields {
		known := l.known(word{w.name, w.key}, "fault under \"of\"", "faults", names)
		if n, ok := l.between(w, 0, mostFaults); ok && known {
			out = append(out, Weight{w.name, int(n)})
		}
	}
	return out
}

// randomSettings reads settings with the values that there are to choose from: {persist-every: [0s, 1s]}. Those that have to
// fit another one are written, not drawn.
func (l *loader) randomSettings(f *field, base workload.Config) {
	var keys []string
	for _, s := range settings {
		if !slices.Contains([]string{"instance-id", "session-timeout", "heartbeat-interval", "backoff", "backoff-max"}, s.key) {
			keys = append(keys, s.key)
		}
	}
	o, ok := l.object(f.value, f.at, "the random settings", keys...)
	if !ok {
		return
	}
	for _, s := range settings {
		from := o.field(s.key)
		nodes, ok := l.list(from)
		if !ok {
			continue
		}
		if len(nodes) < 2 {
			l.fail(from.at, "what all workers have goes under workers: all", "%q needs two values to choose from", from.name)
		}
		c := Choice{setting: s}
		for _, n := range nodes {
			value := base
			s.read(l, &field{name: from.name, key: from.key, value: n, at: nodeSpan(n)}, &value)
			c.values = append(c.values, value)
		}
		l.scenario.Random.Settings = append(l.scenario.Random.Settings, c)
	}
}
