package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// TestMain sees to it that every coroutine ends, whatever became of its world.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func emptyWorld(seed int64) *World { return New(seed, 1, history.NewMemory(history.Header{})) }

// mustPlay runs the root in the world; the run itself must not fail.
func mustPlay(t *testing.T, w *World, root func(workload.World)) {
	t.Helper()
	if err := w.Board().Run("root", root); err != nil {
		t.Fatal(err)
	}
}

// order is in what order five processes and their messages go on, by the seed.
func order(t *testing.T, seed int64) string {
	var out []string
	w := emptyWorld(seed)
	mustPlay(t, w, func(p workload.World) {
		for i := range 5 {
			p.Go(fmt.Sprint(i), func(p workload.World) {
				for range 3 {
					w.Committed(0).Await()
					out = append(out, fmt.Sprintf("%s@%s", p.Name(), p.Now()))
				}
			})
		}
		p.Sleep(time.Second)
	})
	return strings.Join(out, " ")
}

// One seed decides everything.
func TestSameSeedSameOrder(t *testing.T) {
	different := map[string]bool{}
	for seed := range int64(10) {
		first := order(t, seed)
		if again := order(t, seed); again != first {
			t.Errorf("seed %d: %s\nthen %s", seed, first, again)
		}
		different[first] = true
	}
	if len(different) < 10 {
		t.Errorf("10 seeds gave only %d orders", len(different))
	}
}

// Virtual time jumps: a process that waits costs nothing, and wakes exactly when it was to.
func TestTimeJumps(t *testing.T) {
	mustPlay(t, emptyWorld(1), func(p workload.World) {
		p.Sleep(1000 * time.Hour)
		if p.Now() != 1000*time.Hour {
			t.Errorf("it is %s", p.Now())
		}
		if p.Await(time.Second, func() bool { return p.Now() >= 1001*time.Hour }) {
			t.Error("a condition held that did not")
		}
		if a, b := p.Clock(), p.Clock(); a != epoch+int64(1000*3600+1)*1e6 || b != a+1 {
			t.Errorf("the clock says %d, then %d", a, b)
		}
	})
}

func TestTimers(t *testing.T) {
	s := newScheduler(walk{seeded(1)})
	var got []string
	add := func(d time.Duration, name string) *timer {
		return s.After(d, func() { got = append(got, fmt.Sprintf("%s@%s", name, s.now)) })
	}
	add(2*time.Second, "b")
	add(time.Second, "a")
	add(2*time.Second, "c")
	add(time.Second, "never").Stop()
	(*timer)(nil).Stop()
	for s.advance() {
	}
	if want := []string{"a@1s", "b@2s", "c@2s"}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// A world in which nothing can happen any more says of each process where it stands and what it waits for.
func TestDeadlock(t *testing.T) {
	w := emptyWorld(1)
	err := w.Board().Run("drain", func(p workload.World) {
		p.Go("a/1", func(p workload.World) {
			p.Point(history.PointReached{Point: "folded", Offset: history.Some(5)})
		})
		p.Go("b/1", func(p workload.World) { p.Await(forever, func() bool { return false }) })
		w.Board().Hold("a/1")
		w.Board().Watch(func(history.Event) bool { return false }).Await(forever)
	})
	want := "the simulation is stuck: every process waits, and no message or deadline is left: " +
		"drain waits for a moment, before its first point; a/1 held in folded @5; " +
		"b/1 waits for a condition, before its first point"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

const forever = time.Duration(1<<63 - 1)

// Processes, or messages, that follow each other at one instant for ever are found within a second.
func TestStillness(t *testing.T) {
	t.Run("processes", func(t *testing.T) {
		err := emptyWorld(1).Board().Run("drain", func(p workload.World) {
			for {
				p.Sleep(0)
			}
		})
		wantError(t, err, "the virtual clock stands still: drain waits for the time to pass")
	})
	t.Run("timers", func(t *testing.T) {
		w := emptyWorld(1)
		var again func()
		again = func() { w.scheduler.After(0, again) }
		err := w.Board().Run("drain", func(p workload.World) {
			again()
			p.Sleep(time.Second)
		})
		wantError(t, err, "the virtual clock stands still: drain waits for the time to pass")
	})
}

// What panics outside every process, in a message or in a condition, must leave no process behind either.
func TestPanicOutsideOfProcesses(t *testing.T) {
	for name, panics := range map[string]func(*World, workload.World){
		"message":   func(w *World, _ workload.World) { w.net.After(0, func() { panic("no such partition") }) },
		"condition": func(_ *World, p workload.World) { p.Await(time.Second, func() bool { panic("no such partition") }) },
	} {
		t.Run(name, func(t *testing.T) {
			w := emptyWorld(1)
			err := w.Board().Run("drain", func(p workload.World) {
				p.Go("a/1", func(p workload.World) { p.Sleep(time.Hour) })
				panics(w, p)
				p.Sleep(time.Hour)
			})
			wantError(t, err, "the simulation panicked: no such partition")
			wantError(t, err, "TestPanicOutsideOfProcesses")
		})
	}
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("the error does not say %q: %v", part, err)
	}
}

// What is sent on one link arrives in order, each way, like the bytes of one connection; without a link it does not.
func TestLinksKeepTheirOrder(t *testing.T) {
	arrivals := func(l *link) (there, back []int) {
		s := newScheduler(walk{seeded(7)})
		to := &server{net: &network{s}}
		for i := range 50 {
			ask(to, l, func(reply func(int)) {
				there = append(there, i)
				reply(i)
			}, func(i int) { back = append(back, i) }, nil)
		}
		for s.advance() {
		}
		if s.now < 2*minDelay || s.now > 2*maxDelay {
			t.Errorf("it took %s", s.now)
		}
		return there, back
	}
	if there, back := arrivals(&link{}); !slices.IsSorted(there) || !slices.IsSorted(back) {
		t.Errorf("on one link: %v, %v", there, back)
	}
	if there, back := arrivals(nil); slices.IsSorted(there) || slices.IsSorted(back) {
		t.Errorf("without a link: %v, %v", there, back)
	}
}

// A request without an answer in time is unknown, not failed: it may have been applied. An answer that comes later changes
// nothing of that.
func TestLateAnswer(t *testing.T) {
	w := emptyWorld(1)
	mustPlay(t, w, func(p workload.World) {
		applied := false
		call := request(w.board, w.kafka.brokers[0].server, nil, time.Second, func(reply func(int)) {
			applied = true
			w.net.After(2*time.Second, func() { reply(1) })
		})
		for range 2 {
			a, outcome, err := call.Await()
			if a != 0 || outcome != persistence.Unknown || !applied {
				t.Errorf("answer %d, outcome %d, applied %v", a, outcome, applied)
			}
			wantError(t, err, "timeout: no answer")
			p.Sleep(5 * time.Second)
		}
	})
}
