// Package board is the board on which the processes of one run move: their names, the points they stand in, holds,
// kills, and the watches that wait for a moment. It is the same for every kind of cluster; what differs, how time passes
// and how the baton is handed on, is the Engine's.
//
// All processes of a run share one baton. Between two calls of the board a process runs alone; it gives the baton away
// only inside such a call. So whatever the board, the processes and the answers of servers touch is touched by one at a
// time, in the simulator and against real servers alike.
package board

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// Engine passes time and the baton. The simulator's is virtual and decided by a seed, the real one is goroutines, a lock
// and the wall clock.
type Engine interface {
	// Now is the time since the run began.
	Now() time.Duration
	// Clock is the wall clock in microseconds since 1970. No two calls give the same.
	Clock() int64
	// Spawn begins a process, which runs when the baton comes to it.
	Spawn(name string, run func())
	// Await gives the baton away until ready holds or the deadline is reached, and tells which: false is the deadline.
	// Only the process that has the baton calls it. Others may go on first even when ready holds already.
	Await(deadline time.Duration, ready func() bool) bool
	// Run runs until all processes have ended.
	Run() error
}

// Forever is a deadline that does not come.
const Forever = time.Duration(1<<63 - 1)

// Board is the board of one run.
type Board struct {
	engine   Engine
	recorder history.Recorder
	current  *Process
	// processes are those that have not ended, in the order of their beginning.
	processes []*Process
	// past are the lives that have ended, the last one of each worker.
	past    []*Process
	watches []*Watch
	order   Order
	ops     int64
	failure error
	// turns counts the hand-overs of the baton; turn is the process that has it. Both are for the watchdog, which looks
	// from outside.
	turns atomic.Int64
	turn  atomic.Pointer[Process]
}

// New makes an empty board.
func New(engine Engine, recorder history.Recorder) *Board {
	return &Board{engine: engine, recorder: recorder}
}

// Now is the time since the run began.
func (b *Board) Now() time.Duration { return b.engine.Now() }

// Run runs the root as a process of the given name until it ends; all processes that are left then are unwound. The
// error is that of the rig itself: a process that panicked, a world in which nothing can happen any more, or an abort.
func (b *Board) Run(name string, root func(workload.World)) error {
	b.Go(name, func(w workload.World) {
		defer func() {
			for _, p := range b.processes {
				p.doomed = p.doomed || p != b.current
			}
		}()
		root(w)
	})
	err := b.engine.Run()
	return errors.Join(b.failure, err)
}

// Abort makes every process unwind and Run return the error. The caller has the baton.
func (b *Board) Abort(err error) {
	if b.failure == nil {
		b.failure = err
	}
}

// Go begins a process. A task begun inside a process that is held is held with it.
func (b *Board) Go(name string, run func(workload.World)) {
	p := &Process{board: b, name: name, waits: "its beginning"}
	for _, q := range b.processes {
		p.held = p.held || q.held && p.family(q.name)
	}
	p.wake = func() bool { return p.doomed || b.failure != nil || p.ready() }
	p.free = func() bool { return !p.held && !b.watched(p) && (b.order == nil || b.order.Leave(p.name)) }
	b.processes = append(b.processes, p)
	b.engine.Spawn(name, func() {
		b.resume(p)
		defer b.end(p)
		p.check()
		run(p)
	})
}

// unwind is what a process that must end is unwound by. It is private, so that nothing else can be taken for it.
type unwind struct{}

// end takes a process off the board, and keeps the panic of one that was not unwound on purpose.
func (b *Board) end(p *Process) {
	b.pass(p)
	for i, q := range b.processes {
		if q == p {
			b.processes = append(b.processes[:i:i], b.processes[i+1:]...)
			break
		}
	}
	switch r := recover().(type) {
	case nil, unwind:
	default:
		b.Abort(fmt.Errorf("process %s panicked at %q: %v\n%s", p.name, p.last(), r, debug.Stack()))
	}
	b.turn.Store(nil)
}

func (b *Board) resume(p *Process) {
	b.current = p
	b.turns.Add(1)
	b.turn.Store(p)
}

// Await lets the process that has the baton wait until ready holds, at most for the given time; Forever is no limit. It
// is what every call of a cluster that has to wait is made of.
func (b *Board) Await(within time.Duration, ready func() bool) bool {
	return b.await(within, "a condition", ready)
}

// await also takes what is waited for, in words, for a world that is stuck.
func (b *Board) await(within time.Duration, what string, ready func() bool) bool {
	p := b.current
	p.check()
	p.waits, p.ready = what, ready
	deadline := Forever
	if within != Forever {
		deadline = b.engine.Now() + within
	}
	b.turn.Store(nil)
	ok := b.engine.Await(deadline, p.wake)
	b.resume(p)
	p.check()
	return ok
}

// record records an event and offers it to the watches.
func (b *Board) record(p *Process, t history.Type, f history.F, op int64, value any) {
	e := b.recorder.Record(history.Event{
		Time: int64(b.engine.Now()), Process: p.name, Type: t, F: f, Op: op, Value: value,
	})
	if b.order != nil {
		b.order.Came(e)
	}
	for _, w := range b.watches {
		w.offer(e, p)
	}
}

// Note records something that happened outside of every process, such as to a message on its way. The caller has the baton,
// or nobody has.
func (b *Board) Note(process string, f history.F, value any) {
	b.record(&Process{board: b, name: process}, history.Note, f, 0, value)
}

// Acting is the name of the process that has the baton, or had it last.
func (b *Board) Acting() string { return b.current.name }

// Find gives the process of that name, if it has not ended.
func (b *Board) Find(name string) (*Process, bool) {
	for _, p := range b.processes {
		if p.name == name {
			return p, true
		}
	}
	return nil, false
}

// pass keeps the last life of each worker that has ended: a text about what did not happen must say of it too. Only lives
// have a number, "a/1"; what else ends is the rig's own, or a task inside a life.
func (b *Board) pass(p *Process) {
	if strings.Count(p.name, "/") != 1 {
		return
	}
	for i, q := range b.past {
		if history.WorkerOf(q.name) == history.WorkerOf(p.name) {
			b.past[i] = p
			return
		}
	}
	b.past = append(b.past, p)
}

// family tells whether the process is the one of that name or a task inside it.
func (p *Process) family(name string) bool {
	return strings.HasPrefix(p.name, name) && (len(p.name) == len(name) || p.name[len(name)] == '/')
}
