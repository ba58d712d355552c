package reports

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Control is a configuration of the published models, with what came of it here.
type Control struct {
	Case, Expected, Found string
	As                    bool
	// Tried is of how many seeds something came, or nothing; Of how many there are at most.
	Tried, Of int
	Took      time.Duration
	// Off are the guards that were away; Why says why it comes out so.
	Off []string
	Why string
	// Seen is how many runs showed what the case is about, Shows what that is; empty where it is about nothing but its failure.
	Seen  int
	Shows string
	// Sentence is what the search ended with, Again the command that replays it; empty where it did not.
	Sentence, Again string
}

// Controls tells of them: the answer in the first line, then a table. In full, and of what did not come out as expected in any
// case, each line is followed by what it rests on. Of is how many there should be; fewer are told of when the rig failed.
func Controls(w io.Writer, base int64, all []Control, of int, full, interrupted bool) {
	as, took := 0, time.Duration(0)
	name, expected, found := len("case"), len("expected"), len("found")
	for _, c := range all {
		name, expected, found = max(name, runes(c.Case)), max(expected, runes(c.Expected)), max(found, runes(c.Found))
		took += c.Took
		if c.As {
			as++
		}
	}
	head := headOf("AS EXPECTED: ", "NOT AS EXPECTED: ", as == len(all), len(all) == of, interrupted)
	Hanging(w, head, fmt.Sprintf("%d of %d controls · base %d · sim · %s", as, of, base, seconds(took)))
	row := func(columns ...any) {
		fmt.Fprintf(w, "  %-*s  %-*s  %-*s  %5v  %7v\n",
			append([]any{name, columns[0], expected, columns[1], found, columns[2]}, columns[3:]...)...)
	}
	fmt.Fprintln(w)
	row("case", "expected", "found", "seeds", "seconds")
	for _, c := range all {
		row(c.Case, c.Expected, c.Found, c.Tried, fmt.Sprintf("%.2f", c.Took.Seconds()))
		if full || !c.As {
			c.tell(w)
		}
	}
}

func (c Control) tell(w io.Writer) {
	const margin = "      "
	if len(c.Off) > 0 {
		Hanging(w, margin+"without: ", strings.Join(c.Off, ", "))
	}
	Hanging(w, margin+"why: ", c.Why)
	if c.Shows != "" && c.Sentence == "" {
		Hanging(w, margin+"seen: ", fmt.Sprintf("in %d of %d runs %s", c.Seen, c.Tried, c.Shows))
	}
	if c.Sentence != "" {
		Hanging(w, margin+"found: ", c.Sentence)
		Command(w, margin+"again: ", c.Again)
	}
}
