package checker

import (
	"fmt"
	"slices"
)

// Expectation is what a scenario states of one arm: nothing, where nothing may fail.
type Expectation struct {
	// Violates are the properties that must fail, all of them; May are those that are allowed to, and need not.
	Violates, May []string
}

// Deviation is one way in which a run did not come out as stated.
type Deviation struct {
	// Kind is fail where the run shows the contrary of what was stated (a property failed that must hold, or did not fail
	// that must), unknown where it could not be decided, and vacuous where the run did not try.
	Kind Verdict `json:"kind"`
	// Property is empty where the run as a whole is meant.
	Property string `json:"property,omitempty"`
	Text     string `json:"text"`
}

// Deviations says where the run did not come out as stated.
//
// A property of Violates must fail; one of May may have any verdict; every other one must hold. One that must hold and is
// vacuous or not applicable is no deviation, but for progress: an arm that never moved keeps every other promise. Unknown
// is a deviation of its own kind. So is every requirement of the scenario that the run does not show, whatever failed: an
// arm that was never put to the test must not read as safe, nor one as broken by what the scenario is not about.
func (rep Report) Deviations(e Expectation) []Deviation {
	var out []Deviation
	add := func(kind Verdict, property, format string, args ...any) {
		out = append(out, Deviation{kind, property, fmt.Sprintf(format, args...)})
	}
	for _, p := range rep.Properties {
		must := slices.Contains(e.Violates, p.Property)
		switch {
		case slices.Contains(e.May, p.Property), must && p.Verdict == Fail:
		case must && p.Verdict == Unknown:
			add(Unknown, p.Property, "%s should be violated and could not be decided: %s", p.Property, p.Summary)
		case must:
			add(Fail, p.Property, "%s should be violated and is %s", p.Property, p.Verdict)
		case p.Verdict == Fail:
			add(Fail, p.Property, "%s should hold and is violated: %s", p.Property, p.Summary)
		case p.Verdict == Unknown:
			add(Unknown, p.Property, "%s could not be decided: %s", p.Property, p.Summary)
		case p.Verdict == Vacuous && p.Property == Progress:
			add(Vacuous, p.Property, "nothing is known of progress: %s", p.Summary)
		}
	}
	for _, name := range slices.Concat(e.Violates, e.May) {
		if _, ok := rep.Property(name); !ok {
			add(Fail, name, "there is no property %q", name)
		}
	}
	for _, m := range rep.Requires {
		if !m.Met {
			add(Vacuous, "", "the run does not show %q, which its scenario requires: %s", m.Requirement, m.Missing)
		}
	}
	if !rep.Finished {
		add(Vacuous, "", "the plan did not finish")
	}
	if rep.Verdict == Vacuous && len(out) == 0 {
		add(Vacuous, "", "the run shows nothing: %s", rep.Summary)
	}
	return out
}
