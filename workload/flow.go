package workload

import (
	"fmt"
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
	// states are what the fold has come to, snapshots what of it is held for the store: the buffer may keep an older or a
	// newer state than the fold has.
	states    map[string]ledger.State
	snapshots map[string]*persistence.Snapshot
	// recovered is, by key, the offset that the recovered state covers: what the replay filter compares with.
	recovered map[string]int64
	// held is, by key, the offset of the first record that is folded and not stored: a commit must stay at or below it.
	held map[string]int64
	// next is the next offset to read, committed the highest that was committed under this assignment.
	next, committed int64
	persistAt       time.Duration
	commitAt        time.Duration
}

// recover begins a flow: it reads every key of the partition before anything is folded. The start offset was fetched
// before; in the other order a handover in between could be missed by both.
func (l *life) recover(token Token, a Assigned) (*flow, error) {
	f := &flow{
		worker: l, partition: a.Partition, token: token, keys: l.crew.Input.KeysOf(a.Partition),
		states: map[string]ledger.State{}, snapshots: map[string]*persistence.Snapshot{}, recovered: map[string]int64{}, held: map[string]int64{},
		next: a.Start, committed: a.Start,
	}
	f.store = &persistence.Store{
		Arm: l.crew.Arm, Process: l.world, Rows: l.crew.Rows, Partition: a.Partition, Owner: token,
		NextWrite: l.nextWrite, Consistency: l.crew.Consistency,
	}
	f.persistAt, f.commitAt = l.world.Now()+l.config.PersistEvery, l.world.Now()+l.config.CommitEvery
	f.reach(PointAssigned, "", a.Start, "")
	f.reach(PointRecoverBegin, "", a.Start, "")
	v := history.Recovery{Partition: a.Partition, Start: a.Start, Keys: f.keys, Owner: token}
	op := l.world.Invoke(history.Recover, &v)
	for _, key := range f.keys {
		s, err := f.store.Recover(key)
		if err != nil {
			failed := v
			failed.Error = err.Error()
			l.world.Answer(op, history.Fail, history.Recover, &failed)
			return nil, fmt.Errorf("recover partition %d: %w", a.Partition, err)
		}
		f.states[key], f.snapshots[key], f.recovered[key] = s.State(), s, -1
		if s.State().Open() {
			f.recovered[key] = s.State().Offset
		}
	}
	done := v
	l.world.Answer(op, history.OK, history.Recover, &done)
	f.reach(PointRecovered, "", a.Start, "")
	return f, nil
}

func (f *flow) reach(point, key string, offset int64, outcome string) {
	f.worker.world.Point(history.PointReached{
		Point: point, Partition: f.partition, Key: key, Offset: history.Some(offset), Owner: f.token, Outcome: outcome,
	})
}

// take folds one batch of records, in order, and deletes at its end what it closed.
func (f *flow) take(records []Record) error {
	f.reach(PointPolled, "", records[len(records)-1].Offset, "")
	closed := map[string]int64{}
	for _, r := range records {
		e, err := decodeRecord(r)
		if err != nil {
			return err
		}
		s, ok := f.snapshots[e.Account]
		if !ok {
			return fmt.Errorf("partition %d offset %d: account %q is not of this partition", r.Partition, r.Offset, e.Account)
		}
		f.fold(s, e, r.Offset, closed)
		f.next = r.Offset + 1
		f.reach(PointFolded, e.Account, r.Offset, "")
		if f.worker.poison != nil {
			return f.worker.poison
		}
	}
	for _, key := range f.keys {
		offset, ok := closed[key]
		if !ok {
			continue
		}
		if err := f.snapshots[key].Delete(offset); err != nil {
			return err
		}
		delete(f.held, key)
	}
	return nil
}

// fold folds one record, unless the replay filter finds that the recovered state holds it already: after a crash between
// a flush and its commit the next owner reads such records again.
func (f *flow) fold(s *persistence.Snapshot, e ledger.Event, offset int64, closed map[string]int64) {
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
	s.Append(next, offset)
}

// tick flushes and commits what is due. It comes after every poll, an empty one too.
func (f *flow) tick() error {
	now := f.worker.world.Now()
	if due(now, &f.persistAt, f.worker.config.PersistEvery) {
		if err := f.flush(); err != nil {
			return err
		}
	}
	if due(now, &f.commitAt, f.worker.config.CommitEvery) {
		f.commit()
	}
	return nil
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
		if err := f.snapshots[key].Flush(); err != nil {
			return err
		}
		if !f.snapshots[key].Dirty() {
			delete(f.held, key)
		}
	}
	return nil
}

// giveUp ends a flow. With flush-on-revoke what is dirty is stored, whoever owns the partition by now. An error of that is
// recorded with the write and otherwise ignored, like the original's: nobody is left whom it could stop.
func (f *flow) giveUp() {
	if !f.worker.config.FlushOnRevoke {
		return
	}
	f.reach(PointFlushOnRevoke, "", f.next, "")
	for _, key := range f.keys {
		_ = f.snapshots[key].Flush()
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
	f.reach(PointBeforeCommit, "", offset, "")
	v := history.OffsetCommit{Partition: f.partition, Offset: offset, Owner: f.token}
	op := w.Invoke(history.Commit, &v)
	call := f.worker.member.Commit(f.token, f.partition, offset)
	f.reach(PointCommitSent, "", offset, "")
	answer, outcome, err := call.Await()
	done, result := v, OutcomeApplied
	t := outcome.Type()
	switch {
	case outcome == persistence.Unknown:
		done.Code, done.Error, result = persistence.CodeOf(err), err.Error(), OutcomeUnknown
	case outcome == persistence.Failed:
		done.Code, done.Error, result = persistence.CodeOf(err), err.Error(), OutcomeRefused
	case answer.Code != "":
		t, done.Code, result = history.Fail, answer.Code, OutcomeRefused
	default:
		f.committed = offset
	}
	w.Answer(op, t, history.Commit, &done)
	f.reach(PointCommitAnswered, "", offset, result)
}

func decodeRecord(r Record) (ledger.Event, error) {
	e, err := ledger.DecodeEvent(r.Value)
	if err != nil {
		return ledger.Event{}, fmt.Errorf("partition %d offset %d: %w", r.Partition, r.Offset, err)
	}
	return e, nil
}
