package controls

import (
	"slices"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/history"
)

// What a control is about, as a run can show it: a case that holds is one only if its runs came into the danger.

// lateRefused: a write of a former owner was refused by the row.
var lateRefused = sight{"a former owner's write was refused", func(_ *history.History, v controller.Verdict) bool {
	return v.Audit.Counts[checker.RefusedByCondition] > 0
}}

// livelocked: a rightful owner was refused until the end.
var livelocked = sight{"a rightful owner was refused for ever", func(_ *history.History, v controller.Verdict) bool {
	return slices.Contains(v.Failing(), checker.Progress)
}}

// handedOver: a state was recovered, by whoever came next.
var handedOver = sight{"a later life recovered what an earlier one had stored", func(h *history.History, _ controller.Verdict) bool {
	return slices.ContainsFunc(h.Events, func(e history.Event) bool {
		v, ok := e.Value.(*history.RowRead)
		return ok && e.Type == history.OK && v.Purpose == history.ForRecovery && v.Row != nil && v.Row.State != nil
	})
}}

// flushUnderWay: a record was folded, or was about to be, while a flush of its key was under way.
var flushUnderWay = sight{"a record came to a key whose flush was under way", func(h *history.History, _ controller.Verdict) bool {
	return slices.ContainsFunc(h.Events, func(e history.Event) bool {
		v, ok := e.Value.(*history.PointReached)
		return ok && v.Point == history.PointFlushUnderWay
	})
}}

// lostFirst: a first write found no row and then lost the race for it.
var lostFirst = sight{"a first write lost the race for its row", func(h *history.History, _ controller.Verdict) bool {
	return ended(h, func(_ history.Event, v *history.Write) bool { return raced(v) })
}}

// spurious: a first write lost the race, and found no row when it looked again: a conflict with nobody.
var spurious = sight{"a first write lost to a row that was gone again", func(h *history.History, _ controller.Verdict) bool {
	return ended(h, func(e history.Event, v *history.Write) bool {
		n := len(v.Statements)
		return e.Type == history.Fail && v.Code == history.CodeCondition && raced(v) &&
			v.Statements[n-1].Result == history.ResultAbsent
	})
}}

// raced tells whether a write found no row and was refused by one in its next statement.
func raced(v *history.Write) bool {
	return len(v.Statements) > 1 && v.Statements[0].Result == history.ResultAbsent &&
		v.Statements[1].Result == history.ResultRefused
}

// ended looks for the end of a write.
func ended(h *history.History, is func(history.Event, *history.Write) bool) bool {
	return slices.ContainsFunc(h.Events, func(e history.Event) bool {
		v, ok := e.Value.(*history.Write)
		return ok && e.Type != history.Invoke && is(e, v)
	})
}

// reapedAmidFirst: a row was taken away while a first write of its key was under way.
var reapedAmidFirst = sight{"a row was reaped in the middle of a first write", func(h *history.History, _ controller.Verdict) bool {
	var reaps []int
	for i, e := range h.Events {
		if v, ok := e.Value.(*history.FaultDone); ok && v.Fault == history.FaultReap && v.Phase == history.PhaseDone {
			reaps = append(reaps, i)
		}
	}
	calls := map[int64]int{}
	for i, e := range h.Events {
		v, ok := e.Value.(*history.Write)
		switch {
		case !ok:
		case e.Type == history.Invoke:
			calls[e.Op] = i
		case v.Statements != nil && v.Statements[0].Result == history.ResultAbsent:
			within := func(at int) bool {
				return calls[e.Op] < at && at < i && h.Events[at].Value.(*history.FaultDone).Target == v.Key
			}
			if slices.ContainsFunc(reaps, within) {
				return true
			}
		}
	}
	return false
}}

// residue: a recovery found a tombstone, and in the journal rows below it.
var residue = sight{"a recovery found rows of an ended life in the journal", func(h *history.History, _ controller.Verdict) bool {
	return journalBeside(h, func(row *history.Row, log []history.JournalEntry) bool {
		return row.State == nil && len(log) > 0 && log[0].Offset <= row.Offset.N
	})
}}

// behind: a recovery found a journal that lacks events of the snapshot beside it.
var behind = sight{"a recovery found a journal that lacked what its snapshot had", func(h *history.History, _ controller.Verdict) bool {
	return journalBeside(h, func(row *history.Row, log []history.JournalEntry) bool {
		return row.State != nil && (len(log) == 0 || log[len(log)-1].Offset < row.Offset.N)
	})
}}

// journalBeside looks for a recovery that read a row and then, of the same key, a journal.
func journalBeside(h *history.History, is func(*history.Row, []history.JournalEntry) bool) bool {
	rows := map[string]*history.Row{}
	return slices.ContainsFunc(h.Events, func(e history.Event) bool {
		if e.Type != history.OK {
			return false
		}
		switch v := e.Value.(type) {
		case *history.RowRead:
			if v.Purpose == history.ForRecovery {
				rows[e.Process+v.Key] = v.Row
			}
		case *history.JournalRows:
			row := rows[e.Process+v.Key]
			return row != nil && row.Offset.Known && is(row, v.Rows)
		}
		return false
	})
}
