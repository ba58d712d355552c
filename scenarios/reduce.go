package scenarios

import (
	"slices"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// Reduction is one way to make an ordinary scenario smaller: by so many parts, of which some can be left out.
type Reduction struct {
	// Of says what the parts are: "steps", "members".
	Of string
	// Parts is how many there are, Without the scenario without those from one up to another. What comes out may be no
	// scenario: whether it is, the loader says of its YAML.
	Parts   func(*Scenario) int
	Without func(s *Scenario, from, to int) *Scenario
}

// Reductions are all of them, in the order in which a reader is helped most: what is done first, then to whom, then how much
// of the input, at last how the workers are set and what is waited for.
func Reductions() []Reduction {
	return []Reduction{
		{"steps", func(s *Scenario) int { return len(s.Plan) }, (*Scenario).withoutSteps},
		{"faults", (*Scenario).actions, (*Scenario).withoutActions},
		{"members", func(s *Scenario) int { return len(s.Workers) }, (*Scenario).withoutMembers},
		{"partitions", func(s *Scenario) int { return s.Partitions }, (*Scenario).withFewerPartitions},
		{"keys", func(s *Scenario) int { return s.Keys }, (*Scenario).withFewerKeys},
		{"events", func(s *Scenario) int { return int(s.Events()) }, (*Scenario).withoutEvents},
		{"settings", func(s *Scenario) int { return len(s.set()) }, (*Scenario).withoutSettings},
		{"moments", (*Scenario).moments, (*Scenario).withoutMoments},
		{"pauses", (*Scenario).pauses, (*Scenario).withoutPauses},
	}
}

// Reducible gives a scenario under a name of its own that can be made smaller: it requires nothing to have happened, and what
// must fail of it may fail, since what is left of it shows one thing and not all.
func (s *Scenario) Reducible(name, about string) *Scenario {
	out := *s
	out.Name, out.About, out.Requires, out.Text, out.Expect = name, about, nil, nil, nil
	for _, e := range s.Expect {
		out.Expect = append(out.Expect, Expectation{Arm: e.Arm, Holds: true, May: slices.Concat(e.Violates, e.May)})
	}
	return &out
}

func (s *Scenario) withoutSteps(from, to int) *Scenario {
	out := *s
	out.Plan = slices.Delete(slices.Clone(s.Plan), from, to)
	return &out
}

// actions counts what is done in all steps.
func (s *Scenario) actions() (n int) {
	for _, step := range s.Plan {
		n += len(step.Do)
	}
	return n
}

func (s *Scenario) withoutActions(from, to int) *Scenario {
	out, at := *s, 0
	out.Plan = nil
	for _, step := range s.Plan {
		all := step.Do
		step.Do = nil
		for _, a := range all {
			if at < from || at >= to {
				step.Do = append(step.Do, a)
			}
			at++
		}
		if len(step.Do) > 0 {
			out.Plan = append(out.Plan, step)
		}
	}
	return &out
}

// withoutMembers leaves workers out, with all that is done to them; nothing waits for them any more.
func (s *Scenario) withoutMembers(from, to int) *Scenario {
	out := *s
	gone := func(name string) bool {
		return name != "" && slices.ContainsFunc(s.Workers[from:to], func(c workload.Config) bool { return c.Name == history.WorkerOf(name) })
	}
	awaits := func(t workload.Trigger) bool { return gone(t.Worker) || gone(t.Evicted) }
	out.Workers = slices.Delete(slices.Clone(s.Workers), from, to)
	out.Plan = nil
	for _, of := range s.Plan {
		step := waiting{of}
		step.Do = slices.DeleteFunc(slices.Clone(step.Do), func(a nemesis.Action) bool { return gone(a.Target) })
		step.await(slices.DeleteFunc(step.moments(), awaits))
		if len(step.Do) > 0 {
			out.Plan = append(out.Plan, step.Step)
		}
	}
	out.Stages = slices.Clone(s.Stages)
	for i, stage := range out.Stages {
		if awaits(stage.When) {
			out.Stages[i].When = workload.Trigger{}
		}
	}
	return &out
}

func (s *Scenario) withFewerPartitions(from, to int) *Scenario {
	out := *s
	out.Partitions -= to - from
	return &out
}

// withFewerKeys gives the events of the accounts that go to those that stay.
func (s *Scenario) withFewerKeys(from, to int) *Scenario {
	out := *s
	out.Keys -= to - from
	out.Stages = slices.Clone(s.Stages)
	for i := range out.Stages {
		if key := &out.Stages[i].Key; *key > 0 && out.Keys > 0 {
			*key = (*key-1)%out.Keys + 1
		}
	}
	return &out
}

// withoutEvents leaves events out and numbers the others anew. A moment that covers an event then covers the last that is
// left up to it; the pause before a stage that has no event left comes before the next.
func (s *Scenario) withoutEvents(from, to int) *Scenario {
	out := *s
	left := func(event int64) int64 { // how many of the first events stay
		return min(event, int64(from)) + max(0, event-int64(to))
	}
	moved := func(t workload.Trigger) workload.Trigger {
		if t.Event > 0 {
			t.Event = max(1, left(t.Event))
		}
		return t
	}
	out.Stages, out.Plan = nil, slices.Clone(s.Plan)
	pause := workload.Stage{}
	for _, stage := range s.Stages {
		stage.When, stage.After = moved(stage.When), stage.After+pause.After
		if stage.When.IsZero() {
			stage.When = pause.When
		}
		first, last := left(stage.First-1)+1, left(stage.Last)
		if first > last {
			pause = stage
			continue
		}
		stage.First, stage.Last, pause = first, last, workload.Stage{}
		out.Stages = append(out.Stages, stage)
	}
	for i := range out.Plan {
		step := waiting{out.Plan[i]}
		moments := step.moments()
		for j, t := range moments {
			moments[j] = moved(t)
		}
		step.await(moments)
		out.Plan[i] = step.Step
	}
	return &out
}

// worn is a setting of a worker that is not what it would be by itself; of all workers where a group has one.
type worn struct {
	setting setting
	worker  int
}

func (s *Scenario) set() (out []worn) {
	plain := workload.DefaultConfig("")
	for _, g := range settings {
		for i, c := range s.Workers {
			if first := i == 0 || !g.group; first && g.text(&c) != g.text(&plain) {
				out = append(out, worn{g, i})
			}
		}
	}
	return out
}

func (s *Scenario) withoutSettings(from, to int) *Scenario {
	out := *s
	out.Workers = slices.Clone(s.Workers)
	plain := workload.DefaultConfig("")
	for _, w := range s.set()[from:to] {
		for i := range out.Workers {
			if i == w.worker || w.setting.group {
				w.setting.take(&out.Workers[i], &plain)
			}
		}
	}
	return &out
}

// waiting is a step with the moments that it waits for in one list.
type waiting struct{ nemesis.Step }

func (w *waiting) moments() []workload.Trigger {
	if w.When.IsZero() {
		return nil
	}
	return append([]workload.Trigger{w.When}, w.And...)
}

func (w *waiting) await(moments []workload.Trigger) {
	w.When, w.And = workload.Trigger{}, nil
	if len(moments) > 0 {
		w.When, w.And = moments[0], append(w.And, moments[1:]...)
	}
}

// moments counts the moments that steps and stages wait for.
func (s *Scenario) moments() (n int) {
	for _, step := range s.Plan {
		n += len((&waiting{step}).moments())
	}
	for _, stage := range s.Stages {
		if !stage.When.IsZero() {
			n++
		}
	}
	return n
}

func (s *Scenario) withoutMoments(from, to int) *Scenario {
	out, at := *s, 0
	out.Plan, out.Stages = slices.Clone(s.Plan), slices.Clone(s.Stages)
	goes := func(workload.Trigger) bool { at++; return at > from && at <= to }
	for i := range out.Plan {
		step := waiting{out.Plan[i]}
		step.await(slices.DeleteFunc(step.moments(), goes))
		out.Plan[i] = step.Step
	}
	for i := range out.Stages {
		if t := &out.Stages[i].When; !t.IsZero() && goes(*t) {
			*t = workload.Trigger{}
		}
	}
	return &out
}

// pauses counts the waits by the clock.
func (s *Scenario) pauses() (n int) {
	for _, step := range s.Plan {
		if step.After > 0 {
			n++
		}
	}
	for _, stage := range s.Stages {
		if stage.After > 0 {
			n++
		}
	}
	return n
}

func (s *Scenario) withoutPauses(from, to int) *Scenario {
	out, at := *s, 0
	out.Plan, out.Stages = slices.Clone(s.Plan), slices.Clone(s.Stages)
	for i := range out.Plan {
		if step := &out.Plan[i]; step.After > 0 {
			if at >= from && at < to {
				step.After = 0
			}
			at++
		}
	}
	for i := range out.Stages {
		if stage := &out.Stages[i]; stage.After > 0 {
			if at >= from && at < to {
				stage.After = 0
			}
			at++
		}
	}
	return &out
}
