package controller

import (
	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
)

// The exit codes that scripts rely on. 2 is left out: it is what a crashed Go program gives.
const (
	ExitExpected = 0
	ExitDeviates = 1
	ExitVacuous  = 3
	ExitUnknown  = 4
	ExitUsage    = 64
	ExitRig      = 70
)

// worst is the order in which one of several exit codes counts.
var worst = []int{ExitRig, ExitUsage, ExitDeviates, ExitUnknown, ExitVacuous}

// Worst gives the exit code of several.
func Worst(codes ...int) int {
	for _, w := range worst {
		for _, c := range codes {
			if c == w {
				return w
			}
		}
	}
	return ExitExpected
}

// VerdictSchema is the version of verdict.json.
const VerdictSchema = 1

// Verdict is verdict.json: what came of one run.
type Verdict struct {
	Schema   int                  `json:"schema"`
	Scenario string               `json:"scenario"`
	Arm      string               `json:"arm"`
	Without  []string             `json:"without"`
	Cluster  history.ClusterFacts `json:"cluster"`
	Seed     int64                `json:"seed"`
	// Verdict is pass, fail, unknown or vacuous; Expected tells whether the run came out as its scenario states.
	Verdict  checker.Verdict `json:"verdict"`
	Expected bool            `json:"expected"`
	// Summary is the first reason for the verdict, Deviations are what is not as stated.
	Summary    string              `json:"summary"`
	Deviations []checker.Deviation `json:"deviations"`
	// Properties are by name; their order is that of the checker in Report.
	Properties map[string]checker.Result `json:"properties"`
	Requires   []checker.Met             `json:"requires"`
	Unknowns   checker.Unknowns          `json:"unknowns"`
	Audit      checker.Audit             `json:"audit"`
	Warnings   []string                  `json:"warnings,omitempty"`

	report checker.Report
}

// Judge makes the verdict of a history by what its scenario states.
func Judge(h *history.History, e scenarios.Expectation) Verdict {
	report := checker.Check(h)
	v := Verdict{
		Schema: VerdictSchema, Scenario: h.Header.Scenario, Arm: h.Header.Arm, Without: h.Header.Without,
		Cluster: h.Header.Cluster, Seed: h.Header.Seed, Verdict: report.Verdict, Summary: report.Summary,
		Properties: map[string]checker.Result{}, Requires: report.Requires, Unknowns: report.Unknowns, Audit: report.Audit,
		Warnings: report.Warnings, report: report, Deviations: []checker.Deviation{},
	}
	for _, p := range report.Properties {
		v.Properties[p.Property] = p
	}
	v.Deviations = append(v.Deviations, report.Deviations(checker.Expectation{Violates: e.Violates, May: e.May})...)
	v.Expected = len(v.Deviations) == 0
	return v
}

// Report is the checker's own report, with the properties in order.
func (v Verdict) Report() checker.Report { return v.report }

// Failing are the properties that failed, in the checker's order.
func (v Verdict) Failing() []string {
	var out []string
	for _, p := range v.report.Properties {
		if p.Verdict == checker.Fail {
			out = append(out, p.Property)
		}
	}
	return out
}

// Exit is the exit code of the run.
func (v Verdict) Exit() int {
	codes := make([]int, 0, len(v.Deviations))
	for _, d := range v.Deviations {
		switch d.Kind {
		case checker.Unknown:
			codes = append(codes, ExitUnknown)
		case checker.Vacuous:
			codes = append(codes, ExitVacuous)
		default:
			codes = append(codes, ExitDeviates)
		}
	}
	return Worst(codes...)
}
