// Package shrink makes the scenario of a run that failed smaller, as long as it fails in the same way.
package shrink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/failure"
	"github.com/single-writer/chaos/controller/replay"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// Request is what `chaos shrink` was asked to do: make the scenario of a recorded run smaller as long as it fails in the same
// way.
type Request struct {
	Run *replay.Recorded
	// Property is the one whose failure is kept; empty is the one that explore would tell of first.
	Property string
	// Seeds is how many seeds are tried with each smaller scenario, the run's own first: what is left out also changes what
	// the seed draws, so that a failure that hangs on a moment comes with another.
	Seeds int
	// Most is how many runs there are at most, from 3 on: the recorded one done again, and the last two. What was found
	// by then is kept.
	Most int
	// On makes the simulator that draws schedules in a way, by the words of a header.
	On func(schedule string) (cluster.Cluster, error)
	// Out is the folder for the smaller scenario and its run; empty is small/ in the folder of the run.
	Out string
	// Command is how it was asked.
	Command []string
	// Look is told now and then what was left out.
	Look func(Left)
}

// Left is how much of one thing is left.
type Left struct {
	Of     string `json:"of"`
	Before int    `json:"before"`
	After  int    `json:"after"`
}

// Shrunk is a smaller scenario.
type Shrunk struct {
	Property    string
	Fingerprint string
	// Sentence is what the smaller run shows.
	Sentence string
	Left     []Left
	// Schedule is the smaller one's, as a header tells it, Was that of the run.
	Schedule, Was string
	Seed          int64
	// Runs is how many were done, Whole that the search came to its end: that nothing more can be left out by itself.
	Runs  int
	Whole bool
	Took  time.Duration
	// Only are the decisions of its schedule that the failure hangs on, as 3-40,77 or none, and Decisions how many
	// these are; Bare tells that they were found.
	Only      string
	Decisions int
	Bare      bool
	// Beyond tells that they were not looked for, since the schedule decides what they do not govern.
	Beyond bool
	// Often is how many of Of further seeds fail in the same way.
	Often, Of int
	// File is the smaller scenario, Folder its run.
	File, Folder string
	Arm          *persistence.Arm
}

// NotReproduced is a failure that a run was recorded with and that does not come again.
type NotReproduced struct {
	Folder, Property string
	Difference       *replay.Difference
}

func (e *NotReproduced) Error() string {
	s := fmt.Sprintf("%s cannot be made smaller: %s failed in it, and does not when it is done again", e.Folder, e.Property)
	if e.Difference != nil {
		s += fmt.Sprintf("\n  from line %d on it is another run: %s", e.Difference.Line, e.Difference.Means)
	}
	return s
}

// Do makes the scenario of a recorded run smaller, and records the smaller run.
func Do(ctx context.Context, q Request) (*Shrunk, error) {
	began := time.Now()
	h := q.Run.History
	if q.Out == "" {
		q.Out = filepath.Join(q.Run.Folder, "small")
	}
	if _, err := os.Lstat(q.Out); err == nil {
		return nil, &controller.Usage{Err: &controller.FolderExists{Path: q.Out}}
	}
	goal, err := q.Run.Goal(q.Property)
	if err != nil {
		return nil, &controller.Usage{Err: err}
	}
	r := &reducer{Request: q, goal: goal}
	r.fails = r.run
	start := trial{q.Run.Job.Scenario, q.Run.Job.Seed, h.Header.Cluster.Schedule}
	if !r.run(ctx, start) {
		if ctx.Err() != nil || r.broken != nil {
			return nil, errors.Join(r.broken, context.Cause(ctx))
		}
		return nil, &controller.Usage{Err: &NotReproduced{q.Run.Folder, goal.Property, q.differs(ctx, start)}}
	}
	small, whole := r.reduce(ctx, start)
	if r.broken != nil {
		return nil, r.broken
	}
	out := &Shrunk{
		Property: goal.Property, Fingerprint: goal.Fingerprint, Left: left(start.scenario, small.scenario), Seed: small.seed,
		Schedule: small.schedule, Was: start.schedule, Whole: whole, Arm: q.Run.Job.Arm,
	}
	if out.Beyond = beyond(small.schedule, small.scenario); !out.Beyond {
		out.Only, out.Decisions, out.Bare = r.decisions(ctx, small)
	}
	out.Often, out.Of = r.often(ctx, small)
	err = r.record(context.WithoutCancel(ctx), small, out)
	out.Runs, out.Took = r.runs, time.Since(began)
	return out, err
}

// differs finds where the run, done again, is another one.
func (q Request) differs(ctx context.Context, start trial) *replay.Difference {
	on, err := q.On(start.schedule)
	if err != nil {
		return nil
	}
	again, err := replay.Replay(ctx, q.Run, on, 1)
	if err != nil {
		return nil
	}
	return again.Difference
}

// trial is one run to try.
type trial struct {
	scenario *scenarios.Scenario
	seed     int64
	schedule string
}

// reducer looks for smaller trials that fail in the same way.
type reducer struct {
	Request
	goal replay.Goal
	// fails tells whether a trial fails by the goal, and by nothing new: it is run.
	fails func(context.Context, trial) bool
	runs  int
	room  history.Memory
	// sentence is what the last trial that fails so shows.
	sentence string
	// broken is an error of the rig's own, by which the search ends.
	broken error
}

// run does a trial.
func (r *reducer) run(ctx context.Context, t trial) bool {
	on, err := r.On(t.schedule)
	if err != nil {
		r.broken = err
		return false
	}
	r.runs++
	j := controller.NewJob(t.scenario, r.Run.Job.Arm, t.seed)
	r.room.History = history.History{Header: j.Header(on.Facts()), Events: r.room.Events[:0]}
	if err := controller.Execute(ctx, j, on, &r.room); err != nil {
		// A scenario that cannot be run is none that fails in the same way. The run's own was run before.
		return false
	}
	e, _ := t.scenario.Expectation(r.Run.Job.Arm.Name)
	kept := false
	for _, p := range failure.ByCause(controller.Judge(&r.room.History, e)) {
		if !slices.Contains(r.goal.Failing, p.Property) {
			return false
		}
		if p.Property == r.goal.Property && failure.Fingerprint(&r.room.History, p) == r.goal.Fingerprint {
			kept, r.sentence = true, p.Summary
		}
	}
	return kept
}

// over tells whether the search is to end.
func (r *reducer) over(ctx context.Context) bool {
	return ctx.Err() != nil || r.broken != nil || r.runs+lastRuns >= r.Most
}

// lastRuns are those that record does: one that gives the sentence for the file, and the one that is recorded.
const lastRuns = 2

// reduce makes the trial smaller until nothing can be left out any more; whole tells that it came so far. Each round goes
// through all kinds of parts, since what one kind leaves out may be what another needed.
func (r *reducer) reduce(ctx context.Context, t trial) (small trial, whole bool) {
	t.scenario = t.scenario.Reducible(strings.TrimSuffix(t.scenario.Name, "-small")+"-small", r.about())
	for changed := true; changed; {
		changed = false
		for _, kind := range scenarios.Reductions() {
			before := kind.Parts(t.scenario)
			var c bool
			if t, c = r.reduceBy(ctx, kind, t); c {
				changed = true
				r.look(Left{kind.Of, before, kind.Parts(t.scenario)})
			}
		}
		if simpler, ok := r.plainer(ctx, t); ok {
			t, changed = simpler, true
		}
	}
	return t, !r.over(ctx)
}

func (r *reducer) look(l Left) {
	if r.Look != nil {
		r.Look(l)
	}
}

// reduceBy leaves out parts of one kind: many at a time first, as in delta debugging (Zeller and Hildebrandt, Simplifying and
// isolating failure-inducing input, IEEE TSE 28(2), 2002), then one at a time.
func (r *reducer) reduceBy(ctx context.Context, kind scenarios.Reduction, t trial) (trial, bool) {
	changed := false
	for size := kind.Parts(t.scenario); size > 0; size /= 2 {
		for from := 0; from < kind.Parts(t.scenario) && !r.over(ctx); {
			parts := kind.Parts(t.scenario)
			to := min(from+size, parts)
			if next, ok := r.kept(ctx, kind.Without(t.scenario, from, to), t); ok && kind.Parts(next.scenario) < parts {
				t, changed = next, true
			} else {
				from = to
			}
		}
	}
	return t, changed
}

// kept tells whether a smaller scenario fails in the same way: with the seed so far, or with another.
func (r *reducer) kept(ctx context.Context, s *scenarios.Scenario, t trial) (trial, bool) {
	if s = r.read(s); s == nil {
		return t, false
	}
	for _, seed := range r.seeds(t.seed) {
		if r.over(ctx) {
			break
		}
		if next := (trial{s, seed, t.schedule}); r.fails(ctx, next) {
			return next, true
		}
	}
	return t, false
}

// seeds are those that are tried: the one of before, the run's own, and the first ones.
func (r *reducer) seeds(now int64) []int64 {
	out := []int64{now}
	for seed := r.Run.Job.Seed; len(out) < max(1, r.Seeds); seed++ {
		if seed != now {
			out = append(out, seed)
		}
	}
	return out
}

// read gives the scenario as it is read from its file, nil where the loader refuses it: what comes out must be one that anyone
// can run.
func (r *reducer) read(s *scenarios.Scenario) *scenarios.Scenario {
	if len(s.Plan) == 0 || len(s.Stages) == 0 || len(s.Workers) == 0 || s.Keys == 0 || s.Partitions == 0 {
		return nil
	}
	again, err := scenarios.Parse(s.Name+".yaml", s.YAML(), controller.Vocabulary())
	if err != nil {
		return nil
	}
	return again
}

// often counts how many of the next hundred seeds, or of as many as may still be run, fail in the same way: what fails
// with nearly all hangs on the plan, and what fails with few on the schedule.
func (r *reducer) often(ctx context.Context, t trial) (often, of int) {
	for of < 100 && !r.over(ctx) {
		of++
		if r.fails(ctx, trial{t.scenario, t.seed + int64(of), t.schedule}) {
			often++
		}
	}
	return often, of
}

func (r *reducer) about() string {
	arm := r.Run.Job.Arm.Name
	if without := r.Run.Job.Arm.Without; len(without) > 0 {
		arm += " without " + strings.Join(without, ", ")
	}
	return fmt.Sprintf("What is left of %s, seed %d, when all is left out that %s does not need to fail under %s in the same way.",
		r.Run.Job.Scenario.Name, r.Run.Job.Seed, r.goal.Property, arm)
}

// left counts what was left out.
func left(before, after *scenarios.Scenario) (out []Left) {
	for _, kind := range scenarios.Reductions() {
		if b, a := kind.Parts(before), kind.Parts(after); b != a {
			out = append(out, Left{kind.Of, b, a})
		}
	}
	return out
}

// record writes the smaller scenario, and its run in a folder beside it.
func (r *reducer) record(ctx context.Context, t trial, out *Shrunk) error {
	if err := os.MkdirAll(r.Out, 0o755); err != nil {
		return fmt.Errorf("make the folder for the smaller scenario: %w", err)
	}
	r.fails(ctx, t)
	out.Sentence = r.sentence
	on, err := r.On(t.schedule)
	if err != nil {
		return err
	}
	out.File = filepath.ToSlash(filepath.Join(r.Out, t.scenario.Name+".yaml"))
	var text bytes.Buffer
	fmt.Fprintf(&text, "# %s\n# %s\n\n", strings.ReplaceAll(out.Sentence, "\n", "\n# "), r.Run.Folder)
	text.Write(t.scenario.YAML())
	s, err := scenarios.Parse(out.File, text.Bytes(), controller.Vocabulary())
	if err != nil {
		return fmt.Errorf("read the smaller scenario again: %w", err)
	}
	if err := (controller.Folder{Path: r.Out}).Put(t.scenario.Name+".yaml", text.Bytes()); err != nil {
		return err
	}
	r.runs++
	q := controller.Request{Out: r.Out, Command: r.Command, Again: "chaos run " + out.File}
	run, err := q.One(ctx, controller.NewJob(s, r.Run.Job.Arm, t.seed), on)
	out.Folder = filepath.ToSlash(run.Folder)
	return err
}
