package reports

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Replay is what came of doing a recorded run again in the simulator.
type Replay struct {
	// What is the run in a few words, Folder where it was recorded.
	What, Folder string
	// Lines are the lines that were recorded, Whole that the run came to its end; Times is how often it was done, in Took.
	Lines int
	Whole bool
	Times int
	Took  time.Duration
	// Differs is the first line that is not the same, 0 when all are; Recorded and Here are the two lines, In what differs in
	// them, and Means what that tells.
	Differs        int
	Recorded, Here string
	In             []string
	Means          string
	// Shows is what the run shows, Said what the checker says otherwise than was recorded.
	Shows, Said []string
	// Next are commands worth trying.
	Next []string
}

// Replayed tells of a replay: the answer in the first line.
func Replayed(w io.Writer, r Replay) {
	if r.Differs > 0 {
		Hanging(w, "DIFFERENT: ", fmt.Sprintf("%s, from line %d on", r.What, r.Differs))
		Hanging(w, "  recorded: ", orEnd(r.Recorded))
		Hanging(w, "  here:     ", orEnd(r.Here))
		if len(r.In) > 0 {
			Hanging(w, "  differs:  ", strings.Join(r.In, ", "))
		}
		Hanging(w, "  means:    ", r.Means)
		return
	}
	Hanging(w, "THE SAME: ", r.What)
	part := ""
	if !r.Whole {
		part = ", which is as far as it was recorded: it was cut before its end"
	}
	Hanging(w, "  ", fmt.Sprintf("%d lines byte for byte, %d of %s, in %s%s", r.Lines, r.Times, runCount(r.Times),
		seconds(r.Took), part))
	for _, s := range r.Shows {
		Hanging(w, "  ", s)
	}
	for _, s := range r.Said {
		Hanging(w, "  judged otherwise: ", s)
	}
	for i, s := range r.Next {
		Command(w, []string{"next: ", "      "}[min(i, 1)], s)
	}
}

func orEnd(line string) string {
	if line == "" {
		return "(nothing: it has come to its end)"
	}
	return line
}
