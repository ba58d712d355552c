package reports

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/single-writer/chaos/checker"
)

// width is how many columns the terminal output keeps to.
const width = 100

// Batch is the runs of one scenario.
type Batch struct {
	Scenario, About string
	Cluster         string
	Seed            int64
	Runs            []Run
	Took            time.Duration
	// Folder is the folder of the runs' folders.
	Folder string
	// Again is the command that does the same once more, without an arm; Next are commands worth trying.
	Again string
	Next  []string
}

// Terminal tells a batch: first the answer, then the story of the first run that broke as it should, then each that came
// out otherwise than stated.
func Terminal(w io.Writer, b Batch) {
	fmt.Fprintf(w, "%s · %s · seed %d\n", b.Scenario, b.Cluster, b.Seed)
	hanging(w, "  ", b.About)
	table(w, b.Runs)
	for _, r := range b.Runs {
		if r.Expected && r.Report.Verdict == checker.Fail {
			story(w, r)
			hanging(w, "  Why: ", r.About)
			break
		}
	}
	for _, r := range b.Runs {
		if !r.Expected {
			deviates(w, b, r)
		}
	}
	tail(w, b)
}

// table is the answer, a line an arm.
func table(w io.Writer, runs []Run) {
	wide := len("cassandra/cas-persist")
	for _, r := range runs {
		wide = max(wide, runes(r.Label()))
	}
	row := func(arm, verdict, expected, what string) {
		head := fmt.Sprintf("  %-*s  %-9s  %-11s  ", wide, arm, verdict, expected)
		if runes(head) > width/2 {
			// A long name leaves no room beside it.
			fmt.Fprintln(w, strings.TrimRight(head, " "))
			head = "      "
		}
		hanging(w, head, what)
	}
	fmt.Fprintln(w)
	row("arm", "verdict", "as expected", "what happened")
	for _, r := range runs {
		row(r.Label(), r.Word(), yes(r.Expected), r.Headline())
	}
}

// tail is the last lines: how many came out as stated, where everything is, what to try next.
func tail(w io.Writer, b Batch) {
	good := 0
	for _, r := range b.Runs {
		if r.Expected {
			good++
		}
	}
	word := "arms"
	if len(b.Runs) == 1 {
		word = "arm"
	}
	fmt.Fprintf(w, "\n%d of %d %s as expected in %s; recorded in %s\n", good, len(b.Runs), word, seconds(b.Took), b.Folder)
	for i, next := range b.Next {
		head := "next:  "
		if i > 0 {
			head = "       "
		}
		fmt.Fprintf(w, "%s%s\n", head, next)
	}
}

func story(w io.Writer, r Run) {
	fmt.Fprintf(w, "\n  %s, the short story\n", r.Label())
	for _, l := range Story(r) {
		text := l.Text
		if len(l.Marks) > 0 {
			text += "  ← " + strings.Join(l.Marks, ", ")
		}
		hanging(w, fmt.Sprintf("  %7.3f  %-2s ", l.At.Seconds(), l.Who), text)
	}
}

// deviates tells of a run that did not come out as stated: each deviation with the events that prove it.
func deviates(w io.Writer, b Batch, r Run) {
	fmt.Fprintln(w)
	hanging(w, "NOT AS EXPECTED: ", r.Label()+": "+r.Headline())
	for _, d := range r.Deviations {
		fmt.Fprintln(w)
		hanging(w, "  ", d.Text)
		if p, ok := r.Report.Property(d.Property); ok && len(p.Witness) > 0 {
			fmt.Fprintf(w, "    witness (%d of %d events)\n", len(p.Witness), len(r.History.Events))
			Witness(w, p)
		}
	}
	story(w, r)
	arm := b.Again + " --arm " + r.Arm
	again := arm
	for _, g := range r.Without {
		again += " --without " + g
	}
	fmt.Fprintf(w, "\n  again:    %s\n", again)
	if len(r.Without) > 0 {
		fmt.Fprintf(w, "  with it:  %s\n", arm)
	}
}

// Witness prints the events that prove a failure.
func Witness(w io.Writer, p checker.Result) {
	for _, e := range p.Witness {
		hanging(w, fmt.Sprintf("    line %-5d ", e.Line), e.Text)
	}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "NO"
}

func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// hanging prints a head and text behind it; where the text is broken, it goes on under its own beginning.
func hanging(w io.Writer, head, text string) {
	margin := strings.Repeat(" ", runes(head))
	line := head
	for _, word := range strings.Fields(text) {
		if runes(line)+runes(word) > width && runes(line) > runes(margin) {
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			line = margin
		}
		line += word + " "
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}

func runes(s string) int { return len([]rune(s)) }
