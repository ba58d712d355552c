package board_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// worker reaches the points, one a second from the first second on.
func worker(points ...string) func(workload.World) {
	return func(w workload.World) {
		for _, p := range points {
			w.Sleep(time.Second)
			w.Point(at(p))
		}
	}
}

func point(process, name string) func(history.Event) bool {
	return func(e history.Event) bool {
		v, ok := e.Value.(*history.PointReached)
		return ok && e.Process == process && v.Point == name
	}
}

// The point that a step waits for stops its worker until the step's actions are done; other processes
// and time go on.
func TestWatchKeepsItsProcessInside(t *testing.T) {
	got := mustRun(t, func(b *board.Board, w workload.World) {
		watch := b.Watch(point("a/1", "folded"))
		w.Go("a/1", worker("polled", "folded", "committed"))
		w.Go("b/1", worker("polled", "folded", "committed"))
		e, ok := watch.Await(time.Minute)
		if !ok || e.Process != "a/1" || e.Time != int64(2*time.Second) {
			t.Errorf("the moment is %v at %d, %v", e, e.Time, ok)
		}
		w.Sleep(10 * time.Second)
		if p, inside, running := b.Standing("a/1"); p != "folded" || !inside || !running {
			t.Errorf("a/1 stands at %q, inside %v, running %v", p, inside, running)
		}
		watch.Done()
		w.Sleep(10 * time.Second)
	})
	if last := got[len(got)-1]; last != "a/1 committed" {
		t.Errorf("the last point is %s, of %v", last, got)
	}
}

// A watch sees only what is recorded after it was armed, and only the first event that matches; events that are no points
// stop nobody.
func TestWatchSeesTheFirstFromNowOn(t *testing.T) {
	mustRun(t, func(b *board.Board, w workload.World) {
		w.Point(at("folded"))
		watch := b.Watch(func(e history.Event) bool { return e.Process == "root" })
		if _, ok := watch.Await(time.Second); ok {
			t.Error("a watch saw what was before it")
		}
		w.Note(history.Life, &history.LifeEvent{Status: "begin"})
		w.Point(at("folded"))
		if e, ok := watch.Await(time.Second); !ok || e.F != history.Life {
			t.Errorf("the moment is %v, %v", e, ok)
		}
		watch.Done()
		watch.Done()
	})
}

// A hold keeps a process in the point that it stands in, or comes to next: here it stands in none when it is ordered.
func TestHoldTakesEffectAtTheNextPoint(t *testing.T) {
	got := mustRun(t, func(b *board.Board, w workload.World) {
		w.Go("a/1", worker("polled", "folded"))
		w.Sleep(500 * time.Millisecond)
		b.Hold("a/1")
		if _, inside, _ := b.Standing("a/1"); inside || !b.Held("a/1") {
			t.Errorf("inside %v, held %v", inside, b.Held("a/1"))
		}
		w.Sleep(time.Minute)
		if p, inside, _ := b.Standing("a/1"); p != "polled" || !inside {
			t.Errorf("a/1 stands at %q, inside %v", p, inside)
		}
		b.Release("a/1")
		w.Sleep(time.Minute)
	})
	if d := cmp.Diff([]string{"a/1 polled", "a/1 folded"}, got); d != "" {
		t.Error(d)
	}
}

// Neither a release undoes a watch, nor the end of a watch a hold: a step may hold the worker that its own point stopped.
func TestHoldAndWatchAreApart(t *testing.T) {
	mustRun(t, func(b *board.Board, w workload.World) {
		inside := func() bool { _, inside, _ := b.Standing("a/1"); return inside }
		watch := b.Watch(point("a/1", "folded"))
		w.Go("a/1", worker("folded"))
		watch.Await(time.Minute)
		b.Hold("a/1")
		b.Release("a/1")
		w.Sleep(time.Second)
		if !inside() {
			t.Error("a release let the process out of a watch")
		}
		b.Hold("a/1")
		watch.Done()
		w.Sleep(time.Second)
		if !inside() {
			t.Error("the end of a watch let the process out of a hold")
		}
	})
}

// Tasks inside a process, "a/1/flush" of "a/1", are held and unwound with it, also one that begins while it is held;
// "a/10" is another process.
func TestTasksGoWithTheirProcess(t *testing.T) {
	got := mustRun(t, func(b *board.Board, w workload.World) {
		w.Go("a/1", func(w workload.World) {
			w.Go("a/1/flush", func(w workload.World) {
				w.Sleep(2 * time.Second)
				w.Go("a/1/flush/late", worker("late"))
				w.Point(at("flushed"))
				w.Point(at("never"))
			})
			worker("folded", "never")(w)
		})
		w.Go("a/10", worker("folded"))
		w.Sleep(500 * time.Millisecond)
		b.Hold("a/1")
		w.Sleep(time.Minute)
		for name, want := range map[string]string{"a/1": "folded", "a/1/flush": "flushed", "a/1/flush/late": "late"} {
			if p, inside, _ := b.Standing(name); p != want || !inside {
				t.Errorf("%s stands at %q, inside %v", name, p, inside)
			}
		}
		b.Unwind("a/1")
		w.Sleep(time.Second)
		for _, name := range []string{"a/1", "a/1/flush", "a/1/flush/late"} {
			if _, _, running := b.Standing(name); running {
				t.Errorf("%s goes on", name)
			}
		}
	})
	slices.Sort(got)
	if d := cmp.Diff([]string{"a/1 folded", "a/1/flush flushed", "a/1/flush/late late", "a/10 folded"}, got); d != "" {
		t.Error(d)
	}
}

// What a task does by the world of its process, it does itself: it is named, held and unwound as the task.
func TestTaskByTheWorldOfItsProcess(t *testing.T) {
	got := mustRun(t, func(b *board.Board, w workload.World) {
		w.Go("a/1", func(a workload.World) {
			a.Go("a/1/flush", func(workload.World) {
				if a.Name() != "a/1/flush" {
					t.Errorf("the task is %s", a.Name())
				}
				a.Point(at("flushed"))
				a.Point(at("never"))
			})
			worker("folded", "committed")(a)
		})
		watch := b.Watch(point("a/1/flush", "flushed"))
		watch.Await(time.Minute)
		w.Sleep(time.Minute)
		b.Unwind("a/1/flush")
		watch.Done()
		w.Sleep(time.Second)
	})
	if d := cmp.Diff([]string{"a/1/flush flushed", "a/1 folded", "a/1 committed"}, got); d != "" {
		t.Error(d)
	}
}

// A killed process unwinds from whatever call of the world it is in or makes next, and does nothing more: also in a call
// that is made while it is unwound already.
func TestUnwindFromEveryCall(t *testing.T) {
	calls := map[string]func(*board.Board, workload.World){
		"Now":    func(_ *board.Board, w workload.World) { w.Now() },
		"Clock":  func(_ *board.Board, w workload.World) { w.Clock() },
		"Sleep":  func(_ *board.Board, w workload.World) { w.Sleep(time.Second) },
		"Await":  func(_ *board.Board, w workload.World) { w.Await(time.Second, func() bool { return true }) },
		"Go":     func(_ *board.Board, w workload.World) { w.Go("more", worker("never")) },
		"Point":  func(_ *board.Board, w workload.World) { w.Point(at("never")) },
		"Invoke": func(_ *board.Board, w workload.World) { w.Invoke(history.Persist, &history.Write{}) },
		"Answer": func(_ *board.Board, w workload.World) { w.Answer(1, history.OK, history.Persist, &history.Write{}) },
		"Note":   func(_ *board.Board, w workload.World) { w.Note(history.Life, &history.LifeEvent{}) },
		"call":   func(b *board.Board, _ workload.World) { board.NewCall[int](b).Await() },
		"watch":  func(b *board.Board, _ workload.World) { b.Watch(point("a/1", "x")).Await(time.Second) },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			after, deferred := false, false
			got := mustRun(t, func(b *board.Board, w workload.World) {
				w.Go("a/1", func(w workload.World) {
					defer func() {
						call(b, w)
						deferred = true
					}()
					// The process dooms itself, so that the next call is the one that is tried.
					b.Unwind("a/1")
					call(b, w)
					after = true
				})
				w.Sleep(time.Minute)
				if _, _, running := b.Standing("a/1"); running {
					t.Error("the process has not ended")
				}
			})
			if after || deferred || len(got) > 0 {
				t.Errorf("it went on: after %v, deferred %v, points %v", after, deferred, got)
			}
		})
	}
}

// A process that is unwound before it had the baton once does nothing at all.
func TestUnwindBeforeTheBeginning(t *testing.T) {
	got := mustRun(t, func(b *board.Board, w workload.World) {
		w.Go("a/1", func(w workload.World) { w.Point(at("never")) })
		b.Unwind("a/1")
		w.Sleep(time.Second)
	})
	if len(got) > 0 {
		t.Error(got)
	}
}
