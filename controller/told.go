package controller

import (
	"bytes"

	"github.com/single-writer/chaos/reports"
	"github.com/single-writer/chaos/workload/persistence"
)

// Told is the outcome as the reports want it.
func (o *Outcome) Told() reports.Batch {
	b := o.setting(o.Seed)
	for _, r := range o.Runs {
		b.Runs = append(b.Runs, r.told())
	}
	return b
}

// setting is what the reports say of runs with a seed, whatever came of them.
func (o *Outcome) setting(seed int64) reports.Batch {
	return reports.Batch{
		Scenario: o.Scenario.Name, About: o.Scenario.About, Source: o.Scenario.Source, Cluster: reports.ClusterLabel(o.Cluster),
		Seed: seed, Took: o.Took, Folder: o.Folder, Again: o.Again,
	}
}

func (r Run) told() reports.Run {
	return reports.Run{
		Arm: r.Arm, About: armAbout(r.Arm), Without: r.Without, Folder: r.Folder, History: r.History,
		Report: r.Verdict.Report(), Expected: r.Verdict.Expected, Deviations: r.Verdict.Deviations,
	}
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
func (o *Outcome) story(r Run) []byte {
	var b bytes.Buffer
	reports.StoryPage(&b, o.setting(r.Verdict.Seed), r.told())
	return b.Bytes()
}
