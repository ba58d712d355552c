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

// inTurn lets points come in the order in which they are listed.
type inTurn struct {
	want []string
	came int
}

func name(e history.Event) string {
	if v, ok := e.Value.(*history.PointReached); ok {
		return e.Process + " " + v.Point
	}
	return ""
}

func (o *inTurn) Arrive(e history.Event) bool { return slices.Contains(o.want, name(e)) }
func (o *inTurn) next(process string) bool {
	return o.came < len(o.want) && o.want[o.came][:len(process)] == process
}
func (o *inTurn) Turn(process string) bool { return o.next(process) }
func (o *inTurn) Leave(process string) bool {
	return o.came >= len(o.want) || o.next(process)
}
func (o *inTurn) Came(e history.Event) {
	if slices.Contains(o.want, name(e)) {
		o.came++
	}
}

// A board that follows an order records in that order, and keeps a process in its point until its next step has its turn: what it
// does between two points is not done before.
func TestOrderIsFollowed(t *testing.T) {
	order := &inTurn{want: []string{"b/1 one", "a/1 one", "b/1 two", "b/1 three", "a/1 two", "a/1 three"}}
	var between []string
	got := mustRun(t, func(b *board.Board, w workload.World) {
		b.Follow(order)
		for _, process := range []string{"a/1", "b/1"} {
			w.Go(process, func(w workload.World) {
				for _, p := range []string{"one", "two", "three"} {
					w.Point(at(p))
					between = append(between, process+" after "+p)
				}
			})
		}
		w.Sleep(time.Minute)
	})
	if d := cmp.Diff(order.want, got); d != "" {
		t.Error(d)
	}
	if i, j := slices.Index(between, "a/1 after one"), slices.Index(between, "b/1 after two"); i < j {
		t.Errorf("a/1 left its point before it had its turn: %v", between)
	}
}

// What has no turn is recorded at once, and a process that is ended while it waits for its turn ends.
func TestOrderLetsGo(t *testing.T) {
	order := &inTurn{want: []string{"never one", "a/1 one"}}
	got := mustRun(t, func(b *board.Board, w workload.World) {
		b.Follow(order)
		w.Go("a/1", func(w workload.World) { w.Point(at("other")); w.Point(at("one")) })
		w.Sleep(time.Second)
		if _, _, running := b.Standing("a/1"); !running {
			t.Error("a/1 went on without its turn")
		}
		b.Unwind("a/1")
		w.Sleep(time.Second)
		if _, _, running := b.Standing("a/1"); running {
			t.Error("a/1 goes on")
		}
	})
	if d := cmp.Diff([]string{"a/1 other"}, got); d != "" {
		t.Error(d)
	}
}
