package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/reports"
	"github.com/single-writer/chaos/scenarios"
)

// Search is what `chaos explore` was asked to do: a request of which every seed is run, in memory, on each of its clusters.
type Search struct {
	Request
	On []Place
	// Workers is how many runs there are at a time.
	Workers int
	// Look is told now and then how far it has come.
	Look func(Searched)
}

// Place is a cluster that is searched, with the command that runs the scenario on it: simulated, so that it has nothing to
// close and any number of worlds at a time.
type Place struct {
	cluster.Cluster
	Again string
}

// Searched is how far a search has come.
type Searched struct {
	Runs, Of, Failures int
	Took               time.Duration
}

// Finding is failures that have one fingerprint.
type Finding struct {
	Arm         string   `json:"arm"`
	Without     []string `json:"without"`
	Property    string   `json:"property,omitempty"`
	Fingerprint string   `json:"fingerprint"`
	// Kind is fail, unknown, vacuous, or "rig" for an error of the rig itself. Allowed tells that the scenario says of the
	// property that it may fail under the arm.
	Kind    string `json:"kind"`
	Allowed bool   `json:"allowed"`
	Count   int    `json:"count"`
	// Scenarios are those in which it was seen.
	Scenarios []string `json:"scenarios"`
	// Seed is the first that shows it, Sentence what it shows then, Also the other properties that failed with it.
	Seed     int64    `json:"seed"`
	Sentence string   `json:"sentence"`
	Also     []string `json:"also,omitempty"`
	// Again is the command that replays it, Folder where it was recorded.
	Again  string `json:"again"`
	Folder string `json:"folder,omitempty"`

	work work
}

// work is one run of a search.
type work struct {
	Job
	on Place
}

// kindRig is the kind of a finding that is an error of the rig.
const kindRig = "rig"

// Found is what came of a search.
type Found struct {
	Scenario *scenarios.Scenario
	Arms     []string
	On       []Place
	From     int64
	Findings []*Finding
	Searched
	Folder string
}

// Exit is the exit code: what the scenario allows is no deviation.
func (f *Found) Exit() int { return exitOf(f.Findings) }

func exitOf(findings []*Finding) int {
	var codes []int
	for _, g := range findings {
		switch {
		case g.Allowed:
		case g.Kind == kindRig:
			codes = append(codes, ExitRig)
		case g.Kind == string(checker.Unknown):
			codes = append(codes, ExitUnknown)
		case g.Kind == string(checker.Vacuous):
			codes = append(codes, ExitVacuous)
		default:
			codes = append(codes, ExitDeviates)
		}
	}
	return Worst(codes...)
}

// Explore runs a scenario with many seeds at a time and groups what failed. The groups are the same however many runs there
// are at a time. When the context ends, what was found so far is returned with its error; so is an error of recording.
func Explore(ctx context.Context, q Search) (*Found, error) {
	began := time.Now()
	jobs, s, err := q.first()
	if err != nil {
		return nil, &Usage{err}
	}
	out := &Found{
		Scenario: s, Arms: q.armsOf(jobs), On: q.On, From: q.Seed, Folder: q.Out,
		Searched: Searched{Of: len(jobs) * len(q.On) * max(1, q.Seeds)},
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
			q.Look(out.Searched)
		}
	})
	err = q.deal(ctx, todo, s, jobs)
	wait()
	out.Findings, out.Took = groups.sorted(), time.Since(began)
	if err == nil {
		err = q.record(ctx, out.Findings)
	}
	return out, err
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

// first are the jobs of the first seed, one for each arm: all mistakes that can be seen before anything is started.
func (q Search) first() ([]Job, *scenarios.Scenario, error) {
	if len(q.On) == 0 {
		return nil, nil, errors.New("a search needs a cluster to search")
	}
	one := q.Request
	one.Seeds = 1
	jobs, s, err := one.jobs()
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Lstat(q.Out); err == nil {
		return nil, nil, &FolderExists{q.Out}
	}
	return jobs, s, nil
}

func (q Search) armsOf(jobs []Job) []string {
	var out []string
	for _, j := range jobs {
		out = append(out, j.Arm.Name)
	}
	return out
}

// deal hands out the runs, seed by seed.
func (q Search) deal(ctx context.Context, todo chan<- work, s *scenarios.Scenario, first []Job) error {
	defer close(todo)
	for n := range int64(max(1, q.Seeds)) {
		for _, j := range first {
			for _, on := range q.On {
				select {
				case todo <- work{j.with(s, q.Seed+n), on}:
				case <-ctx.Done():
					return fmt.Errorf("seed %d was not begun: %w", q.Seed+n, context.Cause(ctx))
				}
			}
		}
	}
	return nil
}

// judged does a run and gives what it found: nothing, when it came out as stated and shows nothing that may be.
func (j work) judged(ctx context.Context, m *history.Memory) []*Finding {
	m.History = history.History{Header: j.Header(j.on.Facts()), Events: m.Events[:0]}
	if err := Execute(ctx, j.Job, j.on, m); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return []*Finding{j.broken(err)}
	}
	e, _ := j.Scenario.Expectation(j.Arm.Name)
	return j.findings(&m.History, Judge(&m.History, e), e)
}

// broken is an error of the rig.
func (j work) broken(err error) *Finding {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return j.finding(kindRig, "", "rig: "+withoutNumbers(first), err.Error())
}

// findings are at most two: the first thing that is not as stated, and the first that may be and need not. What fails later
// in the same run mostly follows from it.
func (j work) findings(h *history.History, v Verdict, e scenarios.Expectation) []*Finding {
	var out []*Finding
	failing := v.failed()
	for _, allowed := range []bool{false, true} {
		var of []checker.Result
		for _, r := range failing {
			stated := slices.Contains(e.Violates, r.Property)
			if !stated && slices.Contains(e.May, r.Property) == allowed {
				of = append(of, r)
			}
		}
		if len(of) == 0 {
			continue
		}
		f := j.finding(string(checker.Fail), of[0].Property, fingerprint(h, of[0]), of[0].Summary)
		f.Allowed = allowed
		for _, r := range failing {
			if r.Property != f.Property {
				f.Also = append(f.Also, r.Property)
			}
		}
		out = append(out, f)
	}
	if len(out) > 0 && !out[0].Allowed {
		return out
	}
	for _, d := range v.Deviations {
		print := string(d.Kind) + " " + d.Property + ": " + withoutNumbers(d.Text)
		return append(out, j.finding(string(d.Kind), d.Property, print, d.Text))
	}
	return out
}

func (j work) finding(kind, property, print, sentence string) *Finding {
	return &Finding{
		Arm: j.Arm.Name, Without: append([]string{}, j.Arm.Without...), Property: property, Fingerprint: print, Kind: kind, Count: 1,
		Scenarios: []string{j.Scenario.Name}, Seed: j.Seed, Sentence: sentence, Again: j.again(), work: j,
	}
}

// failed are the results of the properties that failed, the one first whose witness was complete first: what fails by a later
// event may be a consequence, and never a cause.
func (v Verdict) failed() []checker.Result {
	var out []checker.Result
	for _, r := range v.report.Properties {
		if r.Verdict == checker.Fail {
			out = append(out, r)
		}
	}
	last := func(r checker.Result) int {
		if len(r.Witness) == 0 {
			return 0
		}
		return r.Witness[len(r.Witness)-1].Index
	}
	slices.SortStableFunc(out, func(a, b checker.Result) int { return cmp.Compare(last(a), last(b)) })
	return out
}

// withoutNumbers makes texts that differ in numbers alone the same.
func withoutNumbers(text string) string {
	var b strings.Builder
	number := false
	for _, r := range text {
		digit := r >= '0' && r <= '9'
		switch {
		case digit && !number:
			b.WriteByte('#')
		case !digit:
			b.WriteRune(r)
		}
		number = digit
	}
	return b.String()
}

// groups are findings by arm and fingerprint. Adding is the same in any order.
type groups struct{ by map[string]*Finding }

// Of a finding and the one that stood for its group, the one with the smaller seed does; the other is given back.
func (g *groups) add(f *Finding) (other *Finding) {
	key := fmt.Sprint(f.Arm, f.Allowed, f.Fingerprint)
	had, ok := g.by[key]
	if !ok {
		g.by[key] = f
		return nil
	}
	first, other := had, f
	if cmp.Or(cmp.Compare(f.Seed, had.Seed), cmp.Compare(f.Again, had.Again)) < 0 {
		first, other = f, had
	}
	first.Count += other.Count
	first.Scenarios = slices.Compact(slices.Sorted(slices.Values(slices.Concat(first.Scenarios, other.Scenarios))))
	g.by[key] = first
	return other
}

func (g *groups) all() (n int) {
	for _, f := range g.by {
		n += f.Count
	}
	return n
}

// sorted gives the findings, what is not allowed first, then the most frequent.
func (g *groups) sorted() []*Finding {
	out := slices.Collect(maps.Values(g.by))
	rank := func(f *Finding) int {
		if f.Allowed {
			return 1
		}
		return 0
	}
	slices.SortFunc(out, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Arm, b.Arm), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Seed, b.Seed),
			cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	return out
}

// again is the command that replays a run.
func (j work) again() string {
	s := fmt.Sprintf("%s --arm %s", j.on.Again, j.Arm.Name)
	for _, g := range j.Arm.Without {
		s += " --without " + g
	}
	return fmt.Sprintf("%s --seed %d", s, j.Seed)
}

// record runs the first seed of each finding again, into the folder of a run. One seed that shows two things is recorded once.
func (q Request) record(ctx context.Context, findings []*Finding) error {
	done := map[string]string{}
	for _, f := range findings {
		if f.Kind == kindRig {
			continue // There is no verdict to record; the command shows the error again.
		}
		path, ok := done[f.Again]
		if !ok {
			r, err := q.one(ctx, f.work.Job, f.work.on)
			if err == nil {
				err = f.work.tell(r)
			}
			if err != nil {
				return err
			}
			path, done[f.Again] = r.Folder, r.Folder
		}
		f.Folder = filepath.ToSlash(path)
	}
	return nil
}

// tell writes the story of a run into its folder.
func (j work) tell(r Run) error {
	b := Batch{Scenario: j.Scenario, Cluster: j.on.Facts(), Seed: j.Seed, Again: j.on.Again}
	return Folder{r.Folder}.put("story.md", b.story(r))
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

func told(findings []*Finding) (out []reports.Finding) {
	for _, g := range findings {
		out = append(out, reports.Finding{
			Arm: g.Arm, Without: g.Without, Property: g.Property, Kind: g.Kind, Allowed: g.Allowed, Count: g.Count, Scenarios: g.Scenarios,
			Seed: g.Seed, Sentence: g.Sentence, Also: g.Also, Again: g.Again, Folder: g.Folder,
		})
	}
	return out
}
