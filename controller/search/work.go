package search

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/failure"
	"github.com/single-writer/chaos/history"
)

// Place is a cluster that is searched, with the command that runs the scenario on it: simulated, so that it has nothing to
// close and any number of worlds at a time.
type Place struct {
	cluster.Cluster
	Again string
}

// Tally is how far a search has come.
type Tally struct {
	Runs, Of, Failures int
	Took               time.Duration
}

// work is one run of a search.
type work struct {
	controller.Job
	on Place
}

// again is the command that replays a run.
func (j work) again() string {
	s := fmt.Sprintf("%s --arm %s", j.on.Again, j.Arm.Name)
	for _, g := range j.Arm.Without {
		s += " --without " + g
	}
	return fmt.Sprintf("%s --seed %d", s, j.Seed)
}

// judged does a run and gives what it found: nothing, when it came out as stated and shows nothing that may be.
func (j work) judged(ctx context.Context, m *history.Memory) []*Finding {
	m.History = history.History{Header: j.Header(j.on.Facts()), Events: m.Events[:0]}
	if err := controller.Execute(ctx, j.Job, j.on, m); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return []*Finding{j.finding(failure.OfRig(err))}
	}
	e, _ := j.Scenario.Expectation(j.Arm.Name)
	return j.findings(failure.Of(&m.History, controller.Judge(&m.History, e), e))
}

// recorded does a run into a folder of its own.
func (j work) recorded(ctx context.Context, q controller.Request) (controller.Run, error) {
	q.Again = j.on.Again
	return q.One(ctx, j.Job, j.on)
}

// hunt does what there is to do, so many runs at a time, and tells done what each found, one after another. It returns at
// once; wait returns when all is done.
func hunt(workers int, todo <-chan work, do func(work, *history.Memory) []*Finding, done func([]*Finding)) (wait func()) {
	var running sync.WaitGroup
	var one sync.Mutex
	for range max(1, workers) {
		running.Go(func() {
			// One history's memory serves all runs of a worker: nothing of a run outlives its judgement but words.
			var room history.Memory
			for j := range todo {
				found := do(j, &room)
				one.Lock()
				done(found)
				one.Unlock()
			}
		})
	}
	return running.Wait
}
