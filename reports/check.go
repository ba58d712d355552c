package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
)

// Check tells what a recorded history shows: the answer first, then what was read, then each property, with the witness of
// what failed.
func Check(w io.Writer, file string, h *history.History, rep checker.Report) {
	Hanging(w, checkAnswer(rep)+"  ", checkWhat(rep))
	state := "whole"
	if !h.Ended() {
		state = "cut before its end"
	}
	fmt.Fprintf(w, "  %s\n", file)
	arm := Run{Arm: h.Header.Arm, Without: h.Header.Without}
	Hanging(w, "  ", fmt.Sprintf("%s · %s · %s · seed %d · %d events, %s", h.Header.Scenario, arm.Label(), h.Header.Cluster.Kind,
		h.Header.Seed, len(h.Events), state))
	for _, warning := range rep.Warnings {
		Hanging(w, "  warning: ", warning)
	}
	for _, p := range rep.Properties {
		Hanging(w, fmt.Sprintf("  %-20s %-8s ", p.Property, p.Verdict), p.Summary)
		if p.Verdict == checker.Fail {
			Witness(w, p)
		}
		if p.Property == checker.FenceAudit {
			audited(w, rep.Audit)
		}
	}
	requires(w, rep)
}

// checkAnswer is the verdict in a word: a history has no expectation to be held against.
func checkAnswer(rep checker.Report) string {
	switch rep.Verdict {
	case checker.Fail:
		return "VIOLATED"
	case checker.Unknown:
		return "UNKNOWN "
	}
	return "HOLDS   "
}

// checkWhat names what the word speaks of; the sentence to each stands with the property, and is not said here.
func checkWhat(rep checker.Report) string {
	switch rep.Verdict {
	case checker.Pass:
		return rep.Summary
	case checker.Vacuous:
		return "Nothing is violated, and little was tried: " + rep.Summary
	}
	return strings.Join(names(rep, rep.Verdict), ", ")
}

// requires lists what the scenario requires a run to show.
func requires(w io.Writer, rep checker.Report) {
	wide := 18
	for _, m := range rep.Requires {
		wide = max(wide, runes(m.Requirement))
	}
	for _, m := range rep.Requires {
		head := fmt.Sprintf("  requires %-*s ", wide, m.Requirement)
		if !m.Met {
			Hanging(w, head+"not shown: ", m.Missing)
			continue
		}
		Hanging(w, head, "shown"+lines(linesOf(m.Evidence)...))
	}
}
