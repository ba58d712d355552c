package checker

import (
	"slices"

	"github.com/single-writer/chaos/history"
)

// Owners that restore from events keep a journal beside the snapshots, and what they recover is not a row alone. The journal
// itself is judged by nobody: what counts is what a recovery made of it, which its answer tells.

// entry is a row of a journal, or the removal of all of a key's.
type entry struct {
	operation
	offset, ts int64
}

// journal is what was asked of one key's journal.
type journal struct {
	rows, removals []entry
}

// readJournal takes in what is asked of journals.
func (r *Run) readJournal(i int, e history.Event) {
	switch v := e.Value.(type) {
	case *history.JournalWrite:
		if v != nil {
			k := r.key(v.Partition, v.Key)
			k.journal.rows = append(k.journal.rows, entry{r.operationAt(i), v.Offset, v.Timestamp})
		}
	case *history.JournalRemoval:
		if v != nil {
			k := r.key(v.Partition, v.Key)
			k.journal.removals = append(k.journal.removals, entry{operation: r.operationAt(i), ts: v.Timestamp})
		}
	}
}

// journaled tells whether the key's journal holds, right before the event i, a row at or above the offset: then what is
// stored of the key is more than its snapshot. A row counts unless it was not written, or a removal with a later timestamp
// was acknowledged; one in doubt leaves it undecided.
func (k *key) journaled(i int, offset int64) coverage {
	removed := int64(-1)
	for _, e := range k.journal.removals {
		if e.answer < i && e.outcome == history.OK {
			removed = max(removed, e.ts)
		}
	}
	found := lacks
	for _, e := range k.journal.rows {
		switch {
		case e.call >= i || e.offset < offset || e.ts <= removed || e.outcome == history.Fail:
		case e.answer < i && e.outcome == history.OK:
			return covers
		default:
			found = undecided
		}
	}
	return found
}

// orJournaled is what a snapshot covers together with the journal.
func (k *key) orJournaled(c coverage, i int, offset int64) coverage {
	if c == covers {
		return c
	}
	if j := k.journaled(i, offset); c == lacks || j == covers {
		return j
	}
	return c
}

// returned takes in what a recovery from events made of its keys, in the place of the rows that it read of them.
func (r *Run) returned(rec *recovery) {
	v, _ := r.events[rec.answer].Value.(*history.Recovery)
	if v == nil || rec.outcome != history.OK {
		return
	}
	for _, state := range v.States {
		k := r.key(rec.v.Partition, state.Key)
		rec.reads = slices.DeleteFunc(rec.reads, func(read recovered) bool { return read.key == k })
		row := &history.Row{Offset: state.Floor, State: state.State}
		if state.State == nil && !state.Floor.Known {
			row = nil
		}
		s := showingOf(row, rec.call, rec.answer, sourceRead)
		s.purpose = history.ForRecovery
		rec.reads = append(rec.reads, recovered{k, s, true})
		k.returned = append(k.returned, s)
	}
}
