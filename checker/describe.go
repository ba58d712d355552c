package checker

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// describe says in a short line what an event is, as it is read in a witness: "a/1 persist acct-1 @5 applied".
func (r *Run) describe(i int) string {
	e := r.events[i]
	call := e
	if e.Type != history.Note && e.Type != history.Invoke && r.partner[i] >= 0 {
		call = r.events[r.partner[i]]
	}
	switch v := call.Value.(type) {
	case *history.Write:
		if v != nil {
			ans, _ := e.Value.(*history.Write)
			return fmt.Sprintf("%s %s %s @%d %s", e.Process, e.F, v.Key, v.Offset, wrote(e, ans))
		}
	case *history.RowRead:
		if v != nil {
			ans, _ := e.Value.(*history.RowRead)
			return fmt.Sprintf("%s %s read of %s %s", e.Process, v.Purpose, v.Key, found(e, ans))
		}
	case *history.Recovery:
		if v != nil {
			ans, _ := e.Value.(*history.Recovery)
			return fmt.Sprintf("%s recovery of partition %d from %d%s", e.Process, v.Partition, v.Start, ended(e)+madeOf(ans))
		}
	case *history.JournalWrite:
		if v != nil {
			return fmt.Sprintf("%s journal of %s @%d %s", e.Process, v.Key, v.Offset, wrote(e, nil))
		}
	case *history.JournalRemoval:
		if v != nil {
			return fmt.Sprintf("%s removal of the journal of %s %s", e.Process, v.Key, wrote(e, nil))
		}
	case *history.OffsetCommit:
		if v != nil {
			return fmt.Sprintf("%s commit %d%s", e.Process, v.Offset, committed(e))
		}
	case *history.CommittedOffset:
		if v != nil {
			ans, _ := e.Value.(*history.CommittedOffset)
			if e.Type == history.OK && ans != nil {
				return fmt.Sprintf("%s reads the committed offset of partition %d: %s", e.Process, v.Partition, ans.Offset)
			}
		}
	case *history.Produced:
		if v != nil {
			at := ""
			if ans, _ := e.Value.(*history.Produced); ans != nil && ans.Offset.Known {
				at = " at " + ans.Offset.String()
			}
			return fmt.Sprintf("%s event %d of %s%s: %s", e.Process, v.Event.ID, v.Event.Account, at, posting(v.Event))
		}
	}
	return r.describeNote(e)
}

func (r *Run) describeNote(e history.Event) string {
	switch v := e.Value.(type) {
	case *history.InputRecord:
		if v != nil {
			return fmt.Sprintf("record %d: event %d of %s, %s", v.Offset, v.Event.ID, v.Event.Account, posting(v.Event))
		}
	case *history.PointReached:
		if v != nil {
			s := e.Process + " reached " + v.Point
			if v.Key != "" {
				s += " of " + v.Key
			}
			if v.Offset.Known {
				s += " @" + v.Offset.String()
			}
			return s
		}
	case *history.Eviction:
		if v != nil {
			return fmt.Sprintf("the coordinator lists %s no more", v.Life)
		}
	case *history.FaultDone:
		if v != nil {
			if v.Server != "" && v.Server != v.Target {
				return fmt.Sprintf("%s %s, which is %s: %s", v.Fault, v.Target, v.Server, v.Phase)
			}
			return fmt.Sprintf("%s %s: %s", v.Fault, v.Target, v.Phase)
		}
	case *history.GroundTruth:
		if v != nil {
			return fmt.Sprintf("at the %s: %s stored, committed %v", v.At, count(len(v.Rows), "row"), v.Committed)
		}
	case *history.GroupLogEntry:
		if v != nil {
			return "the group's log" + r.log.entry(v)
		}
	case *history.Ending:
		if v != nil {
			return "the run ended: " + v.Reason
		}
	}
	return fmt.Sprintf("%s %s %s", e.Process, e.Type, e.F)
}

// entry says what a record of the group's log is.
func (l *groupLog) entry(e *history.GroupLogEntry) string {
	switch {
	case e.Ends:
		return " ends"
	case e.Commit != nil && !e.Commit.Offset.Known:
		return fmt.Sprintf(": the committed offset of partition %d is removed", e.Commit.Partition)
	case e.Commit != nil && e.Commit.Member == "":
		return fmt.Sprintf(": nobody of the run commits %s", e.Commit.Offset)
	case e.Commit != nil:
		return fmt.Sprintf(": %s commits %s", l.client(e.Commit.Member), e.Commit.Offset)
	case e.Group != nil:
		text := ": generation " + e.Group.Generation.String()
		for _, m := range e.Group.Members {
			text += fmt.Sprintf(", %s has %s", m.Client, strings.Trim(fmt.Sprint(m.Partitions), "[]"))
		}
		return text
	}
	return ": a record that the checker cannot read"
}

func wrote(e history.Event, ans *history.Write) string {
	switch e.Type {
	case history.Invoke:
		return "called"
	case history.OK:
		return "applied"
	case history.Info:
		return "unknown"
	}
	switch {
	case ans != nil && ans.Code == history.CodeCondition && ans.Stored.Known:
		return "refused, stored @" + ans.Stored.String()
	case ans != nil && ans.Code == history.CodeCondition:
		return "refused, no stored offset named"
	}
	return "failed"
}

func found(e history.Event, ans *history.RowRead) string {
	if e.Type == history.Invoke {
		return "called"
	}
	if e.Type != history.OK || ans == nil {
		return "without an answer"
	}
	s := showingOf(ans.Row, e.Index, e.Index, sourceRead)
	text := "shows " + s.value()
	switch {
	case ans.Row == nil || ans.Row.Write == "":
	case s.shape == gone:
		text += " but the write id " + ans.Row.Write
	default:
		text += ", written by " + ans.Row.Write
	}
	return text
}

func ended(e history.Event) string {
	switch e.Type {
	case history.Invoke:
		return " begun"
	case history.OK:
		return " done"
	}
	return " failed"
}

// madeOf says what a recovery from events made of its keys.
func madeOf(v *history.Recovery) string {
	if v == nil {
		return ""
	}
	text := ""
	for _, k := range v.States {
		state := "nothing"
		if k.State != nil {
			state = k.State.String()
		}
		text += fmt.Sprintf(", %s is %s, floor @%s", k.Key, state, k.Floor)
	}
	return text
}

func committed(e history.Event) string {
	switch e.Type {
	case history.Invoke:
		return " called"
	case history.OK:
		return " accepted"
	case history.Info:
		return " unknown"
	}
	if v, _ := e.Value.(*history.OffsetCommit); v != nil && v.Code != "" {
		return " refused: " + v.Code
	}
	return " refused"
}

func posting(e ledger.Event) string {
	if e.Kind == ledger.Close {
		return "close"
	}
	return "post " + money(e.Amount)
}

// money is an amount with the two places that a ledger has.
func money(d decimal.Decimal) string { return d.StringFixed(2) }

func number(n int64) string { return strconv.FormatInt(n, 10) }

// count says "1 row", "2 rows".
func count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return strconv.Itoa(n) + " " + of + "s"
}

// each says "The one row", "Each of 2 rows".
func each(n int, of string) string {
	if n == 1 {
		return "The one " + of
	}
	return "Each of " + count(n, of)
}

// worth names records of a key and what their postings come to: "events 7 to 10, worth 120.50, are".
func worth(l ledger.Log) string {
	total := decimal.Zero
	for _, e := range l {
		total = total.Add(e.Event.Amount)
	}
	are := "are"
	if len(l) == 1 {
		are = "is"
	}
	return fmt.Sprintf("%s, worth %s, %s", l.Events(), money(total), are)
}
