package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/measures"
)

// fact is one line of a comparison: what it is about, and what each arm came to.
type fact struct {
	about string
	of    func(ComparedArm) string
}

// facts are the lines of a comparison.
func (c Comparison) facts() []fact {
	out := []fact{
		{"corrupted runs", func(a ComparedArm) string { return fmt.Sprintf("%d of %d", a.Corrupted, a.Runs) }},
		{"as the scenario states", func(a ComparedArm) string {
			if a.AsStated == a.Runs {
				return "yes"
			}
			return fmt.Sprintf("NO: %d of %d", a.AsStated, a.Runs)
		}},
	}
	for _, name := range c.judged() {
		if !c.silent(name) {
			out = append(out, fact{"  " + name, func(a ComparedArm) string { return verdicts(a.Properties[name]) }})
		}
	}
	out = append(out, c.late()...)
	out = append(out,
		fact{"events lost · money off", func(a ComparedArm) string {
			if a.Measures.AtEnd == nil {
				return "-"
			}
			return c.loss(*a.Measures.AtEnd)
		}},
		fact{"  at the worst moment", func(a ComparedArm) string { return c.loss(a.Measures.Worst) }},
		fact{"unknown outcomes", func(a ComparedArm) string { return settled(a.Unknowns) }},
		fact{"restarts · longest stall", func(a ComparedArm) string {
			return fmt.Sprintf("%d · %s", a.Measures.Restarts, seconds(a.Measures.Stall.For))
		}},
		fact{"writes · commits timed", func(a ComparedArm) string {
			m := a.Measures
			return fmt.Sprintf("%d · %d", m.Persist.Count()+m.Delete.Count(), m.Commit.Count())
		}},
		fact{"persist p50 / p99 / max", func(a ComparedArm) string { return quantiles(a.Measures.Persist) }},
		fact{"delete  p50 / p99 / max", func(a ComparedArm) string { return quantiles(a.Measures.Delete) }},
		fact{"commit  p50 / p99 / max", func(a ComparedArm) string { return quantiles(a.Measures.Commit) }},
		fact{"statements a write", statements},
	)
	if !c.timed() {
		return out
	}
	return append(out,
		fact{"median write", func(a ComparedArm) string {
			if a.WriteTime == 0 {
				return "-"
			}
			return fmt.Sprintf("%s ms, × %.2f", ms(a.Measures.Write.Quantile(50)), a.WriteTime)
		}},
		fact{"throughput vs " + c.versus(), func(a ComparedArm) string {
			if a.Throughput == 0 {
				return "-"
			}
			return fmt.Sprintf("%.2f", a.Throughput)
		}},
	)
}

// judged are the properties that can fail: what the fence-audit found is told in numbers.
func (c Comparison) judged() []string {
	return slices.DeleteFunc(checker.PropertyNames(), func(name string) bool { return name == checker.FenceAudit })
}

// late are the lines about members that had lost their partition: how much they tried, and what came of it; and about what
// was refused to rightful owners. What no arm has is left out.
func (c Comparison) late() []fact {
	all := func(counts map[checker.Fate]int) (sum int) {
		for _, n := range counts {
			sum += n
		}
		return sum
	}
	out := []fact{{"late writes and commits", func(a ComparedArm) string { return strconv.Itoa(all(a.Late)) }}}
	for _, o := range checker.Fates() {
		if slices.ContainsFunc(c.Arms, func(a ComparedArm) bool { return a.Late[o] > 0 }) {
			out = append(out, fact{"  " + o.Words(), func(a ComparedArm) string { return strconv.Itoa(a.Late[o]) }})
		}
	}
	if c.holdsBack() {
		out = append(out, fact{"owners held back", func(a ComparedArm) string { return strconv.Itoa(all(a.Owners)) }})
	}
	return out
}

// holdsBack tells whether anything was refused to, or kept back from, a rightful owner.
func (c Comparison) holdsBack() bool {
	return slices.ContainsFunc(c.Arms, func(a ComparedArm) bool {
		for _, n := range a.Owners {
			if n > 0 {
				return true
			}
		}
		return false
	})
}

// timed tells whether time is worth a ratio: in the simulator a conditional write takes no longer than a plain one.
func (c Comparison) timed() bool { return c.Cluster.Kind != "sim" }

// silent tells whether the runs say nothing of a property, whichever the arm.
func (c Comparison) silent(property string) bool {
	for _, a := range c.Arms {
		says := a.Properties[property]
		if says[checker.Vacuous]+says[checker.NotApplicable] < a.Runs {
			return false
		}
	}
	return true
}

// versus names what the ratios are to, in a word where all are to a last-write-wins arm.
func (c Comparison) versus() string {
	for _, a := range c.Arms {
		if !strings.HasSuffix(a.Versus, "/lww") {
			return "the first"
		}
	}
	return "lww"
}

// verdicts says "pass" where all runs gave one verdict, and else how many gave which, the worst first.
func verdicts(counts map[checker.Verdict]int) string {
	var out []string
	for _, v := range []checker.Verdict{checker.Fail, checker.Unknown, checker.Pass, checker.Vacuous, checker.NotApplicable} {
		if n := counts[v]; n > 0 {
			word := string(v)
			if v == checker.Fail {
				word = "FAIL"
			}
			out = append(out, fmt.Sprintf("%d %s", n, word))
		}
	}
	if len(out) == 1 {
		_, word, _ := strings.Cut(out[0], " ")
		return word
	}
	return strings.Join(out, ", ")
}

// loss says what is lost, and where that is to be seen when there is one run of each arm.
func (c Comparison) loss(l measures.Loss) string {
	if l.Lost+l.Extra == 0 && l.Off.IsZero() {
		return "0"
	}
	var parts []string
	if l.Lost > 0 || l.Extra == 0 {
		parts = append(parts, strconv.Itoa(l.Lost))
	}
	if l.Extra > 0 {
		parts = append(parts, fmt.Sprintf("%d too many", l.Extra))
	}
	s := strings.Join(parts, ", ") + " · " + l.Off.StringFixed(2)
	if len(c.Seeds) == 1 {
		s += lines(l.Line)
	}
	return s
}

func settled(u Settled) string {
	if u.Operations == 0 {
		return "0"
	}
	var out []string
	for _, k := range []struct {
		n    int
		what string
	}{{u.Seen, "seen"}, {u.NeverSeen, "never seen"}, {u.StillUnknown, "open"}} {
		if k.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", k.n, k.what))
		}
	}
	return fmt.Sprintf("%d: %s", u.Operations, strings.Join(out, ", "))
}

func quantiles(l *measures.Latency) string {
	if l.Count() == 0 {
		return "-"
	}
	return fmt.Sprintf("%s / %s / %s ms", ms(l.Quantile(50)), ms(l.Quantile(99)), ms(l.Quantile(100)))
}

// ms is a duration in milliseconds, with what digits are worth reading.
func ms(d time.Duration) string {
	if v := float64(d) / float64(time.Millisecond); v < 100 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatInt(d.Milliseconds(), 10)
}

func statements(a ComparedArm) string {
	m := a.Measures
	if m.Statements == 0 {
		return "-"
	}
	of := func(n int) string { return fmt.Sprintf("%.2f", float64(n)/float64(m.Write.Count())) }
	if m.Conditional == 0 {
		return of(m.Statements)
	}
	return fmt.Sprintf("%s (%s ask)", of(m.Statements), of(m.Conditional))
}
