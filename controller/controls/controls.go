// Package controls shows that the rig finds what is there to be found: each configuration of the published TLA+ models
// of the fence, done by the rig's own worker.
package controls

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/reports"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// Control is one configuration of the published TLA+ models of the fence, done by the rig: what TLC must find when a guard is
// taken from the model, the rig must find when it is taken from the worker, and what must hold there must hold here. Nobody
// scripts it: a scenario that leaves its plan to the seed is run with one seed after another.
//
// A rig that finds nothing proves something only if it is known to find what is there.
type Control struct {
	// Case is the configuration's name in the models, Declared what their runner declares of it.
	Case, Declared string
	// Scenario is one that leaves its plan to the seed, under the arm Arm. Without are the guards that the configuration is
	// about; Also those that are off with them and without them, since each would do their work.
	Scenario, Arm string
	Without, Also []string
	// Property must fail; a run in which it does, and with the guards does not, ends the search.
	Property string
	// Where no property must fail, all must hold, but for those of May; where Only is not empty, just these.
	May, Only []string
	// Shows is what the case is about: of a case that holds, what some of its runs must have shown, or nothing was tried. Reach
	// makes it what is looked for.
	Shows sight
	Reach bool
	// Seeds is how many are run: all of them where something is to hold, at most so many where something is to be found.
	Seeds int
	// Why says why it comes out so, and where the rig's worker differs from the model's.
	Why string
}

// sight is something that a run can show.
type sight struct {
	says string
	in   func(*history.History, controller.Verdict) bool
}

// Expects is what must come of it, in words.
func (c Control) Expects() string {
	switch {
	case c.Property != "":
		return c.Property + " fails"
	case c.Reach:
		return "reached"
	case len(c.Only) > 0:
		return strings.Join(c.Only, ", ") + " holds"
	case len(c.May) > 0:
		return "all but " + strings.Join(c.May, ", ") + " hold"
	}
	return "all hold"
}

// Searches tells whether something is to be found, and not to hold.
func (c Control) Searches() bool { return c.Property != "" || c.Reach }

// Off are the guards that are taken away.
func (c Control) Off() []string { return append(slices.Clone(c.Also), c.Without...) }

// Command is the command that replays one seed of it.
func (c Control) Command(seed int64) string {
	return fmt.Sprintf("%s --seed %d", controller.CommandWithout(c.Scenario, c.Arm, "sim", c.Off()), seed)
}

// ofBase is how far the seeds of one base are from those of the next: no control needs so many.
const ofBase = 1_000_000

// MostBase is the greatest base whose seeds there are.
const MostBase = 1_000_000_000

// Trial is a control that was tried with the seeds of a base.
type Trial struct {
	Control
	Base int64
	// Tried is how many seeds were run; Seed is the one at which the search ended, and Sentence what it showed: what was looked
	// for, or what should have held. Neither is there when it did not end before its last seed.
	Tried    int
	Seed     int64
	Found    bool
	Sentence string
	// Seen is how many runs showed what the case is about.
	Seen int
	Took time.Duration
}

// AsExpected tells whether it came out as it must.
func (t Trial) AsExpected() bool {
	if t.Searches() {
		return t.Found
	}
	return !t.Found && t.Seen > 0
}

// Exit is its exit code: vacuous is a case that holds and in which nothing was tried.
func (t Trial) Exit() int {
	switch {
	case t.AsExpected():
		return controller.ExitExpected
	case !t.Searches() && !t.Found:
		return controller.ExitVacuous
	}
	return controller.ExitDeviates
}

// Try runs a control with the seeds of a base, so many runs at a time. What comes of it does not depend on how many.
func (c Control) Try(ctx context.Context, on cluster.Cluster, base int64, workers int) (Trial, error) {
	began := time.Now()
	t := Trial{Control: c, Base: base}
	s, err := scenarios.Find(c.Scenario, controller.Vocabulary())
	if err != nil {
		return t, err
	}
	l := looking{Control: c, on: on, scenario: s, room: make([]history.Memory, perWorker*max(1, workers))}
	if l.without, err = persistence.NewArm(c.Arm, c.Off()); err != nil {
		return t, fmt.Errorf("%s: %w", c.Case, err)
	}
	if l.with, err = persistence.NewArm(c.Arm, c.Also); err != nil {
		return t, fmt.Errorf("%s: %w", c.Case, err)
	}
	for t.Tried < c.Seeds && !t.Found {
		looks, err := l.seeds(ctx, base*ofBase+int64(t.Tried)+1, min(len(l.room), c.Seeds-t.Tried))
		if err != nil {
			return t, fmt.Errorf("%s: %w", c.Case, err)
		}
		t.take(looks)
	}
	t.Took = time.Since(began)
	return t, nil
}

// take takes in what some seeds showed, in their order, up to one that ends the search.
func (t *Trial) take(looks []look) {
	for _, l := range looks {
		t.Tried++
		if l.shows {
			t.Seen++
		}
		if l.ends {
			t.Found, t.Seed, t.Sentence = true, l.seed, l.sentence
			return
		}
	}
}

// look is what one run showed.
type look struct {
	seed int64
	// ends: it showed what is looked for, or broke what should hold; the sentence says how.
	ends     bool
	sentence string
	shows    bool
	err      error
}

// looking is a control on its way: what is run, and the memory of the runs that are made at a time, used again and again.
type looking struct {
	Control
	on            cluster.Cluster
	scenario      *scenarios.Scenario
	without, with *persistence.Arm
	room          []history.Memory
}

// perWorker is how many runs a worker is given before the others are waited for.
const perWorker = 4

// seeds runs n seeds from one on, and gives what each showed, in their order.
func (l looking) seeds(ctx context.Context, from int64, n int) ([]look, error) {
	out := make([]look, n)
	var running sync.WaitGroup
	todo := make(chan int)
	for range len(l.room) / perWorker {
		running.Go(func() {
			for i := range todo {
				out[i] = l.once(ctx, from+int64(i), &l.room[i])
			}
		})
	}
	for i := range n {
		todo <- i
	}
	close(todo)
	running.Wait()
	for _, o := range out {
		if o.err != nil {
			return nil, fmt.Errorf("seed %d: %w", o.seed, o.err)
		}
	}
	return out, nil
}

// once looks at one seed.
func (l looking) once(ctx context.Context, seed int64, room *history.Memory) look {
	out := look{seed: seed}
	v, err := l.run(ctx, l.without, seed, room)
	if err != nil {
		out.err = err
		return out
	}
	out.shows = l.Shows.in != nil && l.Shows.in(&room.History, v) && passes(v, l.Only)
	switch p, _ := v.Report().Property(l.Property); {
	case l.Property != "":
		out.ends, out.sentence = p.Verdict == checker.Fail, p.Summary
	case l.Reach:
		out.ends, out.sentence = out.shows, l.Shows.says
	case !v.Expected:
		out.ends, out.sentence = true, v.Deviations[0].Text
	}
	if out.ends && len(l.Without) > 0 {
		// What fails with the guards too is not for want of them.
		if v, out.err = l.run(ctx, l.with, seed, room); out.err == nil {
			out.ends = !slices.Contains(v.Failing(), l.Property)
		}
	}
	return out
}

// passes tells whether the properties were asked and hold: what is asked alone must not have been left out.
func passes(v controller.Verdict, properties []string) bool {
	return !slices.ContainsFunc(properties, func(name string) bool { return v.Properties[name].Verdict != checker.Pass })
}

// run does one run in memory.
func (l looking) run(ctx context.Context, arm *persistence.Arm, seed int64, room *history.Memory) (controller.Verdict, error) {
	j := controller.NewJob(l.scenario, arm, seed)
	room.History = history.History{Header: j.Header(l.on.Facts()), Events: room.Events[:0]}
	if err := controller.Execute(ctx, j, l.on, room); err != nil {
		return controller.Verdict{}, err
	}
	return controller.Judge(&room.History, scenarios.Expectation{Arm: arm.Name, Holds: true, May: l.spared()}), nil
}

// spared are the properties of which a case that holds says nothing.
func (c Control) spared() []string {
	if len(c.Only) == 0 {
		return c.May
	}
	var out []string
	for _, p := range checker.Properties() {
		if !slices.Contains(c.Only, p.Name) {
			out = append(out, p.Name)
		}
	}
	return out
}

// found says in a word or two what came of it.
func (t Trial) found() string {
	switch {
	case t.Searches() && t.Found:
		return "found"
	case t.Searches():
		return "NOT FOUND"
	case t.Found:
		return "BROKEN"
	case t.Seen == 0:
		return "VACUOUS"
	}
	return "nothing"
}

// Told is the trial as the reports want it.
func (t Trial) Told() reports.Control {
	out := reports.Control{
		Case: t.Case, Expected: t.Expects(), Found: t.found(), As: t.AsExpected(), Tried: t.Tried, Of: t.Seeds,
		Took: t.Took, Off: t.Off(), Why: t.Why, Seen: t.Seen, Shows: t.Shows.says, Sentence: t.Sentence,
	}
	if t.Found {
		out.Again = t.Command(t.Seed)
	}
	return out
}
