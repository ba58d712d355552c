package reports

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Soak is what came of running scenarios with new seeds until the time was up.
type Soak struct {
	Scenarios []string
	// Arms is how many runs one seed takes; of the last seed, To, only Last of them were begun.
	Arms     int
	On       string
	From, To int64
	Last     int
	Runs     int
	// Failures, Unknown and Vacuous count the runs that were not as stated, Rig those without a verdict; Allowed counts failures
	// that a scenario says may be.
	Failures, Unknown, Vacuous, Rig, Allowed int
	Took                                     time.Duration
	Findings                                 []Finding
	// Broken is why it ended early; empty when it did not.
	Broken string
	// Folder has the folders of runs, Again is the command that does the same runs.
	Folder, Again string
}

// mostTold is how many findings are told; soak.json has all.
const mostTold = 20

// answer is the first line.
func (s Soak) answer() (head, text string) {
	head = "NOTHING FOUND: "
	switch {
	case s.Broken != "":
		head = "NOT FINISHED: "
	case len(s.Findings) > 0:
		head = "FOUND: "
	}
	what := fmt.Sprintf("%d scenarios", len(s.Scenarios))
	if len(s.Scenarios) == 1 {
		what = s.Scenarios[0]
	}
	return head, fmt.Sprintf("%s, %d with their arms · %s", what, s.Arms, s.On)
}

// facts are the numbers, each with what it is of.
func (s Soak) facts() [][]string {
	seconds := s.Took.Seconds()
	seeds := fmt.Sprintf("%d to %d", s.From, s.To)
	if s.Last < s.Arms {
		seeds += fmt.Sprintf(", the last with %d of %d", s.Last, s.Arms)
	}
	return [][]string{
		{"runs", fmt.Sprintf("%d in %s (%.1f a second)", s.Runs, s.Took.Round(100*time.Millisecond), float64(s.Runs)/max(seconds, 0.001))},
		{"seeds", seeds},
		{"failures", strconv.Itoa(s.Failures)},
		{"unknown", strconv.Itoa(s.Unknown)},
		{"vacuous", strconv.Itoa(s.Vacuous)},
		{"errors of the rig", strconv.Itoa(s.Rig)},
		{"failures that may be", strconv.Itoa(s.Allowed)},
	}
}

// more says how many findings are not told.
func (s Soak) more() string {
	if n := len(s.Findings) - mostTold; n > 0 {
		return fmt.Sprintf("%d more kinds are in soak.json", n)
	}
	return ""
}

// Terminal tells the answer in the first line, the numbers, then each finding with the command that repeats it.
func (s Soak) Terminal(w io.Writer) {
	head, text := s.answer()
	Hanging(w, head, text)
	fmt.Fprintln(w)
	for _, f := range s.facts() {
		Hanging(w, fmt.Sprintf("  %-21s ", f[0]), f[1])
	}
	for i, f := range s.Findings {
		if i == mostTold {
			fmt.Fprintf(w, "\n  %s\n", s.more())
			break
		}
		f.tell(w)
	}
	if s.Broken != "" {
		Hanging(w, "\nended early: ", s.Broken)
	}
	fmt.Fprintln(w)
	Command(w, "again: ", s.Again)
	Command(w, "the same in ", s.Folder+"/soak.md")
}

// Markdown is the same as Terminal, to be read in the morning or put into an issue.
func (s Soak) Markdown(w io.Writer) {
	head, text := s.answer()
	fmt.Fprintf(w, "# Soak\n\n%s%s.\n\n", head, text)
	if s.Broken != "" {
		first, _, _ := strings.Cut(s.Broken, "\n")
		fmt.Fprintf(w, "Ended early: %s.\n\n", cell(first))
	}
	MarkdownTable(w, []string{"", ""}, append(s.facts(), []string{"scenarios", strings.Join(s.Scenarios, ", ")},
		[]string{"again", raw(s.Again)}))
	if len(s.Findings) == 0 {
		return
	}
	section(w, "What was found")
	var rows [][]string
	for _, f := range s.Findings[:min(len(s.Findings), mostTold)] {
		first, _, _ := strings.Cut(f.Sentence, "\n")
		rows = append(rows, []string{f.what(), f.arm(), strings.Join(f.Scenarios, ", "), strconv.Itoa(f.Count), first,
			raw(f.Again), raw(f.Folder)})
	}
	MarkdownTable(w, []string{"", "arm", "scenarios", "runs", "what happened", "again", "folder"}, rows)
	if more := s.more(); more != "" {
		fmt.Fprintf(w, "\n%s.\n", more)
	}
}
