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
// Plain writes are ordered by their timestamps: see register.
func (k *key) showOrder() {
	for _, w := range k.writes {
		if !w.applied {
			continue
		}
		s := showing{from: w.call, to: w.answer, shape: live, offset: w.v.Offset, write: w, source: sourceApplied}
		if w.plain() {
			top := k.register.at(w.answer)
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

// register tells what a row that only plain writes touch holds: of the writes that took effect, the one with the
// greatest timestamp. It answers only where no other write that may have taken effect has as great a one.
type register struct {
	calls []int
	tops  []podium
	// off: the key had conditional writes, or a row whose timestamp nobody knows, from the event on.
	off int
}

// podium is the write with the greatest timestamp so far, and the next greatest timestamp.
type podium struct {
	first  *write
	second history.Opt
}

func (g *register) build(k *key) {
	g.off = never
	if len(k.guarded.calls) > 0 {
		g.off = k.guarded.calls[0]
	}
	var top podium
	if row := k.startRow; row != nil {
		top.second = row.WritetimeValue
		if !row.WritetimeValue.Known {
			g.off = -1
		}
	}
	for _, w := range k.writes {
		if w.void || !w.plain() {
			continue
		}
		switch {
		case top.first == nil:
			top.first = w
		case w.ts.N > top.first.ts.N:
			top.first, top.second = w, greater(top.second, top.first.ts)
		default:
			top.second = greater(top.second, w.ts)
		}
		g.calls, g.tops = append(g.calls, w.call), append(g.tops, top)
	}
}

func greater(a, b history.Opt) history.Opt {
	if a.Known && a.N >= b.N {
		return a
	}
	return b
}

// at gives the write that the row holds right after the event i, nil where that is not certain.
func (g *register) at(i int) *write {
	if g.off <= i {
		return nil
	}
	n := (&peak{calls: g.calls}).count(i + 1)
	if n == 0 {
		return nil
	}
	top := g.tops[n-1]
	if top.second.Known && top.second.N >= top.first.ts.N || top.first.effect > i {
		return nil
	}
	return top.first
}

// lost tells whether a plain write certainly changed nothing: one with a greater timestamp had taken effect before its
// call, and no read showed it.
func (g *register) lost(w *write) bool {
	n := (&peak{calls: g.calls}).count(w.call)
	if !w.plain() || w.first != nil || n == 0 {
		return false
	}
	top := g.tops[n-1].first
	return top.ts.N > w.ts.N && top.effect < w.call
}
