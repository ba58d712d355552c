// Package clients is the real clients, and the world that processes run in when brokers and nodes are real: goroutines
// under one baton, the wall clock, franz-go members that behave like Java consumers, and rows by CQL.
//
// It is shared by every cluster of real servers, however these were started.
package clients

import (
	"sync"
	"time"

	"github.com/single-writer/chaos/cluster/board"
)

// engine passes real time. The baton is its lock: a process has it while it runs its own code, and gives it away while it
// waits; answers of servers take it to say that they have come.
type engine struct {
	baton   sync.Mutex
	changed *sync.Cond
	began   time.Time
	clock   int64
	living  int
}

var _ board.Engine = (*engine)(nil)

func newEngine() *engine {
	e := &engine{began: time.Now()}
	e.changed = sync.NewCond(&e.baton)
	return e
}

// Now is the time since the run began, by the monotonic clock.
func (e *engine) Now() time.Duration { return time.Since(e.began) }

// Clock is the wall clock in microseconds, lifted so that no two calls give the same.
func (e *engine) Clock() int64 {
	e.clock = max(e.clock+1, time.Now().UnixMicro())
	return e.clock
}

// Spawn begins a process.
func (e *engine) Spawn(_ string, run func()) {
	e.living++
	go func() {
		e.Enter(func() {
			run()
			e.living--
		})
	}()
}

// Enter runs f with the baton, and lets whoever waits look again.
func (e *engine) Enter(f func()) {
	e.baton.Lock()
	defer e.baton.Unlock()
	defer e.changed.Broadcast()
	f()
}

// Await gives the baton away until ready holds or the deadline is reached.
func (e *engine) Await(deadline time.Duration, ready func() bool) bool {
	// What the process did since it got the baton may be what others wait for.
	e.changed.Broadcast()
	var alarm *time.Timer
	for !ready() {
		left := deadline - e.Now()
		if left <= 0 {
			return false
		}
		if alarm == nil && deadline != board.Forever {
			alarm = time.AfterFunc(left, func() { e.Enter(func() {}) })
			defer alarm.Stop()
		}
		e.changed.Wait()
	}
	return true
}

// Run waits until all processes have ended.
func (e *engine) Run() error {
	e.baton.Lock()
	defer e.baton.Unlock()
	for e.living > 0 {
		e.changed.Wait()
	}
	return nil
}
