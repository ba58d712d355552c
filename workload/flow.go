package workload

import (
	"fmt"
	"slices"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/workload/persistence"
)

// flow is one partition in the hands of one owner: its keys, their buffers, and the offset up to which it was read. It
// belongs to one assignment and is dropped with it.
type flow struct {
	worker    *life
	partition int32
	token     Token
	store     *persistence.Store
	keys      []string
	// states are what the fold has come to, held for the store by kept: the buffer may keep an older or a newer state than
	// the fold has. A key that is not recovered yet is in neither.
	states map[string]ledger.State
	kept   map[string]*persistence.Key
	// recovered is, by key, the offset that the recovered state covers: what the replay filter compares with.
	recovered map[string]int64
	// held is, by key, the offset of the first record that is folded and not stored: a commit must stay at or below it.
	held map[string]int64
	// next is the next offset to read, committed the highest that was committed under this assignment.
	next, committed int64
	// start is the offset that the partition was handed over at.
	start int64
	// writing is the key that is being flushed, deleting the one that is being deleted; empty where none is.
	writing, deleting string
	persistAt         time.Duration
	commitAt          time.Duration
}

func (f *flow) reach(point, key string, offset int64, outcome string) {
	f.worker.world.Point(history.PointReached{
		Point: point, Partition: f.partition, Key: key, Offset: history.Some(offset), Owner: f.token, Outcome: outcome,
	})
}

// take folds one batch of records, in order, and deletes at its end what it closed.
func (f *flow) take(records []Record) error {
	f.reach(history.PointPolled, "", records[len(records)-1].Offset, "")
	closed := map[string]int64{}
	for _, r := range records {
		e, err := decodeRecord(r)
		if err != nil {
			return err
		}
		if !slices.Contains(f.keys, e.Account) {
			return fmt.Errorf("partition %d offset %d: account %q is not of this partition", r.Partition, r.Offset, e.Account)
		}
		k, err := f.key(e.Account)
		if err != nil {
			return err
		}
		f.meet(e.Account, r.Offset, true)
		f.fold(k, e, r.Offset, closed)
		f.meet(e.Account, r.Offset, false)
		f.next = r.Offset + 1
		f.reach(history.PointFolded, e.Account, r.Offset, "")
		if f.worker.poison != nil {
			return f.worker.poison
		}
	}
	for _, key := range f.keys {
		offset, ok := closed[key]
		if !ok {
			continue
		}
		if err := f.end(key, offset); err != nil {
			return err
		}
	}
	return nil
}

// end deletes a key that was closed.
func (f *flow) end(key string, offset int64) error {
	f.meet(key, offset, true)
	f.deleting = key
	if err := f.kept[key].Delete(offset); err != nil {
		return err
	}
	f.deleting = ""
	delete(f.held, key)
	return nil
}

// fold folds one record, unless the replay filter finds that the recovered state holds it already: after a crash between
// a flush and its commit the next owner reads such records again.
func (f *flow) fold(k *persistence.Key, e ledger.Event, offset int64, closed map[string]int64) {
	if floor := f.recovered[e.Account]; f.worker.crew.Arm.Has(persistence.ReplayFilter) && offset <= floor {
		f.store.Drop(e.Account, offset, persistence.ReplayFilter, floor)
		return
	}
	if _, ok := f.held[e.Account]; !ok {
		f.held[e.Account] = offset
	}
	next := f.states[e.Account].Fold(e, offset)
	f.states[e.Account] = next
	if next.Open() {
		delete(closed, e.Account)
	} else {
		closed[e.Account] = offset
	}
	k.Append(e, next, offset)
}

// tick flushes and commits what is due. It comes after every poll, an empty one too.
func (f *flow) tick() error {
	now := f.worker.world.Now()
	if f.due(history.Persist, now, &f.persistAt, f.worker.config.PersistEvery) {
		if err := f.worker.flush(f); err != nil {
			return err
		}
	}
	if f.due(history.Commit, now, &f.commitAt, f.worker.config.CommitEvery) {
		f.commit()
	}
	return nil
}

// due tells whether a flush or a commit is to be done now.
func (f *flow) due(what history.F, now time.Duration, at *time.Duration, every time.Duration) bool {
	if decide := f.worker.crew.Due; decide != nil {
		return decide(f.worker.process, f.partition, what)
	}
	return due(now, at, every)
}

// due tells whether something periodic is to be done now; every 0s is after every poll, whatever the clock says.
func due(now time.Duration, at *time.Duration, every time.Duration) bool {
	if every <= 0 {
		return true
	}
	if now < *at {
		return false
	}
	*at = now + every
	return true
}

// flush stores every dirty key. An error ends it, and the worker: what a refused flush means is for a new life to find.
func (f *flow) flush() error {
	for _, key := range f.keys {
		k, ok := f.kept[key]
		if !ok {
			continue
		}
		f.waitTurn(key)
		f.writing = key
		err := k.Flush()
		f.writing = ""
		switch {
		case err == nil && k.Dirty():
		case err == nil, !f.worker.crew.Arm.Has(persistence.PersistErrors):
			// Without the guard that is called so, a failed write lets go of the key like one that stored it (as in kafka-flow,
			// where a key that is unloaded is let go of whatever came of its flush: pull request 934).
			delete(f.held, key)
		case !f.worker.config.IgnorePersistErrors:
			return err
		}
	}
	return nil
}

// giveUp ends a flow. With flush-on-revoke what is dirty is stored, whoever owns the partition by now. An error of that is
// recorded with the write and otherwise ignored, like the original's: nobody is left whom it could stop.
func (f *flow) giveUp() {
	f.worker.settle()
	if !f.worker.config.FlushOnRevoke {
		return
	}
	f.reach(history.PointFlushOnRevoke, "", f.next, "")
	for _, key := range f.keys {
		if k, ok := f.kept[key]; ok {
			_ = k.Flush()
		}
	}
}

// commit commits the lowest held offset, or all that was read when nothing is held, if that is further than before. A
// refused commit is recorded and otherwise ignored, like the original's: the next poll tells what it meant.
func (f *flow) commit() {
	offset := f.next
	for _, held := range f.held {
		offset = min(offset, held)
	}
	if offset <= f.committed {
		return
	}
	w := f.worker.world
	f.reach(history.PointBeforeCommit, "", offset, "")
	v := history.OffsetCommit{Partition: f.partition, Offset: offset, Owner: f.token}
	op := w.Invoke(history.Commit, &v)
	call := f.worker.member.Commit(f.token, f.partition, offset)
	f.reach(history.PointCommitSent, "", offset, "")
	answer, outcome, err := call.Await()
	done, result := v, history.OutcomeApplied
	t := outcome.Type()
	switch {
	case outcome == persistence.Unknown:
		done.Code, done.Error, result = persistence.CodeOf(err), err.Error(), history.OutcomeUnknown
	case outcome == persistence.Failed:
		done.Code, done.Error, result = persistence.CodeOf(err), err.Error(), history.OutcomeFailed
	case answer.Code != "":
		t, done.Code, result = history.Fail, answer.Code, history.OutcomeRefused
	default:
		f.committed = offset
	}
	w.Answer(op, t, history.Commit, &done)
	f.reach(history.PointCommitAnswered, "", offset, result)
}

func decodeRecord(r Record) (ledger.Event, error) {
	e, err := ledger.DecodeEvent(r.Value)
	if err != nil {
		return ledger.Event{}, fmt.Errorf("partition %d offset %d: %w", r.Partition, r.Offset, err)
	}
	return e, nil
}
