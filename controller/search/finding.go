package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/failure"
	"github.com/single-writer/chaos/reports"
)

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

// finding is a failure that this run has shown.
func (j work) finding(of failure.Failure) *Finding {
	return &Finding{
		Arm: j.Arm.Name, Without: append([]string{}, j.Arm.Without...), Property: of.Property,
		Fingerprint: of.Fingerprint, Kind: of.Kind,
		Allowed: of.Allowed, Count: 1, Scenarios: []string{j.Scenario.Name}, Seed: j.Seed, Sentence: of.Sentence,
		Also: of.Also, Again: j.again(), work: j,
	}
}

func (j work) findings(of []failure.Failure) (out []*Finding) {
	for _, f := range of {
		out = append(out, j.finding(f))
	}
	return out
}

// exitOf is the exit code of what was found: what a scenario allows is no deviation.
func exitOf(findings []*Finding) int {
	var codes []int
	for _, g := range findings {
		switch {
		case g.Allowed:
		case g.Kind == failure.Rig:
			codes = append(codes, controller.ExitRig)
		case g.Kind == string(checker.Unknown):
			codes = append(codes, controller.ExitUnknown)
		case g.Kind == string(checker.Vacuous):
			codes = append(codes, controller.ExitVacuous)
		default:
			codes = append(codes, controller.ExitDeviates)
		}
	}
	return controller.Worst(codes...)
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
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Arm, b.Arm), cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Seed, b.Seed),
			cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	return out
}

// record runs the first seed of each finding again, into the folder of a run. One seed that shows two things is recorded once.
func record(ctx context.Context, q controller.Request, findings []*Finding) error {
	done := map[string]string{}
	for _, f := range findings {
		if f.Kind == failure.Rig {
			continue // There is no verdict to record; the command shows the error again.
		}
		path, ok := done[f.Again]
		if !ok {
			r, err := f.work.recorded(ctx, q)
			if err != nil {
				return err
			}
			path, done[f.Again] = r.Folder, r.Folder
		}
		f.Folder = filepath.ToSlash(path)
	}
	return nil
}

func told(findings []*Finding) (out []reports.Finding) {
	for _, g := range findings {
		out = append(out, reports.Finding{
			Arm: g.Arm, Without: g.Without, Property: g.Property, Kind: g.Kind, Allowed: g.Allowed, Count: g.Count,
			Scenarios: g.Scenarios, Seed: g.Seed, Sentence: g.Sentence, Also: g.Also, Again: g.Again, Folder: g.Folder,
		})
	}
	return out
}
