package reports

import (
	"fmt"
	"io"
	"strings"
)

// Demonstration is one guard, with what came of the run with it and of the one without.
type Demonstration struct {
	Guard, Arm, Prevents, Scenario string
	// Also are guards that were off in both runs.
	Also []string
	// With says how the run with the guard came out, Failing which properties failed without it.
	With    string
	Failing []string
	// Shown tells whether the guard was seen at work; Must is the property that had to fail without it.
	Shown bool
	Must  string
	// Again is the command that repeats the run without the guard.
	Again string
}

// Guards tells of the guards: the answer in the first line, then a table, two or three lines a guard. Of is how many there
// should be; fewer are told of when the rig failed.
func Guards(w io.Writer, where string, all []Demonstration, of int, interrupted bool) {
	shown := 0
	guard, arm, scenario := len("guard"), len("arm"), len("scenario")
	for _, d := range all {
		guard, arm, scenario = max(guard, runes(d.Guard)), max(arm, runes(d.Arm)), max(scenario, runes(d.Scenario))
		if d.Shown {
			shown++
		}
	}
	head := headOf("EVERY GUARD IS SHOWN: ", "NOT SHOWN: ", shown == len(all), len(all) == of, interrupted)
	Hanging(w, head, fmt.Sprintf("%d of %d · %s", shown, of, where))
	row := func(columns ...any) {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %-*s  %-*s  %-*s  %-7s  %s",
			append([]any{guard, columns[0], arm, columns[1], scenario, columns[2]}, columns[3:]...)...), " "))
	}
	fmt.Fprintln(w)
	row("guard", "arm", "scenario", "with it", "shown")
	for _, d := range all {
		d.tell(w, row)
	}
}

// headOf begins the answer of a table: whether all of it is there goes before whether it is good.
func headOf(good, bad string, is, complete, interrupted bool) string {
	switch {
	case complete && is:
		return good
	case complete:
		return bad
	case interrupted:
		return "INTERRUPTED: "
	}
	return "THE RIG FAILED: "
}

func (d Demonstration) tell(w io.Writer, row func(...any)) {
	const margin = "      "
	row(d.Guard, d.Arm, d.Scenario, d.With, yes(d.Shown))
	Hanging(w, margin+"prevents ", d.Prevents)
	failing := "nothing"
	if len(d.Failing) > 0 {
		failing = strings.Join(d.Failing, ", ")
	}
	Hanging(w, margin+"fails without it: ", failing)
	if len(d.Also) > 0 {
		Hanging(w, margin+"off in both: ", strings.Join(d.Also, ", ")+", which would do its work here")
	}
	if !d.Shown {
		Hanging(w, margin+"must fail without it: ", d.Must)
		Command(w, margin+"again: ", d.Again)
	}
}
