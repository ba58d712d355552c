package persistence

import (
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// Restore recovers a key: from its row, or from its journal. listed tells whether the key was found on the list of keys.
//
// From the journal alone, all of its events are folded from nothing: that is what an arm without a fence does, and why
// whatever is left in the journal comes back. The full fence reads the row first: its value is what to fold onto, and its
// offset, a tombstone's too, the floor; of the journal only what lies above the floor counts (kafka-flow pull request 834).
func (s *Store) Restore(key string, listed bool) (*Key, error) {
	b := &Snapshot{store: s, key: key}
	if !s.Events || s.Arm.fenced() {
		var err error
		if b, err = s.Recover(key); err != nil {
			return nil, err
		}
	}
	if !s.Events {
		return &Key{Snapshot: b, Recovered: b.State()}, nil
	}
	return s.restore(b, listed)
}

// restore folds a journal onto what is known of its key.
func (s *Store) restore(b *Snapshot, listed bool) (*Key, error) {
	k := &Key{Snapshot: b, journal: &journal{store: s, key: b.key}, listed: listed}
	log, err := k.journal.read()
	if err != nil {
		return nil, err
	}
	b.stored = b.stored || len(log) > 0
	if s.Arm.Has(JournalFloorFilter) {
		k.Recovered = b.State()
		if b.cell.known {
			log = log[len(log.UpTo(b.cell.offset)):]
		}
	}
	for _, e := range log {
		k.Recovered = k.Recovered.Fold(e.Event, e.Offset)
	}
	switch n := len(log); {
	case s.Arm.Has(JournalFloor) && b.cell.known && (n == 0 || log[n-1].Offset < b.cell.offset):
		// What the filter does row by row, done to the whole: rows below the floor that lie under one above it are not found
		// out (kafka-flow: F-7).
		k.Recovered = b.State()
	case n > 0:
		b.initPersisted(k.Recovered, log[n-1].Offset)
	}
	return k, nil
}

// initPersisted holds what a recovery made of a journal. It is as durable as a stored state, and so clean. In the fence it
// goes the way of every state, through the monotone buffer: it must not lower the floor that the row has set (kafka-flow: F-3).
func (b *Snapshot) initPersisted(s ledger.State, offset int64) {
	if b.store.Arm.Has(MonotoneInit) && b.cell.known && offset < b.cell.offset {
		return
	}
	b.cell = cell{state: s, offset: offset, known: true, clean: true}
}

// Outcome is what the recovery made of the key, for the history; nil where it is just the row.
func (k *Key) Outcome() *history.RecoveredKey {
	if k.journal == nil {
		return nil
	}
	out := &history.RecoveredKey{Key: k.key}
	if k.Recovered.Open() {
		s := k.Recovered
		out.State = &s
	}
	if k.cell.known {
		out.Floor = history.Some(k.cell.offset)
	}
	return out
}
