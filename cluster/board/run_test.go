package board_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run runs a root process called "root" on a board of the simulator's, and gives the points that were reached, as
// "process point", in order.
func run(root func(*board.Board, workload.World)) (reached func() []string, err error) {
	memory := history.NewMemory(history.Header{})
	b := sim.New(1, 1, memory).Board()
	reached = func() []string {
		var out []string
		for _, e := range memory.Events {
			if v, ok := e.Value.(*history.PointReached); ok {
				out = append(out, e.Process+" "+v.Point)
			}
		}
		return out
	}
	return reached, b.Run("root", func(w workload.World) { root(b, w) })
}

func at(point string) history.PointReached { return history.PointReached{Point: point} }

// mustRun runs where the run itself must not fail.
func mustRun(t *testing.T, root func(*board.Board, workload.World)) []string {
	t.Helper()
	reached, err := run(root)
	if err != nil {
		t.Fatal(err)
	}
	return reached()
}

// A process that panics is the rig's own failure: the run ends, all others unwind, and the error says who it was, where it
// was last, and by which code.
func TestPanicEndsTheRun(t *testing.T) {
	others := false
	_, err := run(func(b *board.Board, w workload.World) {
		w.Go("a/1", func(w workload.World) {
			w.Point(history.PointReached{Point: "folded", Offset: history.Some(7)})
			panicHere()
		})
		w.Sleep(time.Hour)
		others = true
	})
	for _, want := range []string{"process a/1", `"folded @7"`, "the fold is broken", "panicHere", "run_test.go"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
	if others {
		t.Error("another process went on after the panic")
	}
}

func panicHere() { panic("the fold is broken") }

// The end of the root is the end of all: nothing goes on behind the rig's last reads.
func TestRootEndsAll(t *testing.T) {
	beats := 0
	mustRun(t, func(_ *board.Board, w workload.World) {
		w.Go("sentinel", func(w workload.World) {
			for {
				beats++
				w.Sleep(time.Second)
			}
		})
		w.Sleep(3500 * time.Millisecond)
	})
	if beats != 4 {
		t.Errorf("%d beats, not 4", beats)
	}
}

func TestAbort(t *testing.T) {
	why := errors.New("the environment failed")
	unwound := true
	_, err := run(func(b *board.Board, w workload.World) {
		b.Abort(why)
		b.Abort(errors.New("a later one"))
		w.Now()
		unwound = false
	})
	if !errors.Is(err, why) || strings.Contains(err.Error(), "later") || !unwound {
		t.Errorf("error %v, unwound %v", err, unwound)
	}
}

// A watchdog looks from outside, without the baton: a process that has had it since the last look is stuck in code of its
// own, which no unwinding reaches.
func TestStuck(t *testing.T) {
	mustRun(t, func(b *board.Board, w workload.World) {
		w.Point(history.PointReached{Point: "folded", Offset: history.Some(3)})
		turns, process := b.Stuck(0)
		if process != "" {
			t.Errorf("the first look takes %q for stuck", process)
		}
		if _, process = b.Stuck(turns); process != `root, last point "folded @3"` {
			t.Errorf("stuck is %q", process)
		}
		w.Sleep(time.Second)
		if _, process = b.Stuck(turns); process != "" {
			t.Errorf("%q is stuck though it gave the baton away", process)
		}
	})
}

// The watchdog reads the last point while the process goes on: for the race detector.
func TestStuckFromOutside(t *testing.T) {
	looked := make(chan struct{})
	mustRun(t, func(b *board.Board, w workload.World) {
		go func() {
			defer close(looked)
			var turns int64
			for range 100 {
				turns, _ = b.Stuck(turns)
			}
		}()
		for range 100 {
			w.Point(history.PointReached{Point: "folded", Offset: history.Some(3)})
		}
	})
	<-looked
}

// Where is for texts about what did not happen: it tells of every worker, also of one whose life has ended, and of no
// process of the rig's own.
func TestWhere(t *testing.T) {
	var none, some, later, waiting string
	mustRun(t, func(b *board.Board, w workload.World) {
		none = b.Where()
		for _, name := range []string{"a/1", "b/1"} {
			w.Go(name, func(w workload.World) {
				w.Point(history.PointReached{Point: "folded", Offset: history.Some(5)})
				w.Sleep(time.Minute)
			})
		}
		w.Go("c/1", func(w workload.World) { w.Await(time.Minute, func() bool { return false }) })
		b.Hold("a/1")
		w.Sleep(time.Second)
		b.Hold("c/1")
		some, waiting = b.Where(), b.Waiting()
		b.Unwind("a/1")
		b.Unwind("b/1")
		w.Sleep(time.Second)
		w.Go("b/2", func(w workload.World) { w.Point(at("assigned")); w.Sleep(time.Minute) })
		w.Sleep(time.Second)
		later = b.Where()
	})
	for got, want := range map[string]string{
		none:    "no worker was started",
		some:    "a/1 held in folded @5, b/1 after folded @5, c/1 before its first point, to be held at the next point",
		later:   "c/1 before its first point, to be held at the next point, b/2 after assigned, a/1 has ended, after folded @5",
		waiting: "root waits for the time to pass, before its first point; a/1 held in folded @5; b/1 waits for the time to pass, after folded @5; c/1 waits for a condition, before its first point",
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
