package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/failure"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/reports"
	"github.com/single-writer/chaos/scenarios"
)

// Soaking is what `chaos soak` was asked to do: scenarios under all their arms, with one seed after another from the first on,
// until the time is up. Of the request, Scenario, Arms, Seeds and Again are each scenario's own.
type Soaking struct {
	controller.Request
	// Scenarios are names of the catalogue or paths; none means the whole catalogue.
	Scenarios []string
	// For is how long runs are begun, once the cluster is ready.
	For time.Duration
	// Workers is how many runs there are at a time; real servers take one.
	Workers int
	// Repeat gives the command that runs a scenario on such a cluster.
	Repeat func(scenario string) string
	// Look is told after each run how far it has come; Of is then 0, as nobody knows.
	Look func(Tally)
}

// Soaked is what came of a soak; soak.json in its folder, and what `chaos soak --json` prints.
type Soaked struct {
	Schema  int                  `json:"schema"`
	Cluster history.ClusterFacts `json:"cluster"`
	// Scenarios are those that were run, Arms how many runs one seed takes: each scenario under each of its arms.
	Scenarios []string `json:"scenarios"`
	Arms      int      `json:"arms"`
	// From is the first seed and To the last; Last is how many of its runs were begun before the time was up.
	From int64 `json:"from"`
	To   int64 `json:"to"`
	Last int   `json:"last"`
	Runs int   `json:"runs"`
	// Failures, Unknown and Vacuous are the runs that were not as stated, Allowed those with a failure that a scenario
	// says may be; Rig are the runs without a verdict.
	Failures int     `json:"failures"`
	Unknown  int     `json:"unknown"`
	Vacuous  int     `json:"vacuous"`
	Allowed  int     `json:"allowed"`
	Rig      int     `json:"rig_errors"`
	Seconds  float64 `json:"seconds"`
	Exit     int     `json:"exit"`
	// Error is why it ended early.
	Error    string     `json:"error,omitempty"`
	Findings []*Finding `json:"findings"`
	Folder   string     `json:"folder"`
	// Again is the command that does it again, as far as the time allows.
	Again string `json:"again"`

	groups groups
	// broken counts the errors of the rig in a row.
	broken int
}

// mostRecorded is how many findings have the folder of a run: more than anybody looks at in a morning, and no full disk.
const mostRecorded = 20

// mostBroken is how many errors of the rig in a row end a soak: the servers have gone, or the machine is not fit.
const mostBroken = 5

// errBroken ends a soak that proves nothing any more.
var errBroken = fmt.Errorf("%d runs one after another failed by an error of the rig", mostBroken)

// part is a scenario under one of its arms.
type part struct {
	controller.Job
	of    *scenarios.Scenario
	again string
}

// Soak soaks. When the context ends, or the rig is broken, what was found so far is returned with the error. It leaves
// soak.md and soak.json in the folder, beside the folders of the runs that first showed a finding.
func Soak(ctx context.Context, q Soaking) (*Soaked, error) {
	parts, out, err := q.parts()
	if err == nil {
		err = q.place()
	}
	if err != nil {
		return nil, &controller.Usage{Err: err}
	}
	q.Progress(fmt.Sprintf("%d scenarios, %d with their arms, from seed %d on, for %s", len(out.Scenarios), out.Arms,
		q.Seed, q.For))
	var all []*scenarios.Scenario
	for _, p := range parts {
		all = append(all, p.of)
	}
	err = controller.OnCluster(ctx, q.Open, all, func(c cluster.Cluster) error {
		out.Cluster = c.Facts()
		return q.soak(ctx, c, parts, out)
	})
	if out.Cluster.Kind == "" {
		_ = os.Remove(q.Out) // made above, and empty
		return nil, err
	}
	out.Exit = exitOf(out.Findings)
	if err != nil {
		out.Exit, out.Error = controller.ExitRig, err.Error()
	}
	var page bytes.Buffer
	out.Told().Markdown(&page)
	folder := controller.Folder{Path: q.Out}
	if unwritten := errors.Join(folder.Put("soak.md", page.Bytes()), folder.Write("soak.json", out)); unwritten != nil {
		err = errors.Join(err, unwritten)
		out.Exit, out.Error = controller.ExitRig, err.Error()
	}
	return out, err
}

// parts finds the scenarios and their arms: all mistakes that can be seen before anything is started.
func (q Soaking) parts() (parts []part, out *Soaked, err error) {
	names := q.Scenarios
	if len(names) == 0 {
		all, err := scenarios.Catalogue(controller.Vocabulary())
		if err != nil {
			return nil, nil, err
		}
		for _, s := range all {
			names = append(names, s.Name)
		}
	}
	out = &Soaked{Schema: 1, From: q.Seed, To: q.Seed, Folder: filepath.ToSlash(q.Out), Again: q.Again,
		groups: groups{by: map[string]*Finding{}}}
	for _, name := range names {
		one := q.Request
		one.Scenario = name
		jobs, s, err := one.Jobs()
		if err != nil {
			return nil, nil, err
		}
		if slices.Contains(out.Scenarios, s.Name) {
			return nil, nil, fmt.Errorf("the scenario %s is given twice; once is enough for as many runs as there is time for", s.Name)
		}
		for _, j := range jobs {
			parts = append(parts, part{j, s, q.Repeat(name)})
		}
		out.Scenarios = append(out.Scenarios, s.Name)
	}
	out.Arms = len(parts)
	return parts, out, nil
}

// place makes the folder: that it cannot be written must not come out in the morning.
func (q Soaking) place() error {
	_, err := os.Lstat(q.Out)
	if err == nil {
		return &controller.FolderExists{Path: q.Out}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(q.Out, 0o755)
	}
	if err != nil {
		return fmt.Errorf("make the folder for what is found: %w", err)
	}
	return nil
}

// soak runs until the time is up.
func (q Soaking) soak(ctx context.Context, c cluster.Cluster, parts []part, out *Soaked) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	began, todo := time.Now(), make(chan work)
	// The simulator repeats a run when all is over; what real servers do is recorded as they do it.
	do := func(j work, m *history.Memory) []*Finding { return j.judged(ctx, m) }
	if out.Cluster.Kind != "sim" {
		do = func(j work, _ *history.Memory) []*Finding { return q.recorded(ctx, j) }
	}
	wait := hunt(q.Workers, todo, do, func(found []*Finding) {
		if ctx.Err() != nil && len(found) == 0 {
			return
		}
		out.took(found)
		if out.Seconds = time.Since(began).Seconds(); q.Look != nil {
			q.Look(Tally{Runs: out.Runs, Failures: out.groups.all(), Took: time.Since(began)})
		}
		if out.broken >= mostBroken {
			stop(errBroken)
		}
	})
	err := q.deal(ctx, todo, c, parts, out)
	wait()
	if err == nil {
		err = context.Cause(ctx)
	}
	out.Findings = append([]*Finding{}, out.groups.sorted()...)
	out.count()
	if out.Cluster.Kind == "sim" {
		// An interrupt ends the soak and not the record of what it has found.
		err = errors.Join(err, record(context.WithoutCancel(ctx), q.Request, out.Findings[:min(len(out.Findings), mostRecorded)]))
	}
	return err
}

// deal hands out the runs, seed by seed. The time begins with the first, so that there is one however short it is.
func (q Soaking) deal(ctx context.Context, todo chan<- work, c cluster.Cluster, parts []part, out *Soaked) error {
	defer close(todo)
	var up <-chan time.Time
	for seed := q.Seed; ; seed++ {
		for i, p := range parts {
			select {
			case todo <- work{controller.NewJob(p.of, p.Arm, seed), Place{c, p.again}}:
				out.To, out.Last = seed, i+1
			case <-up:
				return nil
			case <-ctx.Done():
				return fmt.Errorf("%s with seed %d was not begun: %w", p.Scenario.Name, seed, context.Cause(ctx))
			}
			if up == nil {
				up = time.After(q.For)
			}
		}
	}
}

// recorded does a run in a folder of its own, which stays when it was not as stated: what real servers did once they may
// never do again.
func (q Soaking) recorded(ctx context.Context, j work) (found []*Finding) {
	folder := filepath.Join(q.Out, controller.FolderName(j.Header(j.on.Facts())))
	r, err := j.recorded(ctx, q.Request)
	if err == nil {
		e, _ := j.Scenario.Expectation(j.Arm.Name)
		found = j.findings(failure.Of(r.History, r.Verdict, e))
	}
	if err != nil && ctx.Err() == nil {
		found = append(found, j.finding(failure.OfRig(err)))
	}
	keep := false
	for _, f := range found {
		if !f.Allowed {
			f.Folder, keep = filepath.ToSlash(folder), true
		}
	}
	if keep {
		return found
	}
	if err := os.RemoveAll(folder); err != nil {
		found = append(found, j.finding(failure.OfRig(err)))
	}
	return found
}

// took counts a run. What a scenario allows is a number and no finding: there is always some of it.
func (s *Soaked) took(found []*Finding) {
	s.Runs++
	rig := false
	var dropped []string
	for _, f := range found {
		if f.Allowed {
			s.Allowed++
			continue
		}
		rig = rig || f.Kind == failure.Rig
		if folder := s.keep(f); folder != "" {
			dropped = append(dropped, folder)
		}
	}
	s.drop(dropped)
	s.broken++
	if !rig {
		s.broken = 0
	}
}

// keep adds a finding to its group, and gives the folder of the run that it refers to no more.
func (s *Soaked) keep(f *Finding) (folder string) {
	other := s.groups.add(f)
	if other == nil && len(s.groups.by) > mostRecorded {
		other = f
	}
	if other != nil {
		folder, other.Folder = other.Folder, ""
	}
	return folder
}

// drop removes folders of runs, when all that a run has found is in its groups: another finding may still refer to them.
func (s *Soaked) drop(folders []string) {
	for _, folder := range folders {
		used := false
		for _, f := range s.groups.by {
			used = used || f.Folder == folder
		}
		if !used {
			_ = os.RemoveAll(folder)
		}
	}
}

// count gives the numbers of what is kept.
func (s *Soaked) count() {
	for _, f := range s.Findings {
		switch f.Kind {
		case failure.Rig:
			s.Rig += f.Count
		case string(checker.Unknown):
			s.Unknown += f.Count
		case string(checker.Vacuous):
			s.Vacuous += f.Count
		default:
			s.Failures += f.Count
		}
	}
}

// Told is the soak as the reports want it.
func (s *Soaked) Told() reports.Soak {
	return reports.Soak{
		Scenarios: s.Scenarios, Arms: s.Arms, On: reports.ClusterLabel(s.Cluster), From: s.From, To: s.To, Last: s.Last,
		Runs: s.Runs, Failures: s.Failures, Unknown: s.Unknown, Vacuous: s.Vacuous, Allowed: s.Allowed, Rig: s.Rig,
		Took: time.Duration(s.Seconds * float64(time.Second)), Findings: told(s.Findings), Broken: s.Error,
		Folder: s.Folder, Again: s.Again,
	}
}
