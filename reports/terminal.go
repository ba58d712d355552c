package reports

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
)

// Batch is the runs of one scenario.
type Batch struct {
	// Source is where the scenario comes from; it may be empty.
	Scenario, About, Source string
	// Cluster says what the runs ran on.
	Cluster string
	Seed    int64
	Runs    []Run
	Took    time.Duration
	// Folder is the folder of the runs' folders.
	Folder string
	// Broken is the error of the rig that ended the batch before all its arms were run; empty when it did not.
	Broken string
	// Interrupted tells that the user ended it.
	Interrupted bool
	// Again is the command that does the same once more, without arm and seed; Next are commands worth trying when all came
	// out as stated.
	Again string
	Next  []string
	// Replays tells that Again repeats the one run as it is: a folder says by itself which arm and seed it is of.
	Replays bool
}

// ClusterLabel says what runs ran on.
func ClusterLabel(facts history.ClusterFacts) string {
	if facts.Kind == "sim" {
		return strings.TrimSpace("sim " + facts.Schedule)
	}
	by := ""
	if facts.Driver != "" {
		by = " by " + facts.Driver
	}
	return fmt.Sprintf("%s (Kafka %s, Cassandra %s%s)", facts.Kind, facts.Kafka, facts.Cassandra, by)
}

// Terminal tells a batch: the answer in the first line, then what happened under each arm, then the story of the first run
// that broke as it should, or of each that came out otherwise than stated.
func Terminal(w io.Writer, b Batch) {
	odd := b.deviating()
	what := fmt.Sprintf("%s · %s · seed %d", b.Scenario, b.Cluster, b.Seed)
	switch {
	case b.Broken != "":
		Hanging(w, b.stopped()+": ", firstLine(b.Broken))
		Hanging(w, "  ", fmt.Sprintf("runs done: %d · %s", len(b.Runs), what))
	case len(odd) == 0:
		Hanging(w, "AS EXPECTED: ", what)
	case len(b.Runs) == 1:
		// The one run is the answer; a table of it would say it twice.
		Hanging(w, answer(odd...)+": ", odd[0].Label()+": "+odd[0].lead())
		Hanging(w, "  ", what)
	default:
		Hanging(w, answer(odd...)+": ", fmt.Sprintf("%d of %d arms · %s", len(odd), len(b.Runs), what))
	}
	Hanging(w, "  ", b.About)
	if len(odd) == 0 || len(b.Runs) > 1 || b.Broken != "" {
		table(w, b.Runs)
	}
	for _, r := range b.Runs {
		if len(odd) == 0 && r.Report.Verdict == checker.Fail {
			story(w, r)
			Hanging(w, "  Why: ", r.About)
			break
		}
	}
	for _, r := range odd {
		deviates(w, b, r)
	}
	tail(w, b)
}

// stopped says in a word or three why a batch is not whole.
func (b Batch) stopped() string {
	if b.Interrupted {
		return "INTERRUPTED"
	}
	return "THE RIG FAILED"
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// deviating gives the runs that did not come out as stated.
func (b Batch) deviating() []Run {
	var out []Run
	for _, r := range b.Runs {
		if !r.Expected {
			out = append(out, r)
		}
	}
	return out
}

// table is what happened, a line an arm.
func table(w io.Writer, runs []Run) {
	wide := len("cassandra/cas")
	for _, r := range runs {
		wide = max(wide, runes(r.Label()))
	}
	row := func(arm, verdict, expected, what string) {
		head := fmt.Sprintf("  %-*s  %-9s  %-11s  ", wide, arm, verdict, expected)
		if runes(head) > 3*Width/5 {
			// A long name leaves no room beside it.
			fmt.Fprintln(w, strings.TrimRight(head, " "))
			head = "      "
		}
		Hanging(w, head, what)
	}
	fmt.Fprintln(w)
	row("arm", "verdict", "as expected", "what happened (lines of its history.jsonl)")
	for _, r := range runs {
		row(r.Label(), r.Word(), yes(r.Expected), r.Headline())
	}
	lateWrites(w, runs)
}

// tail is the last lines: how long it took, where everything is, what to try next.
func tail(w io.Writer, b Batch) {
	word := "arms"
	if len(b.Runs) == 1 {
		word = "arm"
	}
	fmt.Fprintf(w, "\n%d %s in %s, recorded in %s/\n", len(b.Runs), word, seconds(b.Took), b.Folder)
	if len(b.deviating()) > 0 || b.Broken != "" {
		return // what to do next is said with each
	}
	head := "next:  "
	for _, next := range b.Next {
		Command(w, head, next)
		head = "       "
	}
}

// story is the short story of a run, each moment with the lines of the history that it is taken from.
func story(w io.Writer, r Run) {
	fmt.Fprintf(w, "\n  %s, the short story (seconds, lines of history.jsonl, who)\n", r.Label())
	told := short(Story(r))
	at, who := 0, 0
	for _, l := range told {
		at, who = max(at, runes(l.Lines())), max(who, runes(l.Who))
	}
	for _, l := range told {
		if l.Text == "" {
			fmt.Fprintf(w, "        …  (%d more)\n", l.From)
			continue
		}
		head := fmt.Sprintf("  %7.3f  %-*s  %-*s  ", l.At.Seconds(), at, l.Lines(), who, l.Who)
		hang(w, head, runes(head), marked(l.Text, l.Marks))
	}
	Hanging(w, "  full: ", filepath.Join(r.Folder, "story.md"))
}
