// Package reports tells people what came of a run: in the terminal now, in files later. It reads histories and verdicts,
// checks nothing, and every number it prints can be found in the history.
package reports

import (
	"fmt"
	"strings"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// Run is one run to tell of.
type Run struct {
	// Arm is the arm's name, About what it is.
	Arm, About string
	Without    []string
	History    *history.History
	Report     checker.Report
	// Expected tells whether it came out as its scenario states, Deviations where it did not.
	Expected   bool
	Deviations []checker.Deviation
}

// Label is the arm with what it was without.
func (r Run) Label() string {
	if len(r.Without) == 0 {
		return r.Arm
	}
	return r.Arm + " without " + strings.Join(r.Without, ", ")
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

// Headline says in one line what happened.
func (r Run) Headline() string {
	switch r.Report.Verdict {
	case checker.Fail:
		return r.damage()
	case checker.Pass:
		return r.defence()
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
	if p, _ := r.Report.Property(checker.DurableFold); p.Verdict == checker.Fail {
		if s, ok := r.cost(p); ok {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return r.Report.Summary
	}
	return strings.Join(parts, "; ")
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
	return fmt.Sprintf("%s's %s @%d replaced %s's @%d", worker(writes[1].Process), writes[1].F, older.Offset,
		worker(writes[0].Process), newer.Offset), true
}

// cost says which events the first wrong value lacks, and the money.
func (r Run) cost(p checker.Result) (string, bool) {
	for _, w := range p.Witness {
		v, ok := r.History.Events[w.Index].Value.(*history.Write)
		if !ok || v.State == nil {
			continue
		}
		return Log(r.History, v.Key).Diff(*v.State).String(), true
	}
	return "", false
}

// defence names the stale write that was refused, if there was one.
func (r Run) defence() string {
	for _, e := range r.History.Events {
		v, ok := e.Value.(*history.Write)
		if !ok || e.Type != history.Fail {
			continue
		}
		s := fmt.Sprintf("%s's %s @%d refused", worker(e.Process), e.F, v.Offset)
		if v.Stored.Known {
			s += fmt.Sprintf(" (stored %d)", v.Stored.N)
		}
		return s + "; nothing changed"
	}
	return "nothing was lost, doubled or overwritten"
}

// worker is the worker of a process.
func worker(process string) string {
	name, _, _ := strings.Cut(process, "/")
	return name
}

// Log gives the records of an account: as the log had them at the end, or as they were acknowledged when a history was
// cut before it.
func Log(h *history.History, account string) ledger.Log {
	var read, produced ledger.Log
	for _, e := range h.Events {
		switch v := e.Value.(type) {
		case *history.InputRecord:
			if v.Event.Account == account {
				read = append(read, ledger.Entry{Offset: v.Offset, Event: v.Event})
			}
		case *history.Produced:
			if e.Type == history.OK && v.Offset.Known && v.Event.Account == account {
				produced = append(produced, ledger.Entry{Offset: v.Offset.N, Event: v.Event})
			}
		}
	}
	if len(read) > 0 {
		return read
	}
	return produced
}
