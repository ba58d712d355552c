package workload

import (
	"fmt"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/workload/persistence"
)

// recover begins a flow. Unless recovery is lazy, keys are recovered before anything is folded: all of the partition's, or,
// of a worker that restores from events, those on its list of keys. A key that was not is recovered at its first record. The
// start offset was fetched before; in the other order a handover in between could be missed by both.
func (l *life) recover(token Token, a Assigned) (*flow, error) {
	f := &flow{
		worker: l, partition: a.Partition, token: token, keys: l.crew.Input.KeysOf(a.Partition),
		states: map[string]ledger.State{}, kept: map[string]*persistence.Key{}, recovered: map[string]int64{}, held: map[string]int64{},
		next: a.Start, committed: a.Start, start: a.Start,
	}
	f.store = &persistence.Store{
		Arm: l.crew.Arm, Process: l.world, Rows: &l.connection, Partition: a.Partition, Owner: token,
		Life: l.process, NextWrite: l.nextWrite, Consistency: l.crew.Consistency, Events: l.config.RestoreEvents,
	}
	f.persistAt, f.commitAt = l.world.Now()+l.config.PersistEvery, l.world.Now()+l.config.CommitEvery
	f.reach(history.PointAssigned, "", a.Start, "")
	if l.config.LazyRecovery {
		return f, nil
	}
	return f, f.onAssignment()
}

// onAssignment recovers what can be known to be there.
func (f *flow) onAssignment() error {
	f.reach(history.PointRecoverBegin, "", f.start, "")
	keys := f.keys
	if f.store.Events {
		listed, err := f.store.Listed()
		if err != nil {
			return fmt.Errorf("recover partition %d: %w", f.partition, err)
		}
		keys = append([]string{}, listed...)
	}
	if err := f.restore(keys, f.store.Events); err != nil {
		return err
	}
	f.reach(history.PointRecovered, "", f.start, "")
	return nil
}

// key gives what is kept of a key, which is recovered at its first record if it was not before.
func (f *flow) key(name string) (*persistence.Key, error) {
	if k, ok := f.kept[name]; ok {
		return k, nil
	}
	f.reach(history.PointRecoverBegin, name, f.start, "")
	if err := f.restore([]string{name}, false); err != nil {
		return nil, err
	}
	f.reach(history.PointRecovered, name, f.start, "")
	return f.kept[name], nil
}

// restore recovers keys, as one operation.
func (f *flow) restore(keys []string, listed bool) error {
	w := f.worker.world
	deadline := f.worker.polled + f.worker.config.Member.MaxPollInterval
	v := history.Recovery{Partition: f.partition, Start: f.start, Keys: keys, Owner: f.token, Deadline: history.Some(int64(deadline))}
	op := w.Invoke(history.Recover, &v)
	done := v
	for _, key := range keys {
		k, err := f.store.Restore(key, listed)
		if err != nil {
			done.States, done.Error = nil, err.Error()
			w.Answer(op, history.Fail, history.Recover, &done)
			return fmt.Errorf("recover partition %d: %w", f.partition, err)
		}
		if o := k.Outcome(); o != nil {
			done.States = append(done.States, *o)
		}
		f.kept[key], f.states[key], f.recovered[key] = k, k.Recovered, -1
		if k.Recovered.Open() {
			f.recovered[key] = k.Recovered.Offset
		}
	}
	w.Answer(op, history.OK, history.Recover, &done)
	return nil
}
