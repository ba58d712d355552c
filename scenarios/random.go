package scenarios

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// Random is what a scenario leaves to the seed: the stages of its input, its plan, settings of its workers, each of them or
// none. What a seed makes of it is an ordinary scenario, which can be printed, read again and run by itself.
type Random struct {
	Input    RandomInput
	Plan     RandomPlan
	Settings []Choice
}

// RandomInput is so many events, of which at most Closes close an account. They come in bursts with pauses of at most Pause.
type RandomInput struct {
	Events, Closes int
	Pause          time.Duration
}

// RandomPlan is so many faults, done to the workers a, b, c, ..., with pauses of at most Pause.
type RandomPlan struct {
	Workers, Faults int
	Pause           time.Duration
	// Of says which faults, and how often one in comparison with the others.
	Of []Weight
	// AtMost says of some how often at most.
	AtMost []Weight
	// Healthy is how long all servers are well, at least, between two troubles.
	Healthy time.Duration
	// Points are those at which a fault may be done.
	Points []string
}

// Weight is how often a fault is drawn in comparison with others.
type Weight struct {
	Fault string
	Times int
}

// Choice is one setting of which each worker gets one of several values, or all workers the same where a group needs it.
type Choice struct {
	setting setting
	values  []workload.Config
}

// Has tells whether a worker runs in a way, or may, where that is left to the seed.
func (s *Scenario) Has(is func(workload.Config) bool) bool {
	return slices.ContainsFunc(s.Workers, is) ||
		slices.ContainsFunc(s.Random.Settings, func(c Choice) bool { return slices.ContainsFunc(c.values, is) })
}

// None tells that nothing is left to the seed.
func (r Random) None() bool {
	return r.Input.Events == 0 && r.Plan.Workers == 0 && len(r.Settings) == 0
}

// Draw gives the scenario as a seed makes it. A scenario that leaves nothing to the seed is its own.
func (s *Scenario) Draw(seed int64) *Scenario {
	if s.Random.None() {
		return s
	}
	d := drawing{rand.New(rand.NewPCG(uint64(seed), 0xd1342543de82ef95)), s, map[string]int{}}
	out := *s
	out.Random, out.Text = Random{}, nil
	if s.Random.Input.Events > 0 {
		out.Stages = d.stages(s.Random.Input)
	}
	out.Workers = d.workers()
	if s.Random.Plan.Workers > 0 {
		out.Plan = d.plan(s.Random.Plan, out.Workers)
	}
	return out.Placeless()
}

// Placeless is the scenario without the places in its file: what a seed has drawn has none, and is the same run when it is
// read from the file that it was written to.
func (s *Scenario) Placeless() *Scenario {
	out := *s
	out.Stages, out.Plan = slices.Clone(s.Stages), slices.Clone(s.Plan)
	for i := range out.Stages {
		out.Stages[i].When.Where = ""
	}
	for i := range out.Plan {
		step := &out.Plan[i]
		step.Where, step.When.Where, step.And = "", "", slices.Clone(step.And)
		for j := range step.And {
			step.And[j].Where = ""
		}
	}
	return &out
}

// drawing draws one scenario.
type drawing struct {
	*rand.Rand
	of *Scenario
	// drawn counts the faults that were drawn.
	drawn map[string]int
}

// upTo is a time of at most so much, in whole milliseconds, so that it can be read.
func (d drawing) upTo(most time.Duration) time.Duration {
	return time.Duration(d.Int64N(int64(most/time.Millisecond)+1)) * time.Millisecond
}

// longestBurst is how many events of one stage are produced one right after another.
const longestBurst = 6

// stages draws the input.
func (d drawing) stages(r RandomInput) []workload.Stage {
	closes := map[int64]int{}
	for range r.Closes {
		// Event 1 would close what nobody has opened, as others may; one of that is enough.
		closes[1+d.Int64N(int64(r.Events))] = 1 + d.IntN(d.of.Keys)
	}
	var out []workload.Stage
	for first := int64(1); first <= int64(r.Events); {
		s := workload.Stage{First: first, Last: first, Kind: ledger.Post, After: d.upTo(r.Pause)}
		if key, ok := closes[first]; ok {
			s.Kind, s.Key = ledger.Close, key
		} else {
			for last := min(int64(r.Events), first+d.Int64N(longestBurst)); s.Last < last && closes[s.Last+1] == 0; {
				s.Last++
			}
		}
		out = append(out, s)
		first = s.Last + 1
	}
	return out
}

// workers draws the settings.
func (d drawing) workers() []workload.Config {
	workers := slices.Clone(d.of.Workers)
	for _, c := range d.of.Random.Settings {
		all := &c.values[d.IntN(len(c.values))]
		for i := range workers {
			from := all
			if !c.setting.group {
				from = &c.values[d.IntN(len(c.values))]
			}
			c.setting.take(&workers[i], from)
		}
	}
	return workers
}

// lookFor is how long a step of a drawn plan waits for a moment that may not come.
const lookFor = 400 * time.Millisecond

// plan draws a plan. It starts the workers, does one thing after another, and ends with everybody released and started, so
// that what is left of the input can be done. It does not know where a worker will stand: every step is Maybe.
func (d drawing) plan(r RandomPlan, workers []workload.Config) []nemesis.Step {
	plan := []nemesis.Step{}
	add := func(s nemesis.Step) {
		s.Maybe = true
		plan = append(plan, s)
	}
	at := map[string]place{}
	for i, w := range d.Perm(r.Workers) {
		name := workers[w].Name
		at[name] = works
		s := nemesis.Step{Do: []nemesis.Action{{Fault: history.FaultStart, Target: name}}}
		if i > 0 {
			s.After = d.upTo(r.Pause)
		}
		add(s)
	}
	servers := troubles{drawing: d, healthy: r.Healthy}
	for range r.Faults {
		if servers.over() {
			add(servers.heal(d.upTo(r.Pause)))
			continue
		}
		w := workers[d.IntN(r.Workers)]
		s, then := d.step(r, w, at[w.Name], &servers)
		at[w.Name] = then
		if len(s.Do) > 0 {
			add(s)
		}
	}
	if servers.ill() {
		add(servers.heal(d.upTo(r.Pause)))
	}
	heal := nemesis.Step{After: d.upTo(r.Pause)}
	for _, w := range workers[:r.Workers] {
		heal.Do = append(heal.Do, nemesis.Action{Fault: history.FaultRelease, Target: w.Name}, nemesis.Action{Fault: history.FaultStart, Target: w.Name})
	}
	add(heal)
	return plan
}

// place is where the drawn plan takes a worker to be.
type place int

const (
	works place = iota
	// stands: it is held at a point at which it can still be made to fail by a record, or at any other.
	stands
	folding
	away
)

// step draws what is done to a worker next.
func (d drawing) step(r RandomPlan, w workload.Config, at place, servers *troubles) (nemesis.Step, place) {
	s := nemesis.Step{After: d.upTo(r.Pause)}
	do := func(fault, target string) { s.Do = append(s.Do, nemesis.Action{Fault: fault, Target: target}) }
	switch at {
	case away:
		do(history.FaultStart, w.Name)
		return s, works
	case stands, folding:
		if d.IntN(2) == 0 {
			// Until the group goes on without it, and a little longer.
			s.When = workload.Trigger{Evicted: w.Name, Within: w.Member.MaxPollInterval + lookFor}
		}
		ends := []string{history.FaultRelease, history.FaultRelease, history.FaultRelease, history.FaultKill, history.FaultStop}
		if at == folding {
			ends = append(ends, history.FaultFail, history.FaultFail)
		}
		end := ends[d.IntN(len(ends))]
		do(end, w.Name)
		if end == history.FaultKill || end == history.FaultStop {
			return s, away
		}
		return s, works
	}
	fault := d.fault(r)
	entry, isFault := nemesis.Named(fault)
	switch {
	case !isFault: // all that there are were drawn as often as they may
		return s, at
	case entry.Effect() != "":
		s.Do = append(s.Do, d.rule(entry, w.Name))
		return s, at
	case (entry.OnServers() || entry.OnWire()) && servers.ill():
		return servers.heal(s.After), at
	case entry.OnServers(), entry.OnWire():
		s = servers.strike(entry, w.Name, s.After)
		if d.IntN(2) == 0 {
			s.When = d.moment(r, w)
		}
		return s, at
	}
	if fault == history.FaultProbe {
		do(fault, allWorkers)
		return s, at
	}
	if fault == history.FaultHold || d.IntN(2) == 0 {
		s.When = d.moment(r, w)
	}
	if fault == history.FaultReap {
		do(fault, account+strconv.Itoa(1+d.IntN(d.of.Keys)))
		return s, at
	}
	do(fault, w.Name)
	switch {
	case fault == history.FaultHold && s.When.Point == history.PointFolded:
		return s, folding
	case fault == history.FaultHold:
		return s, stands
	case fault == history.FaultKill, fault == history.FaultStop:
		return s, away
	}
	return s, works
}

// moment draws a point of a worker.
func (d drawing) moment(r RandomPlan, w workload.Config) workload.Trigger {
	t := workload.Trigger{Worker: w.Name, Point: r.Points[d.IntN(len(r.Points))], Within: lookFor}
	if history.AfterAnswer(t.Point) {
		t.Answer = workload.AnyAnswer
	}
	return t
}

// fault draws one by its weight, of those that may still be drawn; empty when there is none.
func (d drawing) fault(r RandomPlan) string {
	left, all := make([]int, len(r.Of)), 0
	for i, w := range r.Of {
		if !slices.ContainsFunc(r.AtMost, func(m Weight) bool { return m.Fault == w.Fault && d.drawn[w.Fault] >= m.Times }) {
			left[i] = w.Times
		}
		all += left[i]
	}
	if all == 0 {
		return ""
	}
	at := d.IntN(all)
	i := slices.IndexFunc(left, func(n int) bool { at -= n; return at < 0 })
	d.drawn[r.Of[i].Fault]++
	return r.Of[i].Fault
}
