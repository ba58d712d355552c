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
	// effect is the event by which it certainly had taken effect: its acknowledgement, or the first read that found it.
	effect int
}

// journal is what was asked of one key's journal.
type journal struct {
	rows, removals []entry
}

// readJournal takes in what is asked of journals.
func (r *Run) readJournal(i int, e history.Event) {
	op := r.operationAt(i)
	switch v := e.Value.(type) {
	case *history.JournalWrite:
		if v != nil {
			k := r.key(v.Partition, v.Key)
			k.journal.rows = append(k.journal.rows, entry{op, v.Offset, v.Timestamp, r.entryEffect(op, v.Write)})
		}
	case *history.JournalRemoval:
		if v != nil {
			k := r.key(v.Partition, v.Key)
			k.journal.removals = append(k.journal.removals, entry{operation: op, ts: v.Timestamp})
		}
	}
}

func (r *Run) entryEffect(op operation, write string) int {
	at := never
	if op.outcome == history.OK {
		at = op.answer
	}
	if by, ok := r.inJournal[write]; ok {
		at = min(at, by)
	}
	return at
}

// seenInJournals gives, by the write, the first event that shows a journal's row.
func (r *Run) seenInJournals() map[string]int {
	found := map[string]int{}
	take := func(rows []history.JournalEntry, i int) {
		for _, row := range rows {
			if _, ok := found[row.Write]; !ok && row.Write != "" {
				found[row.Write] = i
			}
		}
	}
	for i, e := range r.events {
		switch v := e.Value.(type) {
		case *history.JournalRows:
			if v != nil {
				take(v.Rows, i)
			}
		case *history.GroundTruth:
			if v != nil {
				take(v.Journal, i)
			}
		}
	}
	return found
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
		case e.effect < i:
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

// halfRecovered takes away what recoveries from events read that came to no end: they have returned nothing, and a row is half of what
// they would have made.
func (r *Run) halfRecovered() {
	fromEvents := slices.ContainsFunc(r.events, func(e history.Event) bool {
		return e.F == history.Journal || e.F == history.JournalRead || e.F == history.JournalClear
	})
	for _, rec := range r.recoveries {
		if fromEvents && rec.outcome != history.OK {
			rec.reads = nil
		}
	}
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
