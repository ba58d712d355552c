package reports

import (
	"fmt"
	"io"
	"time"
)

// Redriven is what came of doing a recorded run on other servers, in its order.
type Redriven struct {
	// What is the run in a few words, Of the folder of the recorded one.
	What, Of string
	// Property is what failed in the recorded run, empty where nothing did; Confirmed tells that the same came of it,
	// and Sentence what the property says now.
	Property, Sentence string
	Confirmed          bool
	// Unproven is why a run in which nothing failed is not confirmed.
	Unproven string
	// Driven is how many of Events came in the recorded order. The first that did not: its line, what was recorded, what came,
	// which is empty where nothing did, and why.
	Driven, Events      int
	Line                int
	Recorded, Came, Why string
	// Judged are the properties that came out otherwise.
	Judged []string
	Slower int
	Took   time.Duration
	Folder string
}

// Redrove tells of it: whether it is confirmed first.
func Redrove(w io.Writer, r Redriven) {
	head := "CONFIRMED: "
	if !r.Confirmed {
		head = "NOT CONFIRMED: "
	}
	Hanging(w, head, r.What)
	switch {
	case r.Property == "" && r.Confirmed:
		Hanging(w, "  ", fmt.Sprintf("held here too, driven %d of %d events: nothing failed in %s", r.Driven, r.Events, r.Of))
	case r.Property == "":
		Hanging(w, "  ", fmt.Sprintf("nothing failed in %s, and this does not show that it holds here too: %s", r.Of, r.Unproven))
	case r.Confirmed:
		Hanging(w, "  "+r.Property+" fails in the same way: ", r.Sentence)
	default:
		Hanging(w, "  "+r.Property+" does not fail in the same way: ", r.Sentence)
	}
	order := "all"
	if r.Line > 0 {
		order = fmt.Sprintf("%d of", r.Driven)
	}
	Hanging(w, "  ", fmt.Sprintf("%s %d events came in the order of %s, %d times slower, in %s", order, r.Events, r.Of,
		r.Slower, seconds(r.Took)))
	if r.Line > 0 {
		Hanging(w, fmt.Sprintf("  line %d, recorded: ", r.Line), r.Recorded)
		if r.Came != "" {
			Hanging(w, "    came: ", r.Came)
		}
		Hanging(w, "    why:  ", r.Why)
	}
	for _, s := range r.Judged {
		Hanging(w, "  judged otherwise: ", s)
	}
	Command(w, "  recorded in ", r.Folder+"/")
}
