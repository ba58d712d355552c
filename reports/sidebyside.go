package reports

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/single-writer/chaos/checker"
)

// legend says what the figures are, as far as it does not speak for itself.
func (c Comparison) legend() []string {
	var silent []string
	for _, p := range c.judged() {
		if c.silent(p) {
			silent = append(silent, p)
		}
	}
	var out []string
	if len(silent) > 0 {
		out = append(out, "Nothing is said of: "+strings.Join(silent, ", ")+".")
	}
	late := "Late are the writes and commits of members that had lost their partition"
	if c.holdsBack() {
		late += "; owners held back are those that a guard refused to, or kept back from, a rightful one"
	}
	out = append(out, late+".")
	times := "Times go from a call to its answer; those in whose course the nemesis did something are left out. Of the " +
		"statements of a write some ask the row before they change it. "
	if c.timed() {
		times += "Throughput is the inverse of the time of a median write and a median commit. "
	}
	out = append(out, times+"A stall is the longest time between two advances of the committed offset, with what the plan lets pass.")
	if !c.timed() {
		out = append(out, "The simulator's time is virtual: what a fence costs in time and throughput is told by --cluster containers.")
	}
	return out
}

// answer is the first line: whether all came out as stated, and under which arms how many runs were corrupted.
func (c Comparison) answer() (head, text string) {
	head = "AS EXPECTED: "
	if odd := c.batch.deviating(); len(odd) > 0 {
		head = answer(odd...) + ": "
	}
	if c.Error != "" {
		head = fmt.Sprintf("%s after %s: ", c.batch.stopped(), runCount(len(c.Runs)))
		if !c.batch.Interrupted {
			head += firstLine(c.Error) + "; "
		}
	}
	var says, of []string
	for _, a := range c.Arms {
		s := "not corrupted"
		switch {
		case a.Corrupted == 0 && c.undecided(a.Arm) > 0:
			s = "undecided"
			if a.Runs > 1 {
				s += fmt.Sprintf(" in %d of %d runs", c.undecided(a.Arm), a.Runs)
			}
			s += fmt.Sprintf(" (%s)", strings.Join(a.unknown(), ", "))
		case a.Corrupted == 0:
		case a.Runs == 1:
			s = "corrupted"
		default:
			s = fmt.Sprintf("corrupted in %d of %d runs", a.Corrupted, a.Runs)
		}
		if i := slices.Index(says, s); i >= 0 {
			of[i] += ", " + a.Arm
			continue
		}
		says, of = append(says, s), append(of, a.Arm)
	}
	for i := range says {
		says[i] += " under " + of[i]
	}
	return head, strings.Join(says, "; ")
}

// setting says what was run on what.
func (c Comparison) setting() string {
	seeds := fmt.Sprintf("seed %d", c.batch.Seed)
	if n := len(c.Seeds); n > 1 {
		seeds = fmt.Sprintf("seeds %d to %d", c.Seeds[0], c.Seeds[n-1])
	}
	return fmt.Sprintf("%s · %s · %s", c.Scenario, c.batch.Cluster, seeds)
}

// undecided is how many runs under an arm could not be judged.
func (c Comparison) undecided(arm string) (n int) {
	for _, r := range c.Runs {
		if r.Arm == arm && r.Verdict == checker.Unknown {
			n++
		}
	}
	return n
}

// unknown are the properties that could not be decided in one of its runs.
func (a ComparedArm) unknown() []string {
	return slices.DeleteFunc(checker.PropertyNames(), func(p string) bool { return a.Properties[p][checker.Unknown] == 0 })
}

// Terminal puts the arms side by side: the answer first, then a line for each fact, then what to try next.
func (c Comparison) Terminal(w io.Writer, next []string) {
	head, text := c.answer()
	Hanging(w, head, text)
	Hanging(w, "  ", c.setting())
	Hanging(w, "  ", c.batch.About)
	facts := c.facts()
	for from := 0; from < len(c.Arms); {
		from += c.columns(w, facts, c.Arms[from:])
	}
	fmt.Fprintln(w)
	for _, l := range c.legend() {
		Hanging(w, "  ", l)
	}
	for _, r := range c.batch.deviating() {
		fmt.Fprintln(w)
		Hanging(w, fmt.Sprintf("  %s, seed %d: ", r.Label(), r.History.Header.Seed), r.lead())
		Command(w, "  again: ", r.again(c.batch))
	}
	fmt.Fprintf(w, "\n%s in %s, recorded in %s/ (compare.md, compare.json, a folder for each run)\n", runCount(len(c.Runs)),
		seconds(c.batch.Took), c.batch.Folder)
	if c.Error != "" {
		return
	}
	line := "next:  "
	for _, n := range next {
		Command(w, line, n)
		line = "       "
	}
}

func runCount(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// columns prints as many arms as fit side by side, and tells how many.
func (c Comparison) columns(w io.Writer, facts []fact, arms []ComparedArm) int {
	label := 0
	for _, f := range facts {
		label = max(label, runes(f.about))
	}
	line, n := make([]string, len(facts)+1), 0
	line[0] = strings.Repeat(" ", label+2)
	for i, f := range facts {
		line[i+1] = fmt.Sprintf("  %-*s", label, f.about)
	}
	for _, a := range arms {
		cells := []string{a.Arm}
		for _, f := range facts {
			cells = append(cells, f.of(a))
		}
		wide := 0
		for _, s := range cells {
			wide = max(wide, runes(s))
		}
		if n > 0 && slices.Max(lengths(line))+2+wide > Width {
			break
		}
		for i := range line {
			line[i] += fmt.Sprintf("  %-*s", wide, cells[i])
		}
		n++
	}
	fmt.Fprintln(w)
	for _, l := range line {
		fmt.Fprintln(w, strings.TrimRight(l, " "))
	}
	return n
}

func lengths(all []string) []int {
	out := make([]int, len(all))
	for i, s := range all {
		out[i] = runes(s)
	}
	return out
}

// Markdown is the same as Terminal, to be put into an issue.
func (c Comparison) Markdown(w io.Writer) {
	head, text := c.answer()
	fmt.Fprintf(w, "# %s\n\n%s%s.\n\n> %s\n\n", c.setting(), head, text, cell(c.batch.About))
	columns := []string{""}
	for _, a := range c.Arms {
		columns = append(columns, a.Arm)
	}
	var rows [][]string
	for _, f := range c.facts() {
		row := []string{strings.TrimSpace(f.about)}
		for _, a := range c.Arms {
			row = append(row, f.of(a))
		}
		rows = append(rows, row)
	}
	MarkdownTable(w, columns, rows)
	for _, l := range c.legend() {
		fmt.Fprintf(w, "\n%s\n", l)
	}
	fmt.Fprint(w, "\n## Runs\n\n")
	rows = nil
	for i, r := range c.batch.Runs {
		rows = append(rows, []string{r.Arm, strconv.FormatInt(c.Runs[i].Seed, 10), r.Word(), yes(r.Expected), r.Headline(),
			raw(r.Folder)})
	}
	MarkdownTable(w, []string{"arm", "seed", "verdict", "as stated", "what happened", "folder"}, rows)
}
