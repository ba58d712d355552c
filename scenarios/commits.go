package scenarios

import (
	"slices"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

const (
	commitEvery = "commit-every"
	// progress is the property that everything is committed in the end (checker.Progress, which this package may not name).
	progress = "progress"
)

// judgeCommits reports a scenario in which nobody ever comes to commit: it would be called stuck, whatever its fence does.
// It is no mistake where progress is stated to fail, or may, under each arm, nor where the plan leaves no worker free to go on.
func (l *loader) judgeCommits() {
	most := l.longest()
	if !l.planRead || most == 0 || !l.leavesFree() {
		return
	}
	if !slices.ContainsFunc(l.scenario.Expect, func(e Expectation) bool {
		return !slices.Contains(e.Violates, progress) && !slices.Contains(e.May, progress)
	}) {
		return
	}
	var every time.Duration
	var at span
	for _, c := range l.scenario.Workers {
		if c.CommitEvery <= most {
			return
		}
		own, its := l.commits[c.Name]
		if !its {
			own = l.commits[""]
		}
		if every == 0 || its {
			every, at = c.CommitEvery, own
		}
	}
	if every > 0 {
		l.fail(at, "let one worker that the plan leaves free commit oftener, or state that progress is violated",
			"no worker commits before %s are over, and the run is over before: what is read would never be committed", short(every))
	}
}

// longest is longer than any run of the scenario: every wait takes all of its time; 0 where something is left to the seed.
func (l *loader) longest() time.Duration {
	s := &l.scenario
	if !s.Random.None() {
		return 0
	}
	most := workload.LastCommit
	for _, stage := range s.Stages {
		most += stage.When.Limit() + stage.After
	}
	for _, step := range s.Plan {
		most += step.When.Limit() + step.After
		for _, t := range step.And {
			most += t.Limit()
		}
		most += time.Duration(len(step.Do)) * workload.DefaultWithin
	}
	return most
}

// leavesFree tells whether the plan, once it is done, has left some worker to go on.
func (l *loader) leavesFree() bool {
	free := map[string]bool{}
	for _, step := range l.scenario.Plan {
		for _, a := range step.Do {
			switch a.Fault {
			case history.FaultStart, history.FaultRelease:
				free[a.Target] = true
			case history.FaultStop, history.FaultKill, history.FaultHold:
				delete(free, a.Target)
			}
		}
	}
	return len(free) > 0
}
