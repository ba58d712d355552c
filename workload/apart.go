package workload

import (
	"slices"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// A worker may flush in a task of its own, while it polls and folds on: timers off the poll thread. The buffer is made for
// one at a time (a flush writes what it has read of a cell and then marks the cell as it is by then; kafka-flow: assumption
// A4), so that the two must take turns at each key.

// TaskFlush is the task of a worker's flushes: "a/1/flush" of "a/1".
const TaskFlush = "flush"

// flush flushes a flow: at once, or by the task, which is started unless it runs. Its error is that of the worker's next
// tick.
func (l *life) flush(f *flow) error {
	if !l.config.FlushApart {
		return f.flush()
	}
	if !slices.Contains(l.due, f) {
		l.due = append(l.due, f)
	}
	if l.flushed != nil || l.flushing {
		return l.flushed
	}
	l.flushing = true
	l.world.Go(l.process+"/"+TaskFlush, func(World) {
		for len(l.due) > 0 && l.flushed == nil {
			l.flushed = l.due[0].flush()
			l.due = l.due[1:]
		}
		l.due, l.flushing = nil, false
	})
	return nil
}

// settle waits until the task has come to its end: what it writes is the worker's own, and no partition is given up under it.
func (l *life) settle() {
	for l.flushing {
		l.world.Await(DefaultWithin, func() bool { return !l.flushing })
	}
}

// meet is where the poll loop comes to a key that is being flushed. It waits before it touches the key; without the guard
// it does not, and the same point comes after it has.
func (f *flow) meet(key string, offset int64, before bool) {
	serial := f.worker.crew.Arm.Has(persistence.SerialFlush)
	if serial != before || f.writing != key {
		return
	}
	f.reach(history.PointFlushUnderWay, key, offset, "")
	for serial && f.writing == key {
		f.worker.world.Await(DefaultWithin, func() bool { return f.writing != key })
	}
}

// waitTurn is the same for the flush, at a key that the poll loop is deleting.
func (f *flow) waitTurn(key string) {
	for f.worker.crew.Arm.Has(persistence.SerialFlush) && f.deleting == key {
		f.worker.world.Await(DefaultWithin, func() bool { return f.deleting != key })
	}
}
