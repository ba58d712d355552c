// Package reports tells people what came of a run: in the terminal now, in files later. It reads histories and verdicts,
// checks nothing, and every number it prints can be found in the history.
package reports

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/measures"
)

// Run is one run to tell of.
type Run struct {
	// Arm is the arm's name, About what it is.
	Arm, About string
	Without    []string
	// Folder is where the run was recorded.
	Folder  string
	History *history.History
	Report  checker.Report
	// Expected tells whether it came out as its scenario states, Deviations where it did not.
	Expected   bool
	Deviations []checker.Deviation

	// headline and measured are of a run whose history was let go.
	headline string
	measured *measures.Run
}

// Summed keeps of a run what a comparison tells of it, and of its history only the header: hundreds of histories are too much
// to keep.
func (r Run) Summed() Run {
	m := measures.Of(r.History)
	r.headline, r.measured, r.History = r.Headline(), &m, &history.History{Header: r.History.Header}
	return r
}

// measures are what can be measured in the run.
func (r Run) measures() measures.Run {
	if r.measured != nil {
		return *r.measured
	}
	return measures.Of(r.History)
}

// Label is the arm with what it was without.
func (r Run) Label() string {
	if len(r.Without) == 0 {
		return r.Arm
	}
	return r.Arm + " without " + strings.Join(r.Without, ", ")
}

// file is the run's history, as a word of a command.
func (r Run) file() string { return Word(filepath.Join(r.Folder, "history.jsonl")) }

// again is the command that repeats the run.
func (r Run) again(b Batch) string {
	if b.Replays {
		return b.Again
	}
	s := b.Again + " --arm " + r.Arm
	for _, g := range r.Without {
		s += " --without " + g
	}
	return fmt.Sprintf("%s --seed %d", s, r.History.Header.Seed)
}

// Word is the verdict in one word.
func (r Run) Word() string {
	switch r.Report.Verdict {
	case checker.Pass:
		return "held"
	case checker.Fail:
		if r.onlyProgress() {
			return "STUCK"
		}
		return "CORRUPTED"
	case checker.Vacuous:
		return "VACUOUS"
	}
	return "UNKNOWN"
}

func (r Run) onlyProgress() bool {
	for _, p := range r.Report.Properties {
		if p.Verdict == checker.Fail && p.Property != checker.Progress {
			return false
		}
	}
	return true
}

// Headline says in one line what happened, with the lines of the history that show it.
func (r Run) Headline() string {
	if r.headline != "" {
		return r.headline
	}
	switch r.Report.Verdict {
	case checker.Fail:
		return r.damage()
	case checker.Pass:
		return r.defence()
	case checker.Unknown:
		return "could not be decided: " + strings.Join(names(r.Report, checker.Unknown), ", ")
	}
	if what, at, ok := r.inVain(); ok {
		return fmt.Sprintf("waited in vain: %s%s", what, lines(at))
	}
	if all := r.unmet(); len(all) > 0 {
		return "does not show what the scenario requires: " + strings.Join(all, ", ")
	}
	return r.Report.Summary
}

// damage says which write replaced which, and what it cost.
func (r Run) damage() string {
	var parts []string
	for _, name := range []string{checker.SingleWriter, checker.NoStaleOverwrite} {
		p, _ := r.Report.Property(name)
		if s, ok := r.replaced(p); ok && p.Verdict == checker.Fail {
			parts = append(parts, s)
			break
		}
	}
	first, explained := r.cost()
	if first != "" {
		parts = append(parts, first)
	}
	if len(parts) == 0 {
		parts = append(parts, r.broken())
	}
	if all := r.loss(explained); all != "" {
		parts = append(parts, all)
	}
	return strings.Join(parts, "; ")
}

// broken says what the first property found that fails.
func (r Run) broken() string {
	for _, p := range r.Report.Properties {
		if p.Verdict == checker.Fail {
			return sentence(p.Summary) + lines(evidence(p)...)
		}
	}
	return r.Report.Summary
}

// replaced reads, from a witness with two writes, whose write replaced whose.
func (r Run) replaced(p checker.Result) (string, bool) {
	var writes []history.Event
	for _, w := range p.Witness {
		if e := r.History.Events[w.Index]; e.F == history.Persist || e.F == history.Delete {
			writes = append(writes, e)
		}
	}
	if len(writes) != 2 {
		return "", false
	}
	newer, older := writes[0].Value.(*history.Write), writes[1].Value.(*history.Write)
	what := "" // a persist, unless it is said
	if writes[0].F == history.Delete {
		what = "delete "
	}
	return fmt.Sprintf("%s's %s @%d replaced %s's %s@%d%s", history.WorkerOf(writes[1].Process), writes[1].F, older.Offset,
		history.WorkerOf(writes[0].Process), what, newer.Offset, lines(writes[0].Line(), writes[1].Line())), true
}

// defence names the first write that was refused, or failed without an effect, if there was one.
func (r Run) defence() string {
	first, more := "", 0
	for _, e := range r.History.Events {
		v, ok := e.Value.(*history.Write)
		switch {
		case ok && e.Type == history.OK && v.Settled == history.SettledOwn:
			return fmt.Sprintf("%s's %s @%d refused by its own write, as reading the row showed%s; nothing was lost",
				history.WorkerOf(e.Process), e.F, v.Offset, lines(e.Line()))
		case !ok || e.Type != history.Fail:
		case first != "":
			more++
		case v.Stored.Known:
			first = fmt.Sprintf("%s's %s @%d refused, stored @%d%s", history.WorkerOf(e.Process), e.F, v.Offset,
				v.Stored.N, lines(e.Line()))
		case v.Code == history.CodeCondition:
			first = fmt.Sprintf("%s's %s @%d refused%s", history.WorkerOf(e.Process), e.F, v.Offset, lines(e.Line()))
		default:
			first = fmt.Sprintf("%s's %s @%d failed (%s)%s", history.WorkerOf(e.Process), e.F, v.Offset, v.Code, lines(e.Line()))
		}
	}
	switch {
	case first == "":
		return "nothing was lost, doubled or overwritten"
	case more > 0:
		return fmt.Sprintf("%s, and %d more; nothing changed", first, more)
	}
	return first + "; nothing changed"
}

// inVain gives what a step of the plan or a stage of the input waited for until its time was up, and the line that says
// so. Where each worker stood by then is the story's to tell.
func (r Run) inVain() (what string, line int, ok bool) {
	for _, e := range r.History.Events {
		if v, is := e.Value.(*history.PlanStep); is && v.Status == "timeout" {
			what, _, _ = strings.Cut(v.Detail, "; ")
			return what, e.Line(), true
		}
	}
	return "", 0, false
}

// unmet are the requirements of the scenario that the run does not show.
func (r Run) unmet() []string {
	var out []string
	for _, m := range r.Report.Requires {
		if !m.Met {
			out = append(out, m.Requirement)
		}
	}
	return out
}

// names gives the properties that have a verdict.
func names(rep checker.Report, v checker.Verdict) []string {
	var out []string
	for _, p := range rep.Properties {
		if p.Verdict == v {
			out = append(out, p.Property)
		}
	}
	return out
}

// lines says in brackets at which lines of the history something is to be seen.
func lines(numbers ...int) string {
	switch len(numbers) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" (line %d)", numbers[0])
	}
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return fmt.Sprintf(" (lines %s)", strings.Join(texts, ", "))
}

// evidence gives the lines of a witness.
func evidence(p checker.Result) []int { return linesOf(p.Witness) }

func linesOf(all []checker.Evidence) []int {
	var out []int
	for _, e := range all {
		out = append(out, e.Line)
	}
	return out
}

// sentence takes the full stop from a sentence that something follows.
func sentence(s string) string { return strings.TrimSuffix(s, ".") }
