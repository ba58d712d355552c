package checker

import "github.com/single-writer/chaos/ledger"

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
// A value covers what is at or below its own offset. So does a tombstone, if the records up to its offset end with a close:
// no value over posts is one that was lost, unless a delete explains it. A key that is not there covers everything if
// its last record is a close; also if a delete at or above the last record took effect or may have: then the store is
// ahead of the offset, as it is between every delete and the commit that follows it.
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
	case s.shape == tombstone && s.offset >= last.Offset && k.knownAt(s.offset) && k.fold(s.offset).Open():
		if reaches(&k.deletes, s.to, last.Offset) {
			return place, covers
		}
		return place, r.unlessExpired(k, s)
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
