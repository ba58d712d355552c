package reports

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Shrink is what came of making a failing scenario smaller.
type Shrink struct {
	// What is the run in a few words; Property is what goes on failing, Sentence what the smaller run shows.
	What, Property, Sentence string
	Left                     []Left
	// Schedule is how the smaller run's is drawn, Was how that of the run was.
	Schedule, Was string
	Runs          int
	Took          time.Duration
	// Whole tells that nothing more can be left out; Often of Of further seeds fail in the same way.
	Whole     bool
	Often, Of int
	// Only are the decisions of the schedule that it hangs on, and how many, where that was found out; Beyond tells
	// that it was not looked for, since with several nodes of the store, or a wrong clock, the seed decides more than
	// these.
	Only      string
	Decisions int
	Bare      bool
	Beyond    bool
	// Again is the command that runs the smaller scenario, Folder its run.
	Again, Folder string
	Next          []string
}

// Left is how much of one thing was left of how much.
type Left struct {
	Of            string
	Before, After int
}

// Shrunk tells of it: what was left out in the first line.
func Shrunk(w io.Writer, s Shrink) {
	head := "SMALLER: "
	if len(s.Left) == 0 {
		head = "NOT SMALLER: "
	}
	var parts []string
	for _, l := range s.Left {
		parts = append(parts, fmt.Sprintf("%s %d -> %d", l.Of, l.Before, l.After))
	}
	if s.Schedule != s.Was {
		parts = append(parts, fmt.Sprintf("schedule %s -> %s", orWalk(s.Was), orWalk(s.Schedule)))
	}
	Hanging(w, head, s.What)
	if len(parts) > 0 {
		Hanging(w, "  ", strings.Join(parts, ", "))
	}
	Hanging(w, "  "+s.Property+" fails in the same way: ", s.Sentence)
	end := "nothing more can be left out by itself"
	if !s.Whole {
		end = "more may be left out: the search was ended before it knew"
	}
	Hanging(w, "  ", fmt.Sprintf("%d runs in %s; %s", s.Runs, seconds(s.Took), end))
	switch {
	case s.Beyond:
		Hanging(w, "  ", "on which decisions of the schedule it hangs was not looked for: what the nodes of the store do among each other, and their "+
			"clocks, are the seed's in any case")
	case s.Bare && s.Decisions == 0:
		Hanging(w, "  ", "it hangs on no decision of the schedule: it fails with --decisions none too")
	case s.Bare:
		Hanging(w, "  ", fmt.Sprintf("of the schedule it hangs on %d decisions: it fails with --decisions %s too",
			s.Decisions, s.Only))
	}
	if s.Of > 0 {
		Hanging(w, "  ", fmt.Sprintf("%d of the next %d seeds fail in the same way: %s", s.Often, s.Of,
			hangsOn(s.Often, s.Of)))
	}
	Command(w, "  again: ", s.Again)
	Command(w, "  recorded in ", s.Folder+"/")
	for i, n := range s.Next {
		Command(w, []string{"next: ", "      "}[min(i, 1)], n)
	}
}

func orWalk(schedule string) string {
	if schedule == "" {
		return "walk"
	}
	return schedule
}

// hangsOn says what a failure hangs on that so many seeds have.
func hangsOn(often, of int) string {
	switch {
	case often*10 >= of*9:
		return "it hangs on the plan"
	case often*10 >= of:
		return "it hangs on the plan, and on what comes first"
	}
	return "it hangs on what comes first"
}
