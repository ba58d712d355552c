package checker

import (
	"cmp"
	"slices"
)

// Verdict is what a history says of a property, or of the run as a whole.
type Verdict string

const (
	// Pass: the history speaks of the property, and nothing in it breaks it.
	Pass Verdict = "pass"
	// Fail: the history proves that the property was broken.
	Fail Verdict = "fail"
	// Unknown: the history neither proves the breach nor holds the evidence that a pass rests on.
	Unknown Verdict = "unknown"
	// Vacuous: the history holds nothing that the property speaks of. It counts neither way.
	Vacuous Verdict = "vacuous"
	// NotApplicable: the arm never promised the property.
	NotApplicable Verdict = "n/a"
)

// Result is one property's verdict on one history.
type Result struct {
	Property string  `json:"property"`
	Verdict  Verdict `json:"verdict"`
	// Summary is one plain sentence: what broke, with offsets and money; or what was looked at and found whole.
	Summary string `json:"summary"`
	// Witness are the few events that together prove a failure, in the order of the history.
	Witness []Evidence `json:"witness,omitempty"`
	// Counts say how much was looked at and how much of it was wrong. The witness is always the first one.
	Counts map[string]int `json:"counts,omitempty"`
}

// Evidence is one event of the history that something rests on.
type Evidence struct {
	// Index is the event's index, Line its line in the history file.
	Index int    `json:"index"`
	Line  int    `json:"line"`
	Text  string `json:"text"`
}

// witness gathers evidence in the order of the history, each event once, whatever the order in which it was found.
func (r *Run) witness(indexes ...int) []Evidence {
	var out []Evidence
	for _, i := range indexes {
		if i >= 0 && i < len(r.events) {
			out = append(out, Evidence{Index: i, Line: r.events[i].Line(), Text: r.describe(i)})
		}
	}
	slices.SortFunc(out, func(a, b Evidence) int { return cmp.Compare(a.Index, b.Index) })
	return slices.CompactFunc(out, func(a, b Evidence) bool { return a.Index == b.Index })
}
