package controller

import (
	"bytes"

	"github.com/single-writer/chaos/reports"
	"github.com/single-writer/chaos/workload/persistence"
)

// Told is the outcome as the reports want it.
func (b *Batch) Told() reports.Batch {
	told := b.setting(b.Seed)
	for _, r := range b.Runs {
		told.Runs = append(told.Runs, r.told())
	}
	return told
}

// setting is what the reports say of runs with a seed, whatever came of them.
func (b *Batch) setting(seed int64) reports.Batch {
	return reports.Batch{
		Scenario: b.Scenario.Name, About: b.Scenario.About, Source: b.Scenario.Source, Cluster: reports.ClusterLabel(b.Cluster),
		Seed: seed, Took: b.Took, Folder: b.Folder, Again: b.Again, Replays: b.Replays,
	}
}

func (r Run) told() reports.Run {
	if r.summed != nil {
		return *r.summed
	}
	return reports.Run{
		Arm: r.Arm, About: armAbout(r.Arm), Without: r.Without, Folder: r.Folder, History: r.History,
		Report: r.Verdict.Report(), Expected: r.Verdict.Expected, Deviations: r.Verdict.Deviations,
	}
}

// sum keeps of the run what a comparison tells of it.
func (r *Run) sum() {
	summed := r.told().Summed()
	r.summed, r.History = &summed, nil
}

func armAbout(name string) string {
	for _, a := range persistence.Arms() {
		if a.Name == name {
			return a.Name + " is " + a.About
		}
	}
	return name
}

// story is story.md of a run.
func (b *Batch) story(r Run) []byte {
	var page bytes.Buffer
	reports.StoryPage(&page, b.setting(r.Verdict.Seed), r.told())
	return page.Bytes()
}
