package reports

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/single-writer/chaos/checker"
)

// kind is the worst way in which a run deviates: a contradiction counts more than a doubt, that more than an empty run.
func (r Run) kind() checker.Verdict {
	for _, k := range []checker.Verdict{checker.Fail, checker.Unknown} {
		if slices.ContainsFunc(r.Deviations, func(d checker.Deviation) bool { return d.Kind == k }) {
			return k
		}
	}
	return checker.Vacuous
}

// answer is the first word of a report of runs that did not come out as stated.
func answer(odd ...Run) string {
	out := "VACUOUS"
	for _, r := range odd {
		switch r.kind() {
		case checker.Fail:
			return "NOT AS EXPECTED"
		case checker.Unknown:
			out = "UNKNOWN"
		}
	}
	return out
}

// lead says what a run that did not come out as stated came to, so that the first line is the answer.
func (r Run) lead() string {
	if r.Report.Verdict != checker.Fail && len(r.named("should break")) > 0 {
		return "should be corrupted, and is not"
	}
	if silent := r.named("silent"); r.Report.Verdict == checker.Pass && len(silent) > 0 {
		return "tells nothing of " + strings.Join(silent, ", ")
	}
	return r.Headline()
}

// named gives the properties that deviate in one way: those that break and should hold, that should break and do not, or
// that could not be decided, or of which the history had to tell something and tells nothing.
func (r Run) named(how string) []string {
	var out []string
	for _, d := range r.Deviations {
		p, ok := r.Report.Property(d.Property)
		if !ok {
			continue
		}
		switch {
		case p.Verdict == checker.Fail && how == "should hold":
			out = append(out, d.Property)
		case d.Kind == checker.Vacuous && how == "silent":
			out = append(out, d.Property)
		case d.Kind == checker.Unknown && how == "undecided":
			out = append(out, d.Property)
		case d.Kind == checker.Fail && p.Verdict != checker.Fail && how == "should break":
			name := d.Property
			if p.Verdict != checker.Pass {
				name += " (" + string(p.Verdict) + ")"
			}
			out = append(out, name)
		}
	}
	return out
}

// deviates tells of a run that did not come out as stated: in what, the events that prove it, its story, and the
// commands that show it again.
func deviates(w io.Writer, b Batch, r Run) {
	if len(b.Runs) > 1 {
		fmt.Fprintln(w)
		Hanging(w, answer(r)+": ", r.Label())
	}
	if why := reasons(r); why != "" {
		if len(b.Runs) == 1 {
			fmt.Fprintln(w)
		}
		fmt.Fprint(w, why)
	}
	if all := r.proof(r.named("should hold")); len(all) > 0 {
		fmt.Fprintf(w, "\n  witness (%d of %d events)\n", len(all), len(r.History.Events))
		witness(w, all)
	}
	story(w, r)
	fmt.Fprintln(w)
	Command(w, "  again:    ", r.again(b))
	if len(r.Without) > 0 {
		with := r
		with.Without = nil
		Command(w, "  with it:  ", with.again(b))
	}
	Command(w, "  in full:  ", "chaos check "+r.file())
	if failed := names(r.Report, checker.Fail); len(failed) > 0 {
		Command(w, "  meaning:  ", "chaos explain "+failed[0])
	}
}

// reasons says in what the run is not as stated. It is empty where the line above has said all of it.
func reasons(r Run) string {
	w := &strings.Builder{}
	for _, is := range []struct{ how, text string }{
		{"should hold", "should hold, and is violated: "}, {"should break", "should be violated, and is not: "},
	} {
		if names := r.named(is.how); len(names) > 0 {
			Hanging(w, "  "+is.text, strings.Join(names, ", "))
		}
	}
	undecided(w, r)
	if what, at, ok := r.inVain(); ok && r.kind() == checker.Fail {
		Hanging(w, "  waited in vain: ", what+lines(at))
	}
	missing(w, r)
	return w.String()
}

// undecided says of each property that could not be decided why not, and tells what else the checker had to say.
func undecided(w io.Writer, r Run) {
	for _, d := range r.Deviations {
		p, ok := r.Report.Property(d.Property)
		switch {
		case !ok && d.Property != "":
			Hanging(w, "  ", d.Text)
		case ok && d.Kind == checker.Unknown:
			Hanging(w, "  "+d.Property+" could not be decided: ", p.Summary)
		case ok && d.Kind == checker.Vacuous:
			Hanging(w, "  "+d.Property+" is not judged: ", p.Summary)
		}
	}
}

// missing says which requirements the run does not show, and why not.
func missing(w io.Writer, r Run) {
	wide := 0
	for _, name := range r.unmet() {
		wide = max(wide, runes(name))
	}
	head := "  not shown: "
	for _, m := range r.Report.Requires {
		if !m.Met {
			Hanging(w, fmt.Sprintf("%s%-*s  ", head, wide, m.Requirement), m.Missing)
			head = strings.Repeat(" ", len(head))
		}
	}
}

// proven is an event of a witness, with the properties that it completes the proof against.
type proven struct {
	checker.Evidence
	marks []string
}

// proof gathers the witnesses of some properties, each event once: several broken at one moment mostly have the same few
// events for a witness.
func (r Run) proof(properties []string) []proven {
	var out []proven
	for _, name := range properties {
		p, _ := r.Report.Property(name)
		for _, e := range p.Witness {
			i := slices.IndexFunc(out, func(q proven) bool { return q.Index == e.Index })
			if i < 0 {
				i = len(out)
				out = append(out, proven{Evidence: e})
			}
			if e.Index == r.breaks(p) {
				out[i].marks = append(out[i].marks, name)
			}
		}
	}
	slices.SortFunc(out, func(a, b proven) int { return cmp.Compare(a.Index, b.Index) })
	return out
}

// witness prints the events that prove a failure.
func witness(w io.Writer, all []proven) {
	for _, e := range all {
		head := fmt.Sprintf("    line %-5d ", e.Line)
		hang(w, head, runes(head), marked(e.Text, e.marks))
	}
}

// Witness prints the events that prove that one property failed.
func Witness(w io.Writer, p checker.Result) {
	all := make([]proven, len(p.Witness))
	for i, e := range p.Witness {
		all[i].Evidence = e
	}
	witness(w, all)
}
