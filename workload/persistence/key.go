package persistence

import (
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// Key is all that a worker keeps of one key: the buffer of its snapshot and, where it restores from events, its journal and
// its place on the list of keys. The three are written one after another and by nothing together, so that a crash, or
// another owner, can come in between.
type Key struct {
	*Snapshot
	// Recovered is what was recovered, from which the worker folds on. The buffer may hold a newer one.
	Recovered ledger.State
	// journal is nil where the worker restores from snapshots.
	journal *journal
	listed  bool
}

// Append takes a folded event and the state that it led to.
func (k *Key) Append(e ledger.Event, s ledger.State, offset int64) {
	if k.journal != nil {
		k.journal.append(e, offset)
	}
	k.Snapshot.Append(s, offset)
}

// Dirty tells whether a flush would write.
func (k *Key) Dirty() bool {
	return k.Snapshot.Dirty() || k.journal != nil && len(k.journal.pending) > 0
}

// Flush stores what is dirty: the events before the snapshot that they lead to, so that no snapshot is stored of which the
// journal lacks events; then, the first time, the key's place on the list.
func (k *Key) Flush() error {
	switch {
	case k.journal == nil:
		return k.Snapshot.Flush()
	case !k.Dirty():
		return nil
	case k.Snapshot.Dirty() && !k.State().Open():
		return k.Delete(k.cell.offset)
	}
	first, second := k.journal.flush, k.Snapshot.Flush
	if k.store.Arm.fenced() && !k.store.Arm.Has(JournalOrder) {
		first, second = second, first
	}
	if err := first(); err != nil {
		return err
	}
	if err := second(); err != nil {
		return err
	}
	return k.list(true)
}

// Delete ends the key at the offset of its close: the snapshot first. A crash after it leaves rows in the journal that lie
// below a tombstone, and a recovery leaves them out; in the other order it would leave a snapshot that nothing ends.
func (k *Key) Delete(offset int64) error {
	writes := k.deletes()
	if err := k.Snapshot.Delete(offset); err != nil {
		return err
	}
	switch {
	case k.journal == nil:
		return nil
	case !writes:
		k.journal.pending = nil
		return nil
	}
	if err := k.journal.clear(); err != nil {
		return err
	}
	return k.list(false)
}

// list puts the key on the list of its partition, or takes it off, unless it is so already.
func (k *Key) list(on bool) error {
	f := history.KeyAdd
	switch {
	case on && k.listed:
		return nil
	case !on:
		f = history.KeyRemove
	}
	if err := k.store.list(f, k.key); err != nil {
		return err
	}
	k.listed = on
	return nil
}
