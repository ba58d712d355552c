package checker

import (
	"cmp"
	"slices"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// The register guarded by its offset, as one key of a fenced arm should be: what it holds, what is asked of it, and what
// each of these may do to it.

// held is what the register holds, as far as it is known.
type held struct {
	kind heldKind
	// offset is the row's offset cell, write the id of the write that made the row, empty where nobody knows it.
	offset int64
	write  string
	// value is none of a tombstone. vague: it is not known.
	value contents
	vague bool
}

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

// heldOf is what a row holds; none at all is absent.
func heldOf(row *history.Row) held {
	if row == nil {
		return held{kind: absent}
	}
	h := held{kind: stored, offset: row.Offset.N, write: row.Write}
	switch {
	case row.State != nil:
		h.value = contents{balance: row.State.Balance.String(), count: row.State.Count, offset: row.State.Offset, digest: row.State.Digest}
	default:
		h.value.broken = row.Broken
	}
	return h
}

// asked is one operation on the register.
type asked struct {
	kind askedKind
	// call and ret are the events between which it came to its moment. ret is never where the history does not say.
	call, ret int
	// offset is a write's own. stored is what a write leaves, what a read saw, or, of a refusal, the offset that it named.
	offset int64
	stored held
	// certain: the write was answered applied. Otherwise it may have been refused, or have never come.
	certain bool
	// proof is the event that tells of it.
	proof int
}

type askedKind int

const (
	// writing: a persist or a delete that took effect, or may have.
	writing askedKind = iota
	reading
	refusing
)

// on gives what the register holds after the operation, and whether its answer is possible on what it held before.
//
// A write is applied if the stored offset is not above its own; an absent row accepts any. A refusal says which offset, above
// the write's own, was stored. A write that is not certain does the same unseen; on what is not known it may do either, and
// nothing more is known after it.
func (a *asked) on(h held) (held, bool) {
	switch a.kind {
	case writing:
		switch {
		case h.kind == stored && h.offset > a.offset:
			return h, !a.certain
		case h.kind == anything && !a.certain:
			return h, true
		}
		return a.stored, true
	case refusing:
		if h.kind == anything {
			h = a.stored
		}
		return h, h.kind == stored && h.offset == a.stored.offset && h.offset > a.offset
	}
	return a.seenOn(h)
}

func (a *asked) seenOn(h held) (held, bool) {
	s := a.stored
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
func (a *asked) settles() bool {
	return a.kind == writing && a.certain || a.kind == reading && (a.stored.kind == absent || a.stored.write != "")
}

// mayHaveSeen tells whether a read or a refusal can have been given by what a write left.
func (a *asked) mayHaveSeen(w *asked) bool {
	switch {
	case a.kind == writing, a.stored.kind != stored, a.stored.offset != w.offset:
		return false
	}
	return a.stored.write == "" || w.stored.write == "" || a.stored.write == w.stored.write
}

// askedOf gives what was asked of a key, in the order of the calls, and in what state the register was before. A write that
// did nothing, and one that was refused without naming an offset, claim nothing.
func askedOf(r *Run, k *key) (start held, all []*asked) {
	if r.start >= 0 {
		start = heldOf(k.startRow)
	}
	for _, w := range k.writes {
		a := &asked{call: w.call, ret: w.answer, offset: w.v.Offset, proof: author(w)}
		switch {
		case w.outcome == history.Fail && w.stored.Known && w.answer < k.settled:
			a.kind, a.stored = refusing, held{kind: stored, offset: w.stored.N, vague: true}
		case w.outcome == history.Fail, w.outcome == history.OK && !w.applied:
			continue
		default:
			a.certain = w.applied
			a.stored = heldOf(&history.Row{Offset: history.Some(w.v.Offset), State: w.v.State, Write: w.v.Write})
			if w.f == history.Delete && removes(r.header) {
				a.stored = held{kind: absent}
			}
			if !a.certain {
				a.ret = never
			}
		}
		all = append(all, a)
	}
	for i := range k.shown {
		if s := &k.shown[i]; s.source == sourceRead {
			all = append(all, &asked{kind: reading, call: s.from, ret: s.to, stored: heldOf(s.row), proof: s.to})
		}
	}
	slices.SortStableFunc(all, func(a, b *asked) int { return cmp.Compare(a.call, b.call) })
	return start, all
}
