package reports

import (
	"fmt"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/measures"
)

// cost says which events the first wrong value lacks, and the money; and of how many events it tells.
func (r Run) cost() (words string, events int) {
	p, _ := r.Report.Property(checker.DurableFold)
	if p.Verdict != checker.Fail {
		return "", 0
	}
	logs := measures.Logs(r.History)
	for _, w := range p.Witness {
		for _, v := range valuesOf(r.History.Events[w.Index]) {
			if log := logs[v.key]; !log.Fold(v.Offset).Equal(v.State) {
				d := log.Diff(v.State)
				return d.String() + lines(w.Line), len(d.Lost) + len(d.Extra)
			}
		}
	}
	return "", 0
}

// value is a state of an account.
type value struct {
	key string
	ledger.State
}

// valuesOf gives what an event shows to have been written, or made of a journal.
func valuesOf(e history.Event) []value {
	var out []value
	switch v := e.Value.(type) {
	case *history.Write:
		if v.State != nil {
			out = append(out, value{v.Key, *v.State})
		}
	case *history.Recovery:
		for _, k := range v.States {
			if k.State != nil {
				out = append(out, value{k.Key, *k.State})
			}
		}
	}
	return out
}

// loss says what is lost at the end, over all accounts, unless it is told already; or, where nothing is in the end, what was
// at the worst moment. The same numbers are in a comparison. What was never committed is not lost: it will be read again.
func (r Run) loss(told int) string {
	m := r.measures()
	progress, _ := r.Report.Property(checker.Progress)
	switch {
	case m.AtEnd != nil && m.AtEnd.Events() > 0 && progress.Verdict != checker.Fail:
		if m.AtEnd.Events() <= told {
			return ""
		}
		return "at the end " + off(*m.AtEnd)
	case told == 0 && m.Worst.Events() > 0 && !r.onlyProgress():
		return "at the worst moment " + off(m.Worst)
	}
	return ""
}

// off says how many events and how much money are off, and where that is to be seen.
func off(l measures.Loss) string {
	events := func(n int) string {
		if n == 1 {
			return "1 event"
		}
		return fmt.Sprintf("%d events", n)
	}
	what := events(l.Lost) + " lost"
	switch {
	case l.Lost == 0:
		what = events(l.Extra) + " too many"
	case l.Extra > 0:
		what += fmt.Sprintf(", %d too many", l.Extra)
	}
	return fmt.Sprintf("%s, balances off by %s%s", what, l.Off.StringFixed(2), lines(l.Line))
}
