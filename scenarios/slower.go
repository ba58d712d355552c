package scenarios

import (
	"slices"
	"time"

	"github.com/single-writer/chaos/workload"
)

// Slower is the scenario with all its times so many times as long: the same scenario on servers that take so many times as long
// to answer. What a client does to keep going, its polls, heartbeats and restarts, stays as it is.
func (s *Scenario) Slower(times int) *Scenario {
	if times == 1 {
		return s
	}
	longer := func(of ...*time.Duration) {
		for _, d := range of {
			*d *= time.Duration(times)
		}
	}
	out := *s
	out.Text = nil
	out.Workers, out.Stages, out.Plan = slices.Clone(s.Workers), slices.Clone(s.Stages), slices.Clone(s.Plan)
	for i := range out.Workers {
		c := &out.Workers[i]
		longer(&c.Member.MaxPollInterval, &c.Member.SessionTimeout, &c.PersistEvery, &c.CommitEvery)
	}
	awaited := func(t *workload.Trigger) { longer(&t.Within) }
	for i := range out.Stages {
		longer(&out.Stages[i].After)
		awaited(&out.Stages[i].When)
	}
	for i := range out.Plan {
		step := &out.Plan[i]
		step.Do = slices.Clone(step.Do)
		for j := range step.Do {
			if rule := step.Do[j].Rule; rule != nil {
				later := *rule
				longer(&later.By)
				step.Do[j].Rule = &later
			}
		}
		longer(&step.After)
		awaited(&step.When)
		step.And = slices.Clone(step.And)
		for j := range step.And {
			awaited(&step.And[j])
		}
	}
	return &out
}
