package reports

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
)

// StoryPage tells one run of a batch whole, in Markdown: what happened, what was checked, the story with nothing left out,
// what was done to the workers with the proof of it, the events that prove each failure, and how to do it again. It is
// story.md in the folder of a run.
func StoryPage(w io.Writer, b Batch, r Run) {
	word, headline := r.Word()+", as expected", r.Headline()
	if !r.Expected {
		word, headline = r.Word(), r.lead()
		if odd := answer(r); odd != word {
			word += ", " + odd
		}
	}
	fmt.Fprintf(w, "# %s under %s: %s\n\n", b.Scenario, r.Label(), word)
	fmt.Fprintf(w, "%s.\n\n> %s\n\n", sentence(headline), cell(b.About))
	state := fmt.Sprintf("%d events, whole", len(r.History.Events))
	if !r.History.Ended() {
		state = fmt.Sprintf("%d events, cut before its end", len(r.History.Events))
	}
	facts := [][]string{{"arm", r.About}, {"cluster", b.Cluster}, {"seed", strconv.FormatInt(b.Seed, 10)}, {"history", state}}
	if b.Source != "" {
		facts = append(facts, []string{"source", b.Source})
	}
	MarkdownTable(w, []string{"", ""}, facts)
	section(w, "What was checked")
	pageProperties(w, r)
	pageAudit(w, r.Report.Audit)
	section(w, "The story")
	fmt.Fprint(w, "Seconds since the run began; lines of history.jsonl; an arrow marks the moment at which a property broke.\n\n")
	pageStory(w, r)
	section(w, "What was done, and the proof of it")
	pageFaults(w, r.History)
	pageWitness(w, r)
	section(w, "Again")
	fmt.Fprintf(w, "    %s\n", strings.Join(commands(b, r), "\n    "))
}

func section(w io.Writer, title string) { fmt.Fprintf(w, "\n## %s\n\n", title) }

// pageProperties says what came of each property, and of what the scenario requires a run to show; what is not as stated is
// bold.
func pageProperties(w io.Writer, r Run) {
	var rows [][]string
	for _, p := range r.Report.Properties {
		verdict := string(p.Verdict)
		if slices.ContainsFunc(r.Deviations, func(d checker.Deviation) bool { return d.Property == p.Property }) {
			verdict = "**" + verdict + ", not as stated**"
		}
		rows = append(rows, []string{p.Property, verdict, p.Summary + lines(evidence(p)...)})
	}
	MarkdownTable(w, []string{"property", "verdict", ""}, rows)
	if !r.Report.Finished {
		fmt.Fprint(w, "\n**The plan did not finish.**\n")
	}
	if len(r.Report.Requires) == 0 {
		return
	}
	rows = nil
	for _, m := range r.Report.Requires {
		said := "**not shown**: " + m.Missing
		if m.Met {
			said = "shown" + lines(linesOf(m.Evidence)...)
		}
		rows = append(rows, []string{m.Requirement, said})
	}
	fmt.Fprintln(w)
	MarkdownTable(w, []string{"required", ""}, rows)
}

func pageStory(w io.Writer, r Run) {
	var rows [][]string
	for _, l := range Story(r) {
		text := l.Text
		if len(l.Marks) > 0 {
			text += " **← " + strings.Join(l.Marks, ", ") + "**"
		}
		rows = append(rows, []string{fmt.Sprintf("%.3f", l.At.Seconds()), l.Lines(), l.Who, text})
	}
	MarkdownTable(w, []string{"time", "lines", "who", "what"}, rows)
}

// pageFaults lists what was done to the workers, and the raw answers that show that it took effect.
func pageFaults(w io.Writer, h *history.History) {
	var rows [][]string
	for _, e := range h.Events {
		switch v := e.Value.(type) {
		case *history.FaultDone:
			if v.Phase == history.PhaseDone {
				rows = append(rows, []string{at(e), strconv.Itoa(e.Line()), faultOf(v), raw(v.Proof)})
			}
		case *history.Eviction:
			rows = append(rows, []string{at(e), strconv.Itoa(e.Line()), v.Life + " is out of the group", raw(v.Proof)})
		}
	}
	if len(rows) == 0 {
		fmt.Fprintln(w, "Nothing.")
		return
	}
	MarkdownTable(w, []string{"time", "line", "what", "proof"}, rows)
}

func at(e history.Event) string { return fmt.Sprintf("%.3f", time.Duration(e.Time).Seconds()) }

// pageWitness gives the few events that prove what failed, each with the properties that it completes the proof against.
func pageWitness(w io.Writer, r Run) {
	var rows [][]string
	for _, e := range r.proof(names(r.Report, checker.Fail)) {
		text := e.Text
		if len(e.marks) > 0 {
			text += " **← " + strings.Join(e.marks, ", ") + "**"
		}
		rows = append(rows, []string{strconv.Itoa(e.Line), text})
	}
	if len(rows) > 0 {
		section(w, "The events that prove it")
		MarkdownTable(w, []string{"line", "event"}, rows)
	}
}

// commands are those that show the run again.
func commands(b Batch, r Run) []string {
	all := []string{r.again(b), "chaos check " + r.file()}
	for _, name := range names(r.Report, checker.Fail) {
		all = append(all, "chaos explain "+name)
	}
	return all
}
