package checker

import (
	"fmt"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// Two questions about what a row showed are asked by several properties, and must have one answer each.

// behind tells whether a showing is older than a mark. A value, a tombstone and a refusal's offset count at their own
// offset. Nothing at all is explained only by a delete at or above the mark that took effect or may have: what a plain
// delete leaves has no offset to compare.
func (k *key) behind(s *showing, mark int64) bool {
	switch {
	case s.shape != gone:
		return s.offset < mark
	case s.broken:
		return false
	}
	deleted, ok := k.deletes.before(s.to)
	return !ok || deleted < mark
}

// coverage says whether what was shown holds the records below an offset.
type coverage int

const (
	covers coverage = iota
	lacks
	undecided
)

// covering tells whether a showing covers every record of the key below an offset, and gives the place in the key's log of
// the record that is lacking, or would be.
//
// A value covers what is at or below its own offset. A key that is not there covers everything if its last record is a
// close; also if a delete at or above the last record took effect or may have: then the store is ahead of the offset, as
// it is between every delete and the commit that follows it.
func (r *Run) covering(k *key, s *showing, below int64) (place int, c coverage) {
	place, ok := k.below(below)
	exact := k.knownBelow(below)
	if !ok {
		if exact {
			return -1, covers
		}
		return -1, undecided
	}
	last := k.log[place]
	closed := last.Event.Kind == ledger.Close
	switch {
	case s.broken:
		return place, undecided
	case s.shape != gone && s.offset >= below-1:
		return place, covers
	case s.shape != gone && s.offset >= last.Offset:
		return place, known(exact, covers)
	case s.shape == live:
		// No record that is not known can make an old value new.
		return place, r.unlessExpired(k, s)
	case closed && s.shape == numbered:
		return place, undecided
	case closed:
		return place, known(exact, covers)
	case !exact:
		return place, undecided
	case s.shape == gone:
		if deleted, ok := k.deletes.before(s.to); ok && deleted >= last.Offset {
			return place, covers
		}
	}
	return place, r.unlessExpired(k, s)
}

func known(exact bool, c coverage) coverage {
	if exact {
		return c
	}
	return undecided
}

// unlessExpired excuses a key whose marking write may have been gone by its TTL.
func (r *Run) unlessExpired(k *key, s *showing) coverage {
	if k.expired(s.since(), r.events[s.to].Time) {
		return covers
	}
	return lacks
}

// author gives the event that tells most about who wrote what was shown: the write's answer, or its call; -1 where the
// history does not know.
func author(w *write) int {
	switch {
	case w == nil:
		return -1
	case w.answer < never:
		return w.answer
	}
	return w.call
}

// lost says which records of a key a value that ends at one offset is short of, up to another.
func (k *key) lost(after, upTo int64) string {
	l := k.between(after, upTo)
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].Event.Kind == ledger.Close {
			return fmt.Sprintf("the close at %d is undone", l[i].Offset)
		}
	}
	if len(l) == 0 {
		return fmt.Sprintf("offsets %d to %d are missing from it", after+1, upTo)
	}
	return worth(l) + ", are missing from it"
}

// shownOffset is the offset after which a showing holds nothing of the key: its own, or, where there is nothing, that of
// the last close which the newest delete that may explain it had folded.
func (k *key) shownOffset(s *showing) int64 {
	if s.shape != gone {
		return s.offset
	}
	if deleted, ok := k.deletes.before(s.to); ok {
		return deleted
	}
	return -1
}

// how says by what a showing is known.
func (s *showing) how() string {
	switch s.source {
	case sourceTruth:
		return "was found there at the start"
	case sourceRefusal:
		return "was named by a refusal"
	case sourceApplied:
		return "was stored by a conditional write"
	case sourceClock:
		return "was stored with the greatest timestamp"
	}
	switch s.purpose {
	case history.ForRecovery:
		return "was recovered"
	case history.ForProbe:
		return "was seen by a probe"
	case history.ForEnd:
		return "was read at the end"
	}
	return "was read"
}
