package checker

import (
	"fmt"

	"github.com/single-writer/chaos/history"
)

// Report is what a history shows: each property's verdict, the requirements of the scenario, and the run's verdict.
type Report struct {
	// Verdict is of the run: fail if any property fails, else unknown if any is unknown, else vacuous if a requirement has
	// no evidence, the plan did not finish, or no property had anything to speak of, else pass.
	Verdict Verdict `json:"verdict"`
	// Summary is one sentence: the first reason for the verdict.
	Summary string `json:"summary"`
	// Finished tells whether the run came to its end with its plan done.
	Finished   bool     `json:"finished"`
	Properties []Result `json:"properties"`
	Requires   []Met    `json:"requires"`
	Unknowns   Unknowns `json:"unknowns"`
	// Audit is what property fence-audit counts, entry by entry.
	Audit Audit `json:"audit"`
	// Warnings are the reader's.
	Warnings []string `json:"warnings,omitempty"`
}

// Check runs all properties over a history that is well-formed (the reader has validated what it read).
func Check(h *history.History) Report {
	r := NewRun(h)
	rep := Report{Finished: r.ended && r.finished, Warnings: h.Warnings}
	for _, p := range Properties() {
		rep.Properties = append(rep.Properties, p.Check(r))
	}
	rep.Requires = r.Requirements(h.Header.Requires)
	rep.Unknowns = r.unknowns()
	rep.Audit = r.audit()
	rep.decide()
	return rep
}

// decide makes the run's verdict.
func (rep *Report) decide() {
	for _, v := range []Verdict{Fail, Unknown} {
		for _, p := range rep.Properties {
			if p.Verdict == v {
				rep.Verdict, rep.Summary = v, p.Property+": "+p.Summary
				return
			}
		}
	}
	rep.Verdict = Vacuous
	for _, m := range rep.Requires {
		if !m.Met {
			rep.Summary = fmt.Sprintf("The run does not show %q: %s.", m.Requirement, m.Missing)
			return
		}
	}
	if !rep.Finished {
		rep.Summary = "The plan did not finish."
		return
	}
	for _, p := range rep.Properties {
		if p.Verdict == Pass {
			rep.Verdict, rep.Summary = Pass, "Every property that the history speaks of holds."
			return
		}
	}
	rep.Summary = "The history holds nothing that any property speaks of."
}

// Property gives the result of the property of that name.
func (rep Report) Property(name string) (Result, bool) {
	for _, p := range rep.Properties {
		if p.Property == name {
			return p, true
		}
	}
	return Result{}, false
}
