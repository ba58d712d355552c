package reports

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Search is what came of running many seeds of a scenario.
type Search struct {
	Scenario string
	// On is what it ran on: the simulator, once for each way of drawing a schedule.
	Arms, On []string
	From     int64
	// Runs is how many were done of how many.
	Runs, Of int
	Took     time.Duration
	Findings []Finding
	// Broken is why it ended early; empty when it did not.
	Broken string
}

// Finding is failures of one shape.
type Finding struct {
	Arm      string
	Without  []string
	Property string
	// Kind is fail, unknown, vacuous or rig; Allowed tells that the scenario says of the property that it may fail.
	Kind    string
	Allowed bool
	Count   int
	// Scenarios are those in which it was seen; Seed is the first that shows it.
	Scenarios     []string
	Seed          int64
	Sentence      string
	Also          []string
	Again, Folder string
}

// Explored tells of a search: the answer in the first line, then each finding with the command that replays it.
func Explored(w io.Writer, s Search) {
	odd, allowed := 0, 0
	for _, f := range s.Findings {
		if f.Allowed {
			allowed++
		} else {
			odd++
		}
	}
	head := "NOTHING FOUND: "
	switch {
	case s.Broken != "":
		head = "NOT FINISHED: "
	case odd > 0:
		head = "FOUND: "
	case allowed > 0:
		head = "AS EXPECTED: "
	}
	seconds := s.Took.Seconds()
	Hanging(w, head, fmt.Sprintf("%s · %s · %s", s.Scenario, strings.Join(s.Arms, ", "), strings.Join(s.On, ", ")))
	Hanging(w, "  ", fmt.Sprintf("%d of %d runs from seed %d on, in %.1f s (%.0f a second): %d kinds of failure that the scenario does not state, %d that it allows",
		s.Runs, s.Of, s.From, seconds, float64(s.Runs)/max(seconds, 0.001), odd, allowed))
	for _, f := range s.Findings {
		f.tell(w)
	}
	if s.Broken != "" {
		Hanging(w, "\nended early: ", s.Broken)
	}
}

func (f Finding) tell(w io.Writer) {
	fmt.Fprintln(w)
	Hanging(w, "  ", fmt.Sprintf("%s · %s · %s, first with seed %d", f.what(), f.arm(), runCount(f.Count), f.Seed))
	first, _, _ := strings.Cut(f.Sentence, "\n")
	Hanging(w, "      ", first)
	if len(f.Scenarios) > 1 {
		Hanging(w, "      seen in: ", strings.Join(f.Scenarios, ", "))
	}
	if len(f.Also) > 0 {
		Hanging(w, "      with it: ", strings.Join(f.Also, ", "))
	}
	Command(w, "      again: ", f.Again)
	if f.Folder != "" {
		Command(w, "      recorded in ", f.Folder+"/")
		// Only the simulator does hundreds of runs in seconds.
		if f.Kind == "fail" && !strings.Contains(f.Again, " --cluster ") {
			Command(w, "      smaller: chaos shrink ", f.Folder)
		}
	}
}

// what is the property that failed, or what else kept the run from being as stated.
func (f Finding) what() string {
	what := f.Property
	if f.Kind != "fail" {
		what = strings.TrimSpace(f.Kind + " " + f.Property)
	}
	if f.Allowed {
		what += " (may fail)"
	}
	return what
}

func (f Finding) arm() string {
	if len(f.Without) > 0 {
		return f.Arm + " without " + strings.Join(f.Without, ", ")
	}
	return f.Arm
}
