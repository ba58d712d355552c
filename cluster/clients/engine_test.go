package clients

import (
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// Two processes that only wait for each other take turns: each wait ends when the other has done what it waits for.
func TestEngineHandsTheBatonOn(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent()) // those of servers that the package's tests share
	b := board.New(newEngine(), history.NewMemory(history.Header{}))
	turn, turns := "a", 0
	err := b.Run("a", func(w workload.World) {
		w.Go("b", func(w workload.World) {
			for range 100 {
				w.Await(10*time.Second, func() bool { return turn == "b" })
				turn = "a"
				turns++
			}
		})
		for range 100 {
			w.Await(10*time.Second, func() bool { return turn == "a" })
			turn = "b"
			turns++
		}
		w.Await(10*time.Second, func() bool { return turns == 200 })
	})
	if err != nil || turns != 200 {
		t.Errorf("%d turns, %v", turns, err)
	}
}

// A wait ends at its deadline, and says so; an answer from outside the board ends it before.
func TestEngineDeadlines(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	e := newEngine()
	b := board.New(e, history.NewMemory(history.Header{}))
	err := b.Run("a", func(w workload.World) {
		began := w.Now()
		if w.Await(30*time.Millisecond, func() bool { return false }) {
			t.Error("a wait for nothing says that it came")
		}
		if took := w.Now() - began; took < 30*time.Millisecond {
			t.Errorf("it was over after %s", took)
		}
		answered := false
		go func() { e.Enter(func() { answered = true }) }()
		if !w.Await(10*time.Second, func() bool { return answered }) {
			t.Error("an answer ended no wait")
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// An abort from outside unwinds whoever waits, and Run says why.
func TestEngineAbort(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	e := newEngine()
	b := board.New(e, history.NewMemory(history.Header{}))
	stop := errors.New("enough")
	err := b.Run("a", func(w workload.World) {
		go func() { e.Enter(func() { b.Abort(stop) }) }()
		w.Await(board.Forever, func() bool { return false })
		t.Error("a process went on after the abort")
	})
	if !errors.Is(err, stop) {
		t.Errorf("the run ended with %v", err)
	}
}

// No two readings of the wall clock are the same: two plain writes never tie by accident.
func TestClockRises(t *testing.T) {
	e := newEngine()
	last := int64(0)
	for range 10000 {
		now := e.Clock()
		if now <= last {
			t.Fatalf("%d after %d", now, last)
		}
		last = now
	}
}
