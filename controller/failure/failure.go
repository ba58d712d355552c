// Package failure says what a run shows that is not as its scenario states, or that may be and need not, and when two runs
// fail in the same way.
package failure

import (
	"cmp"
	"slices"
	"strings"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
)

// Failure is one thing that a run shows.
type Failure struct {
	// Kind is fail, unknown, vacuous, or Rig for an error of the rig itself.
	Kind string
	// Property is the one that it is about; empty where it is about none.
	Property string
	// Fingerprint is the same for failures of one kind, Sentence what this one shows.
	Fingerprint, Sentence string
	// Allowed tells that the scenario says of the property that it may fail under the arm.
	Allowed bool
	// Also are the other properties that failed with it.
	Also []string
}

// Rig is the kind of an error of the rig.
const Rig = "rig"

// OfRig is an error of the rig.
func OfRig(err error) Failure {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return Failure{Kind: Rig, Fingerprint: "rig: " + withoutNumbers(first), Sentence: err.Error()}
}

// Of gives at most two failures of a run: the first thing that is not as stated, and the first that may be and need not. What
// fails later in the same run mostly follows from it.
func Of(h *history.History, v controller.Verdict, e scenarios.Expectation) []Failure {
	var out []Failure
	failing := ByCause(v)
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
		f := Failure{
			Kind: string(checker.Fail), Property: of[0].Property, Fingerprint: Fingerprint(h, of[0]),
			Sentence: of[0].Summary, Allowed: allowed,
		}
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
		return append(out, Failure{Kind: string(d.Kind), Property: d.Property, Fingerprint: print, Sentence: d.Text})
	}
	return out
}

// ByCause are the results of the properties that failed, the one first whose witness was complete first: what fails by a later
// event may be a consequence, and never a cause.
func ByCause(v controller.Verdict) []checker.Result {
	var out []checker.Result
	for _, r := range v.Report().Properties {
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
