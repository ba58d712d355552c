package persistence

import (
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// Snapshot is the buffer of one key: what the worker holds of it, and whether that is stored.
//
// In a fenced arm the buffer is monotone: it never goes below the highest offset that it held, by recovery or by fold,
// because a rightful owner that replays records below that offset would else be refused by its own row for ever.
type Snapshot struct {
	store *Store
	key   string
	cell  cell
	// stored tells whether there is, as far as this owner knows, a row.
	stored bool
}

// cell is a state with its offset, or a tombstone with its offset when the state is not open.
type cell struct {
	state  ledger.State
	offset int64
	// known is false while nothing was recovered or folded; clean tells that the store holds the cell.
	known, clean bool
}

// State is what is held: the zero State when the account is not open.
func (b *Snapshot) State() ledger.State { return b.cell.state }

// Dirty tells whether a flush would write.
func (b *Snapshot) Dirty() bool { return b.cell.known && !b.cell.clean }

// Append holds the state after the record at the offset. A state that is held already stays as clean as it is.
func (b *Snapshot) Append(s ledger.State, offset int64) {
	if b.below(offset) {
		b.store.Drop(b.key, offset, MonotoneBuffer, b.cell.offset)
		return
	}
	if b.cell.known && b.cell.offset == offset && b.cell.state.Equal(s) {
		return
	}
	b.cell = cell{state: s, offset: offset, known: true}
}

// below tells whether the monotone buffer drops what is at the offset.
func (b *Snapshot) below(offset int64) bool {
	return b.store.Arm.Has(MonotoneBuffer) && b.cell.known && offset < b.cell.offset
}

// Flush stores the state if it is dirty.
func (b *Snapshot) Flush() error {
	if !b.Dirty() {
		return nil
	}
	if !b.cell.state.Open() {
		return b.flushDelete()
	}
	s := b.cell.state
	if err := b.write(history.Persist, &s); err != nil {
		return err
	}
	b.cell.clean, b.stored = true, true
	return nil
}

// Delete ends the key at the offset of its close, and removes what is stored of it at once.
func (b *Snapshot) Delete(offset int64) error {
	if b.below(offset) {
		offset = b.cell.offset
	}
	b.cell = cell{offset: offset, known: true}
	return b.flushDelete()
}

// flushDelete removes the row. A worker deletes only what it has stored or found; the full fence leaves a tombstone in any
// case, or a stale first flush would find nothing that refuses it.
func (b *Snapshot) flushDelete() error {
	if !b.deletes() {
		b.cell.clean = true
		return nil
	}
	if err := b.write(history.Delete, nil); err != nil {
		return err
	}
	b.cell.clean, b.stored = true, b.store.Arm.Has(TombstoneGuard)
	return nil
}

// deletes tells whether a delete has anything to write.
func (b *Snapshot) deletes() bool { return b.stored || b.store.Arm.Has(NeverPersisted) }

// write does one persist or delete of what is held, in the arm's way.
func (b *Snapshot) write(f history.F, state *ledger.State) error {
	c, err := b.store.begin(f, b.key, b.cell.offset, state)
	if err != nil {
		return err
	}
	return c.finish(b.store.Arm.strategy(f)(c))
}
