package reports

import (
	"fmt"
	"io"

	"github.com/single-writer/chaos/checker"
)

// Check tells what a recorded history shows: the verdict first, then each property, with the witness of what failed.
func Check(w io.Writer, file string, events int, ended bool, rep checker.Report) {
	state := "whole"
	if !ended {
		state = "cut before its end"
	}
	hanging(w, fmt.Sprintf("%s: %s  ", file, rep.Verdict), rep.Summary)
	fmt.Fprintf(w, "  %d events, %s\n", events, state)
	for _, warning := range rep.Warnings {
		hanging(w, "  warning: ", warning)
	}
	for _, p := range rep.Properties {
		hanging(w, fmt.Sprintf("  %-20s %-8s ", p.Property, p.Verdict), p.Summary)
		if p.Verdict == checker.Fail {
			Witness(w, p)
		}
	}
	for _, m := range rep.Requires {
		if m.Met {
			fmt.Fprintf(w, "  requires %-20s shown\n", m.Requirement)
		} else {
			hanging(w, fmt.Sprintf("  requires %-20s ", m.Requirement), "not shown: "+m.Missing)
		}
	}
}
