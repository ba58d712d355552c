package controller

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/reports"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// Vocabulary is the names that a scenario may use.
func Vocabulary() scenarios.Vocabulary {
	var points []string
	for _, p := range history.Points() {
		points = append(points, p.Name)
	}
	return scenarios.Vocabulary{
		Points: points, Properties: checker.PropertyNames(), Faults: nemesis.FaultNames(), Arms: persistence.ArmNames(),
		Requirement: func(text string) error {
			_, err := checker.ParseRequirement(text)
			return err
		},
	}
}

// Usage is a mistake of whoever asked: nothing was run.
type Usage struct{ Err error }

func (u *Usage) Error() string { return u.Err.Error() }
func (u *Usage) Unwrap() error { return u.Err }

// Request is what `chaos run` was asked to do.
type Request struct {
	// Scenario is a name of the catalogue or a path.
	Scenario string
	// Arms are the arms to run; none means each that the scenario states an expectation for.
	Arms    []string
	Without []string
	// Seed is the first seed, Seeds how many there are from it on; 0 is one.
	Seed  int64
	Seeds int
	// Out is the folder for the runs' folders; empty is runs/ and the time.
	Out string
	// Kind is the kind of cluster that Open starts: it is part of the folders' names, and by it a folder that is there
	// already is found before anything is started.
	Kind string
	// Command is how it was asked, for run.json. Again is the command that runs the scenario on such a cluster, to which
	// arms, guards and a seed can be added: stories end with it.
	Command []string
	Again   string
	// Open starts the cluster, once, before the first arm.
	Open Opener
	// Progress is told what is going on, a line at a time.
	Progress func(string)

	// Replays tells that Again repeats the one run as it is.
	Replays bool

	// sum lets each run's history go when its story is written.
	sum bool
}

// Batch is what came of a request.
type Batch struct {
	Scenario *scenarios.Scenario
	Cluster  history.ClusterFacts
	Seed     int64
	Runs     []Run
	// Folder is the folder of the runs' folders, Again and Replays are the request's.
	Folder, Again string
	Replays       bool
	Took          time.Duration
}

// Run is what came of one arm.
type Run struct {
	Arm     string
	Without []string
	Folder  string
	History *history.History
	Verdict Verdict
	Took    time.Duration

	// summed stands for the history where that was let go.
	summed *reports.Run
}

// runError is the failure of one run; where it was recorded all is well.
type runError struct{ error }

func (e *runError) Unwrap() error { return e.error }

// Exit is the exit code of all.
func (b *Batch) Exit() int {
	var codes []int
	for _, r := range b.Runs {
		codes = append(codes, r.Verdict.Exit())
	}
	return Worst(codes...)
}

// Do runs a scenario under its arms, one after another on one cluster. Its error is a *Usage, or the rig's own; the runs
// that were done before it are in the outcome all the same.
func Do(ctx context.Context, q Request) (b *Batch, err error) {
	began := time.Now()
	jobs, s, err := q.Jobs()
	if err != nil {
		return nil, &Usage{err}
	}
	if q.Out == "" {
		q.Out = filepath.Join("runs", began.UTC().Format("20060102T150405.000"))
	}
	b = &Batch{Scenario: s, Seed: q.Seed, Folder: q.Out, Again: q.Again, Replays: q.Replays}
	for _, j := range jobs {
		if err := Vacant(q.Out, j.Header(history.ClusterFacts{Kind: q.Kind})); err != nil {
			return b, &Usage{err}
		}
	}
	q.Progress(fmt.Sprintf("%s under %s: getting the cluster ready", s.Name, armNames(jobs)))
	defer func() { b.Took = time.Since(began) }()
	return b, OnCluster(ctx, q.Open, []*scenarios.Scenario{s}, func(c cluster.Cluster) error {
		b.Cluster = c.Facts()
		var failed error
		for _, j := range jobs {
			if ctx.Err() != nil {
				return errors.Join(failed, fmt.Errorf("%s under %s was not begun: %w", s.Name, j.Arm.Name, context.Cause(ctx)))
			}
			q.Progress(j.Label())
			r, err := q.One(ctx, j, c)
			var run *runError
			switch {
			case errors.As(err, &run) && b.Cluster.Kind == "sim" && ctx.Err() == nil:
				// Each simulated run has a world of its own: what went wrong in this one is not in the way of the next.
				failed = errors.Join(failed, err)
				continue
			case err != nil:
				return errors.Join(failed, err)
			}
			b.Runs = append(b.Runs, r)
			if q.sum {
				b.Runs[len(b.Runs)-1].sum()
			}
		}
		return failed
	})
}

// Opener opens a cluster that has at least so many servers.
type Opener func(ctx context.Context, needed cluster.Size) (cluster.Cluster, error)

// OnCluster starts a cluster on which all the scenarios can be run, does something on it, and closes it: an error of that is
// told beside the other.
func OnCluster(ctx context.Context, open Opener, all []*scenarios.Scenario, do func(cluster.Cluster) error) (err error) {
	var needed cluster.Size
	for _, s := range all {
		needed = needed.With(SizeFor(s))
	}
	c, err := open(ctx, needed)
	var small *cluster.TooSmall
	if errors.As(err, &small) {
		return tooSmall(all, small.There, err)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("while the cluster was made ready: %w", err)
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, c.Close(context.WithoutCancel(ctx))) }()
	return do(c)
}

// SizeFor is the least cluster that a scenario can be run on.
func SizeFor(s *scenarios.Scenario) cluster.Size {
	return cluster.Size{Kafka: s.Cluster.Kafka, Cassandra: s.Cluster.Cassandra}
}

// tooSmall says, of an error about a cluster that is too small, where it stands that more is needed.
func tooSmall(all []*scenarios.Scenario, there cluster.Size, err error) error {
	for _, s := range all {
		if !there.Serves(SizeFor(s)) {
			return fmt.Errorf("%s: %w", s.Cluster.Where, err)
		}
	}
	return err
}

// Jobs finds the scenario and the arms: all mistakes that can be seen before anything is started.
func (q Request) Jobs() ([]Job, *scenarios.Scenario, error) {
	s, err := scenarios.Find(q.Scenario, Vocabulary())
	if err != nil {
		return nil, nil, err
	}
	arms := q.Arms
	if len(arms) == 0 {
		arms = s.Arms()
	}
	var jobs []Job
	for i, name := range arms {
		arm, err := persistence.NewArm(name, q.Without)
		if err != nil {
			return nil, nil, q.armed(err, s)
		}
		if _, ok := s.Expectation(name); !ok {
			return nil, nil, fmt.Errorf("%s states nothing of %s; it does of: %s", s.Name, name, strings.Join(s.Arms(), ", "))
		}
		if slices.Contains(arms[:i], name) {
			return nil, nil, fmt.Errorf("the arm %s is given twice; one run of it says it all", name)
		}
		jobs = append(jobs, NewJob(s, arm, q.Seed))
	}
	for _, name := range q.Without {
		if g, _ := persistence.FindGuard(name); !hasWork(g.Needs, s) {
			return nil, nil, fmt.Errorf("%s has nothing to do in %s, so that a run without it shows nothing: it needs a worker "+
				"with {%s}, as in %s", name, s.Name, g.Needs, shownIn(name))
		}
	}
	// Seed by seed, so that runs with the same seed come one after another.
	for n := range max(1, q.Seeds) - 1 {
		for _, j := range jobs[:len(arms)] {
			jobs = append(jobs, NewJob(s, j.Arm, q.Seed+int64(n+1)))
		}
	}
	return jobs, s, nil
}

// hasWork tells whether a guard that needs a setting of the workers has anything to do in a scenario.
func hasWork(needs persistence.Setting, s *scenarios.Scenario) bool {
	switch needs {
	case persistence.RestoreEvents:
		return s.Has(func(c workload.Config) bool { return c.RestoreEvents })
	case persistence.FlushApart:
		return s.Has(func(c workload.Config) bool { return c.FlushApart })
	}
	return true
}

// shownIn names the scenarios that show a guard.
func shownIn(guard string) string {
	var names []string
	for _, d := range Demonstrations() {
		if d.Guard == guard && !slices.Contains(names, d.Scenario) {
			names = append(names, d.Scenario)
		}
	}
	return strings.Join(names, " and ")
}

// armed adds to an error about a guard which arms of the scenario can do without it: nobody who leaves the arm out can know.
func (q Request) armed(err error, s *scenarios.Scenario) error {
	if len(q.Arms) > 0 || len(q.Without) == 0 {
		return err
	}
	var can []string
	for _, name := range s.Arms() {
		if _, err := persistence.NewArm(name, q.Without); err == nil {
			can = append(can, "--arm "+name)
		}
	}
	if len(can) == 0 {
		return err
	}
	return fmt.Errorf("%w\n  name an arm that has it: %s", err, strings.Join(can, ", "))
}

// armNames are the arms of the jobs, each once.
func armNames(jobs []Job) string {
	var names []string
	for _, j := range jobs {
		if !slices.Contains(names, j.Arm.Name) {
			names = append(names, j.Arm.Name)
		}
	}
	return strings.Join(names, ", ")
}

// One does one job of a request, in a folder of its own, with all that a run leaves behind.
func (q Request) One(ctx context.Context, j Job, c cluster.Cluster) (Run, error) {
	header := j.Header(c.Facts())
	folder, err := newFolder(q.Out, header)
	if err != nil {
		var exists *FolderExists
		if errors.As(err, &exists) {
			return Run{}, &Usage{err}
		}
		return Run{}, err
	}
	facts := RunFacts{
		Schema: 1, Version: Version, Build: Build(), Command: q.Command, Scenario: j.Scenario.Name,
		File: j.Scenario.File, Drawn: j.Drawn, Digest: Digest(j.text()), Header: header, Began: time.Now().UTC(),
	}
	if err := errors.Join(folder.Write("run.json", facts), folder.Put("scenario.yaml", j.text())); err != nil {
		return Run{}, err
	}
	recorder, finish, err := folder.history(header)
	if err != nil {
		return Run{}, err
	}
	h := &recorder.History
	err = Execute(ctx, j, c, recorder)
	if unwritten := finish(); unwritten != nil {
		err = errors.Join(err, unwritten)
	} else if err != nil {
		err = &runError{err}
	}
	ended := time.Now().UTC()
	facts.Ended, facts.Seconds = &ended, ended.Sub(facts.Began).Seconds()
	if nemesis.Unfit(err) {
		err = &Usage{fmt.Errorf("the plan asks for what cannot be: %w", err)}
	}
	if err != nil {
		facts.Error = err.Error()
		return Run{}, errors.Join(fmt.Errorf("%s under %s: %w (what was recorded is in %s)", j.Scenario.Name, j.Arm.Name, err,
			folder.Path), folder.Write("run.json", facts), folder.Write("plan.json", PlanOf(h)))
	}
	expectation, _ := j.Scenario.Expectation(j.Arm.Name)
	r := Run{
		Arm: j.Arm.Name, Without: j.Arm.Without, Folder: folder.Path, History: h, Verdict: Judge(h, expectation),
		Took: ended.Sub(facts.Began),
	}
	b := Batch{Scenario: j.Scenario, Cluster: c.Facts(), Seed: j.Seed, Again: q.Again, Replays: q.Replays}
	return r, errors.Join(folder.Write("run.json", facts), folder.Write("plan.json", PlanOf(h)),
		folder.Write("verdict.json", r.Verdict), folder.Put("story.md", b.story(r)))
}
