// Package search runs scenarios with one seed after another and groups what fails: one scenario with so many seeds in memory, or
// all of them until the time is up.
package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/reports"
	"github.com/single-writer/chaos/scenarios"
)

// Exploring is what `chaos explore` was asked to do: a request of which every seed is run, in memory, on each of its clusters.
type Exploring struct {
	controller.Request
	On []Place
	// Workers is how many runs there are at a time.
	Workers int
	// Look is told now and then how far it has come.
	Look func(Tally)
}

// Found is what came of a search.
type Found struct {
	Scenario *scenarios.Scenario
	Arms     []string
	On       []Place
	From     int64
	Findings []*Finding
	Tally
	Folder string
}

// Exit is the exit code: what the scenario allows is no deviation.
func (f *Found) Exit() int { return exitOf(f.Findings) }

// Explore runs a scenario with many seeds at a time and groups what failed. The groups are the same however many runs there
// are at a time. When the context ends, what was found so far is returned with its error; so is an error of recording.
func Explore(ctx context.Context, q Exploring) (*Found, error) {
	began := time.Now()
	jobs, s, err := q.first()
	if err != nil {
		return nil, &controller.Usage{Err: err}
	}
	out := &Found{
		Scenario: s, Arms: q.armsOf(jobs), On: q.On, From: q.Seed, Folder: q.Out,
		Tally: Tally{Of: len(jobs) * len(q.On) * max(1, q.Seeds)},
	}
	groups := &groups{by: map[string]*Finding{}}
	todo := make(chan work)
	do := func(j work, m *history.Memory) []*Finding { return j.judged(ctx, m) }
	wait := hunt(q.Workers, todo, do, func(found []*Finding) {
		if ctx.Err() == nil || len(found) > 0 {
			out.Runs++
		}
		for _, f := range found {
			groups.add(f)
		}
		out.Failures, out.Took = groups.all(), time.Since(began)
		if q.Look != nil {
			q.Look(out.Tally)
		}
	})
	err = q.deal(ctx, todo, s, jobs)
	wait()
	out.Findings, out.Took = groups.sorted(), time.Since(began)
	if err == nil {
		err = record(ctx, q.Request, out.Findings)
	}
	return out, err
}

// first are the jobs of the first seed, one for each arm: all mistakes that can be seen before anything is started.
func (q Exploring) first() ([]controller.Job, *scenarios.Scenario, error) {
	if len(q.On) == 0 {
		return nil, nil, errors.New("a search needs a cluster to search")
	}
	one := q.Request
	one.Seeds = 1
	jobs, s, err := one.Jobs()
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Lstat(q.Out); err == nil {
		return nil, nil, &controller.FolderExists{Path: q.Out}
	}
	return jobs, s, nil
}

func (q Exploring) armsOf(jobs []controller.Job) []string {
	var out []string
	for _, j := range jobs {
		out = append(out, j.Arm.Name)
	}
	return out
}

// deal hands out the runs, seed by seed.
func (q Exploring) deal(ctx context.Context, todo chan<- work, s *scenarios.Scenario, first []controller.Job) error {
	defer close(todo)
	for n := range int64(max(1, q.Seeds)) {
		for _, j := range first {
			for _, on := range q.On {
				select {
				case todo <- work{controller.NewJob(s, j.Arm, q.Seed+n), on}:
				case <-ctx.Done():
					return fmt.Errorf("seed %d was not begun: %w", q.Seed+n, context.Cause(ctx))
				}
			}
		}
	}
	return nil
}

// Told is the search as the reports want it.
func (f *Found) Told() reports.Search {
	out := reports.Search{Scenario: f.Scenario.Name, Arms: f.Arms, From: f.From, Runs: f.Runs, Of: f.Of, Took: f.Took}
	for _, on := range f.On {
		out.On = append(out.On, reports.ClusterLabel(on.Facts()))
	}
	out.Findings = told(f.Findings)
	return out
}
