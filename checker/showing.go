package checker

import (
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// shape is what a showing tells of the row.
type shape int

const (
	// gone: no row, or a row with neither value nor offset.
	gone shape = iota
	// live: a value; it counts at its own offset.
	live
	// tombstone: no value, but an offset.
	tombstone
	// numbered: an offset only, of a value or of a tombstone. This is what a refusal names.
	numbered
)

// source is where a showing comes from.
type source int

const (
	sourceRead source = iota
	sourceTruth
	// sourceRefusal: the stored offset named in a refusal counts as a read.
	sourceRefusal
	// sourceApplied: a conditional write was answered applied, so that the row was its own at that moment.
	sourceApplied
	// sourceClock: plain writes were acknowledged, and the greatest of their timestamps is whose value the row has.
	sourceClock
)

// showing is a proof of what the row was at some moment: between two events, or right after one (from == to).
type showing struct {
	from, to int
	shape    shape
	offset   int64
	// write is the write shown, where the history knows it; row is what was read, nil unless it was read.
	write   *write
	row     *history.Row
	source  source
	purpose history.Purpose
	// broken: there is a value and it is no state. Nothing is known of its offset but what the cell says.
	broken bool
}

// showingOf makes a showing of what a read returned.
func showingOf(row *history.Row, from, to int, src source) showing {
	s := showing{from: from, to: to, row: row, source: src}
	switch {
	case row == nil:
	case row.State != nil:
		s.shape, s.offset = live, row.State.Offset
	case row.Offset.Known:
		s.shape, s.offset = tombstone, row.Offset.N
		if row.Broken != "" {
			s.shape, s.broken = numbered, true
		}
	}
	if row != nil && row.Broken != "" {
		s.broken = true
	}
	return s
}

// since is the event such that what took effect before it had taken effect when the row was this. A showing by clock is
// of the moment right after its event, and that event counts.
func (s *showing) since() int {
	if s.source == sourceClock {
		return s.from + 1
	}
	return s.from
}

// state is the value shown, nil where there is none or it is not known.
func (s *showing) state() *ledger.State {
	switch {
	case s.row != nil:
		return s.row.State
	case s.write != nil && s.shape == live:
		return s.write.v.State
	}
	return nil
}

// value says what was shown, in words.
func (s *showing) value() string {
	switch {
	case s.broken:
		return "a value that is no state"
	case s.shape == gone:
		return "nothing"
	case s.shape == tombstone:
		return "a tombstone @" + number(s.offset)
	case s.shape == numbered:
		return "offset " + number(s.offset)
	}
	if st := s.state(); st != nil {
		return st.String()
	}
	return "a value @" + number(s.offset)
}

// showOrder adds what follows from the order of the writes, without any read.
//
// A conditional write that was applied was the row's value at one moment between its call and its answer. That is
// claimed only where no plain write can be in its way: a plain delete and a conditional insert in one millisecond are
// both acknowledged, and the insert is not to be seen (its timestamp is floored, the delete's is not).
//
// Plain writes are ordered by their timestamps: see newest.
func (k *key) showOrder() {
	for _, w := range k.writes {
		if !w.applied {
			continue
		}
		s := showing{from: w.call, to: w.answer, shape: live, offset: w.v.Offset, write: w, source: sourceApplied}
		if w.plain() {
			top := k.newest.at(w.answer)
			if top == nil {
				continue
			}
			s.from, s.offset, s.write, s.source = w.answer, top.v.Offset, top, sourceClock
		} else if k.plain.any(w.answer) {
			continue
		}
		if s.write.f == history.Delete {
			s.shape = tombstone
		} else if s.write.v.State != nil {
			s.offset = s.write.v.State.Offset
		}
		k.shown = append(k.shown, s)
	}
}

// proof are the events that show a showing: the read, or what it follows from; and whose write it was.
func (s *showing) proof() []int {
	proof := []int{s.to, author(s.write)}
	if s.source == sourceClock {
		proof = append(proof, s.write.effect)
	}
	return proof
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
