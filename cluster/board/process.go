package board

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// Process is one process of a run; it is the World of the code that it runs.
type Process struct {
	board *Board
	name  string
	// reached is the last point reached, inside tells whether the process still stands in it. The watchdog reads reached
	// without the baton.
	reached atomic.Pointer[history.PointReached]
	inside  bool
	// waits says what the process has given the baton away for.
	waits string
	// asked is the request that it started last.
	asked asked
	// ready is the condition that it waits for, wake the same for one that may also be unwound, free that nothing keeps it
	// in its point. They are kept here so that a wait allocates nothing.
	ready, wake, free func() bool

	held   bool
	doomed bool
}

var _ workload.World = (*Process)(nil)

// acting is the process that has the baton, if it is a task inside this one: what code that is shared with a task does by
// the world of the whole, the task does.
func (p *Process) acting() *Process {
	if now := p.board.current; now != p && now.family(p.name) {
		return now
	}
	return p
}

// check unwinds a process that was killed or stopped, or whose run was aborted: from every call of the world, also from
// those made while it is being unwound already.
func (p *Process) check() {
	if p.doomed || p.board.failure != nil {
		panic(unwind{})
	}
}

// last names the last point reached; it is empty before the first.
func (p *Process) last() string {
	v := p.reached.Load()
	switch {
	case v == nil:
		return ""
	case v.Offset.Known:
		return fmt.Sprintf("%s @%d", v.Point, v.Offset.N)
	}
	return v.Point
}

// Name is the process's name in the history.
func (p *Process) Name() string { return p.acting().name }

// Now is the time since the run began.
func (p *Process) Now() time.Duration { p.acting().check(); return p.board.engine.Now() }

// Clock is the process's wall clock in microseconds.
func (p *Process) Clock() int64 { p.acting().check(); return p.board.engine.Clock() }

// Sleep waits on the world's clock.
func (p *Process) Sleep(d time.Duration) {
	p.board.await(d, "the time to pass", func() bool { return false })
}

// Await waits until the condition holds.
func (p *Process) Await(within time.Duration, ready func() bool) bool {
	return p.board.await(within, "a condition", ready)
}

// Go starts another process.
func (p *Process) Go(name string, run func(workload.World)) {
	p.acting().check()
	p.board.Go(name, run)
}

// Point reaches a point: others may go on first, a watch or a hold may keep the process in it.
func (p *Process) Point(v history.PointReached) {
	p = p.acting()
	p.check()
	p.arrive(history.Note, history.Point, &v)
	p.reached.Store(&v)
	p.inside = true
	p.board.record(p, history.Note, history.Point, 0, &v)
	p.board.await(Forever, "", p.free)
	p.inside = false
}

// Invoke records the beginning of an operation.
func (p *Process) Invoke(f history.F, value any) int64 {
	p = p.acting()
	p.check()
	p.arrive(history.Invoke, f, value)
	p.board.ops++
	p.board.record(p, history.Invoke, f, p.board.ops, value)
	return p.board.ops
}

// Answer records the end of an operation.
func (p *Process) Answer(op int64, t history.Type, f history.F, value any) {
	p = p.acting()
	p.check()
	p.arrive(t, f, value)
	p.board.record(p, t, f, op, value)
}

// Note records anything else.
func (p *Process) Note(f history.F, value any) {
	p = p.acting()
	p.check()
	p.arrive(history.Note, f, value)
	p.board.record(p, history.Note, f, 0, value)
}
