// Package register searches for an order in which a register guarded by its offset would have given all the answers that
// were given: linearizability, of one key. It knows operations and what a row holds, and nothing of histories or verdicts.
package register

import (
	"math"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// Held is what the register holds, as far as it is known.
type Held struct {
	kind heldKind
	// offset is the row's offset cell, write the id of the write that made the row, empty where nobody knows it.
	offset int64
	write  string
	// value is none of a tombstone. vague: it is not known.
	value contents
	vague bool
}

// Removed is what a write leaves that takes the row away.
func Removed() Held { return Held{kind: absent} }

// At is what is known of a register by its offset alone.
func At(offset int64) Held { return Held{kind: stored, offset: offset, vague: true} }

// contents tell any two values apart, and can be compared by ==, which a state's balance cannot.
type contents struct {
	balance, broken string
	count, offset   int64
	digest          ledger.Digest
}

type heldKind int

const (
	// anything: nothing is known of the row, not even whether there is one.
	anything heldKind = iota
	absent
	stored
)

// By is what the register holds where this row was read; none at all is absent. The zero Held is what nobody knows.
func By(row *history.Row) Held {
	if row == nil {
		return Held{kind: absent}
	}
	h := Held{kind: stored, offset: row.Offset.N, write: row.Write}
	switch {
	case row.State != nil:
		h.value = contents{balance: row.State.Balance.String(), count: row.State.Count, offset: row.State.Offset,
			digest: row.State.Digest}
	default:
		h.value.broken = row.Broken
	}
	return h
}

// Operation is one operation on the register.
type Operation struct {
	Kind Kind
	// Call and Return are the events between which it came to its moment. Return is Never where the history does not say.
	Call, Return int
	// Offset is a write's own. Held is what a write leaves, what a read saw, or, of a refusal, the offset that it named.
	Offset int64
	Held   Held
	// Certain: the write was answered applied. Otherwise it may have been refused, or have never come.
	Certain bool
	// Proof is the event that tells of it.
	Proof int
}

// Kind is what an operation is.
type Kind int

const (
	// Writing: a persist or a delete that took effect, or may have.
	Writing Kind = iota
	Reading
	Refusing
)

// Never is the Return of an operation that may come at any time from its call on.
const Never = math.MaxInt

// on gives what the register holds after the operation, and whether its answer is possible on what it held before.
//
// A write is applied if the stored offset is not above its own; an absent row accepts any. A refusal says which offset, above
// the write's own, was stored. A write that is not certain does the same unseen; on what is not known it may do either, and
// nothing more is known after it.
func (a *Operation) on(h Held) (Held, bool) {
	switch a.Kind {
	case Writing:
		switch {
		case h.kind == stored && h.offset > a.Offset:
			return h, !a.Certain
		case h.kind == anything && !a.Certain:
			return h, true
		}
		return a.Held, true
	case Refusing:
		if h.kind == anything {
			h = a.Held
		}
		return h, h.kind == stored && h.offset == a.Held.offset && h.offset > a.Offset
	}
	return a.seenOn(h)
}

func (a *Operation) seenOn(h Held) (Held, bool) {
	s := a.Held
	switch {
	case h.kind == anything:
		return s, true
	case h.kind != s.kind:
		return h, false
	case h.kind == absent:
		return h, true
	case h.offset != s.offset, h.write != "" && s.write != "" && h.write != s.write, !h.vague && h.value != s.value:
		return h, false
	case h.vague:
		return s, true
	}
	return h, true
}

// settles tells whether the register is known exactly after the operation, whatever was before.
func (a *Operation) settles() bool {
	return a.Kind == Writing && a.Certain || a.Kind == Reading && (a.Held.kind == absent || a.Held.write != "")
}

// mayHaveSeen tells whether a read or a refusal can have been given by what a write left.
func (a *Operation) mayHaveSeen(w *Operation) bool {
	switch {
	case a.Kind == Writing, a.Held.kind != stored, a.Held.offset != w.Offset:
		return false
	}
	return a.Held.write == "" || w.Held.write == "" || a.Held.write == w.Held.write
}
