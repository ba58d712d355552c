// Package sim is the deterministic world: virtual time, a Kafka and a Cassandra of one server or of three, and messages between them and the
// members that take their time. One seed decides everything; the same seed gives the same history, byte for byte.
//
// Processes are coroutines. Whenever one gives the baton away, a strategy draws the next from those that can go on;
// when none can, time jumps to the next message or deadline. Broker and store are state machines that messages act on.
package sim

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"github.com/single-writer/chaos/cluster/board"
)

// epoch is the wall clock at the virtual time zero: 2026-01-01 00:00 UTC in microseconds. Any would do; a fixed one makes
// histories equal.
const epoch = int64(1767225600) * 1e6

// scheduler is the virtual Engine.
type scheduler struct {
	strategy strategy
	now      time.Duration
	clock    int64
	ready    []*coroutine
	all      []*coroutine
	// spare are threads whose process has ended: a run has dozens of tasks that write one thing and are over, and a new thread
	// costs more than that.
	spare  []*thread
	timers timers
	seq    int64
	// still counts the steps at this instant; a world that goes on for ever without time going on is stuck.
	still int
	run   *coroutine
	// abort makes every process able to go on, and unwind; it is the board's.
	abort    func(error)
	aborting bool
	// interrupted tells why the run should end, if it should; it is asked now and then.
	interrupted func() error
	steps       int
}

// coroutine is one process.
type coroutine struct {
	*thread
	name     string
	ready    func() bool
	deadline time.Duration
	expired  bool
}

// thread is what a process runs on, and when that has ended the next one.
type thread struct {
	run   func()
	ended bool
	next  func() (struct{}, bool)
	yield func(struct{}) bool
	stop  func()
}

var _ board.Engine = (*scheduler)(nil)

func newScheduler(s strategy) *scheduler {
	return &scheduler{strategy: s, interrupted: func() error { return nil }}
}

// seeded is the source of a schedule's decisions.
func seeded(seed int64) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 0x9e3779b97f4a7c15)) }

// Now is the virtual time.
func (s *scheduler) Now() time.Duration { return s.now }

// Clock is the virtual wall clock; it rises strictly, so that no two plain writes tie by accident.
func (s *scheduler) Clock() int64 {
	s.clock = max(s.clock+1, epoch+s.now.Microseconds())
	return s.clock
}

// Second is the virtual wall clock in whole seconds since 1970, by which lives end.
func (s *scheduler) Second() int64 { return (epoch + s.now.Microseconds()) / 1e6 }

// Spawn begins a process.
func (s *scheduler) Spawn(name string, run func()) {
	t := s.idle()
	t.run, t.ended = run, false
	s.all = append(s.all, &coroutine{thread: t, name: name, ready: func() bool { return true }, deadline: board.Forever})
}

// idle gives a thread that has nothing to do.
func (s *scheduler) idle() *thread {
	if last := len(s.spare) - 1; last >= 0 {
		t := s.spare[last]
		s.spare = s.spare[:last]
		return t
	}
	t := &thread{}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		growStack()
		for more := true; more; more = yield(struct{}{}) {
			t.run()
			t.ended = true
		}
	})
	return t
}

// growStack makes the stack of a new thread as large as most come to need, while there is nothing on it. It would be doubled
// from 2 kB on, and each time all its frames copied: a tenth of the time of a run.
//
//go:noinline
func growStack() {
	var room [stackRoom]byte
	touch(&room)
}

// stackRoom fits into a stack of 8 kB.
const stackRoom = 6 << 10

//go:noinline
func touch(*[stackRoom]byte) {}

// Await gives the baton back to the scheduler.
func (s *scheduler) Await(deadline time.Duration, ready func() bool) bool {
	c := s.run
	c.ready, c.deadline, c.expired = ready, deadline, false
	c.yield(struct{}{})
	return !c.expired || ready()
}

// After runs f when the time has passed, outside every process.
func (s *scheduler) After(d time.Duration, f func()) *timer {
	t := &timer{do: f}
	s.set(t, d)
	return t
}

// set lets a timer go off when the time has passed, and not when it was to before.
func (s *scheduler) set(t *timer, d time.Duration) {
	t.Stop()
	s.at(s.now+d, t)
}

// at lets an event happen at a time.
func (s *scheduler) at(when time.Duration, e event) {
	s.timers.add(due{when, s.seq, e})
	s.seq++
}

// stillLimit is how many switches and messages in a row may happen at one instant: far more than any scenario needs, and
// reached in well under a second by processes that wake each other for ever.
const stillLimit = 1_000_000

// askEvery is how many steps there are between two looks at whether the run was interrupted: about a millisecond.
const askEvery = 1024

// errStill and errDeadlock are worlds in which nothing will happen any more.
var (
	errStill    = errors.New("the simulation is stuck: a million steps and the virtual clock stands still")
	errDeadlock = errors.New("the simulation is stuck: every process waits, and no message or deadline is left")
)

// Run runs until all processes have ended. A world that is stuck, or in which a message or a condition panicked, is
// aborted: its processes unwind, and Run's caller is told why by the board.
func (s *scheduler) Run() error {
	for len(s.all) > 0 {
		s.turn()
	}
	for _, t := range s.spare {
		t.stop()
	}
	s.spare = nil
	return nil
}

// turn runs until all processes have ended, or until something outside of every process panicked: messages are carried
// and conditions asked by the scheduler itself, and a panic there must not leave the processes behind.
func (s *scheduler) turn() {
	defer func() {
		if r := recover(); r != nil {
			s.stuck(fmt.Errorf("the simulation panicked: %v\n%s", r, debug.Stack()))
		}
	}()
	for len(s.all) > 0 {
		s.still++
		if s.still > stillLimit {
			s.stuck(errStill)
		}
		if s.steps++; s.steps%askEvery == 0 && !s.aborting {
			if err := s.interrupted(); err != nil {
				s.stuck(fmt.Errorf("the run was interrupted: %w", err))
			}
		}
		if c := s.pick(); c != nil {
			s.switchTo(c)
		} else if !s.advance() {
			s.stuck(errDeadlock)
		}
	}
}

// stuck aborts the world once; processes that then still do not end are a defect of the rig itself.
func (s *scheduler) stuck(err error) {
	if s.aborting {
		panic(fmt.Sprintf("sim: processes that do not unwind after: %v", err))
	}
	s.aborting, s.still = true, 0
	s.abort(err)
}

// pick draws one of the processes that can go on.
func (s *scheduler) pick() *coroutine {
	s.ready = s.ready[:0]
	for _, c := range s.all {
		switch {
		case c.ready():
			s.ready = append(s.ready, c)
		case c.deadline <= s.now:
			c.expired = true
			s.ready = append(s.ready, c)
		}
	}
	switch len(s.ready) {
	case 0:
		return nil
	case 1:
		return s.ready[0]
	}
	return s.ready[s.strategy.next(s.ready)]
}

func (s *scheduler) switchTo(c *coroutine) {
	s.run = c
	c.next()
	s.run = nil
	if c.ended {
		i := slices.Index(s.all, c)
		s.all = slices.Delete(s.all, i, i+1)
		s.spare = append(s.spare, c.thread)
	}
}

// advance moves time to what comes next: a timer, which it runs, or a deadline. It tells whether there was any.
func (s *scheduler) advance() bool {
	next := board.Forever
	for _, c := range s.all {
		next = min(next, c.deadline)
	}
	if len(s.timers) > 0 && s.timers[0].at <= next {
		e := s.timers.remove(0)
		s.pass(e.at)
		e.happen()
		return true
	}
	if next == board.Forever {
		return false
	}
	s.pass(next)
	return true
}

func (s *scheduler) pass(to time.Duration) {
	if to > s.now {
		s.now, s.still = to, 0
	}
}
