package controller

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// Vocabulary is the names that a scenario may use.
func Vocabulary() scenarios.Vocabulary {
	var points []string
	for _, p := range workload.Points() {
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
	Seed    int64
	// Out is the folder for the runs' folders; empty is runs/ and the time.
	Out string
	// Command is how it was asked, for run.json.
	Command []string
	// Open starts the cluster, once, before the first arm.
	Open func(ctx context.Context) (cluster.Cluster, error)
	// Progress is told what is going on, a line at a time.
	Progress func(string)
}

// Outcome is what came of a request.
type Outcome struct {
	Scenario *scenarios.Scenario
	Cluster  history.ClusterFacts
	Seed     int64
	Runs     []Run
	// Took is all of it, Opened how long the cluster took to start.
	Took, Opened time.Duration
}

// Run is what came of one arm.
type Run struct {
	Arm     string
	Without []string
	Folder  string
	History *history.History
	Verdict Verdict
	Took    time.Duration
}

// Exit is the exit code of all.
func (o *Outcome) Exit() int {
	var codes []int
	for _, r := range o.Runs {
		codes = append(codes, r.Verdict.Exit())
	}
	return Worst(codes...)
}

// Do runs a scenario under its arms, one after another on one cluster. Its error is a *Usage, or the rig's own; the runs
// that were done before it are in the outcome all the same.
func Do(ctx context.Context, q Request) (o *Outcome, err error) {
	began := time.Now()
	jobs, s, err := q.jobs()
	if err != nil {
		return nil, &Usage{err}
	}
	o = &Outcome{Scenario: s, Seed: q.Seed}
	if q.Out == "" {
		q.Out = filepath.Join("runs", began.UTC().Format("20060102T150405.000"))
	}
	c, err := q.Open(ctx)
	if err != nil {
		return o, err
	}
	o.Opened, o.Cluster = time.Since(began), c.Facts()
	defer func() {
		err = errors.Join(err, c.Close(context.WithoutCancel(ctx)))
		o.Took = time.Since(began)
	}()
	for _, j := range jobs {
		q.Progress(fmt.Sprintf("%s under %s", s.Name, j.Arm.Name))
		r, err := q.one(ctx, j, c)
		if err != nil {
			return o, err
		}
		o.Runs = append(o.Runs, r)
	}
	return o, nil
}

// jobs finds the scenario and the arms: all mistakes that can be seen before anything is started.
func (q Request) jobs() ([]Job, *scenarios.Scenario, error) {
	s, err := scenarios.Find(q.Scenario, Vocabulary())
	if err != nil {
		return nil, nil, err
	}
	arms := q.Arms
	if len(arms) == 0 {
		arms = s.Arms()
	}
	var jobs []Job
	for _, name := range arms {
		arm, err := persistence.NewArm(name, q.Without)
		if err != nil {
			return nil, nil, err
		}
		if _, ok := s.Expectation(name); !ok {
			return nil, nil, fmt.Errorf("%s states nothing of %s; it does of: %v", s.Name, name, s.Arms())
		}
		jobs = append(jobs, Job{Scenario: s, Arm: arm, Seed: q.Seed})
	}
	return jobs, s, nil
}

// one does one job, in a folder of its own.
func (q Request) one(ctx context.Context, j Job, c cluster.Cluster) (Run, error) {
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
		Schema: 1, Version: Version, Command: q.Command, Scenario: j.Scenario.Name, File: j.Scenario.File, Header: header,
		Began: time.Now().UTC(),
	}
	if err := folder.write("run.json", facts); err != nil {
		return Run{}, err
	}
	recorder, finish, err := folder.history(header)
	if err != nil {
		return Run{}, err
	}
	err = errors.Join(Execute(ctx, j, c, recorder), finish())
	ended := time.Now().UTC()
	facts.Ended, facts.Seconds = &ended, ended.Sub(facts.Began).Seconds()
	if err != nil {
		facts.Error = err.Error()
		return Run{}, errors.Join(fmt.Errorf("%s under %s: %w (what was recorded is in %s)", j.Scenario.Name, j.Arm.Name, err,
			folder.Path), folder.write("run.json", facts))
	}
	h := &recorder.History
	expectation, _ := j.Scenario.Expectation(j.Arm.Name)
	r := Run{
		Arm: j.Arm.Name, Without: j.Arm.Without, Folder: folder.Path, History: h, Verdict: Judge(h, expectation),
		Took: ended.Sub(facts.Began),
	}
	return r, errors.Join(folder.write("run.json", facts), folder.write("plan.json", planFacts(h)),
		folder.write("verdict.json", r.Verdict))
}
