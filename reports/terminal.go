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
	// Again is the command that does the same once more, without an arm; Next are commands worth trying.
	Again string
	Next  []string
}

// Terminal tells a batch: first the answer, then the story of the first run that broke, then what was not as stated.
func Terminal(w io.Writer, b Batch) {
	fmt.Fprintf(w, "%s · %s · seed %d\n", b.Scenario, b.Cluster, b.Seed)
	paragraph(w, "  ", b.About)
	fmt.Fprintf(w, "\n  %-20s %-10s %-12s %s\n", "arm", "verdict", "as expected", "what happened")
	for _, r := range b.Runs {
		hanging(w, fmt.Sprintf("  %-20s %-10s %-12s ", r.Label(), r.Word(), yes(r.Expected)), r.Headline())
	}
	for _, r := range b.Runs {
		if r.Expected && r.Report.Verdict == checker.Fail {
			story(w, r)
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

// tail is the last lines: how many came out as stated, where everything is, what to try next.
func tail(w io.Writer, b Batch) {
	good := 0
	for _, r := range b.Runs {
		if r.Expected {
			good++
		}
	}
	fmt.Fprintln(w)
	for _, r := range b.Runs {
		fmt.Fprintf(w, "recorded: %s\n", r.Folder)
	}
	word := "arms"
	if len(b.Runs) == 1 {
		word = "arm"
	}
	fmt.Fprintf(w, "%d of %d %s as expected in %s.", good, len(b.Runs), word, seconds(b.Took))
	if len(b.Next) > 0 {
		fmt.Fprintf(w, " Next: %s", strings.Join(b.Next, " · "))
	}
	fmt.Fprintln(w)
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

// deviates tells of a run that did not come out as stated.
func deviates(w io.Writer, b Batch, r Run) {
	fmt.Fprintln(w)
	for _, d := range r.Deviations {
		hanging(w, "NOT AS EXPECTED: ", r.Label()+": "+d.Text)
	}
	for _, d := range r.Deviations {
		p, ok := r.Report.Property(d.Property)
		if ok && len(p.Witness) > 0 {
			fmt.Fprintf(w, "\n  %s, witness (%d of %d events)\n", p.Property, len(p.Witness), len(r.History.Events))
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

// paragraph prints text broken into lines, each behind the indent.
func paragraph(w io.Writer, indent, text string) {
	hanging(w, indent, text)
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
