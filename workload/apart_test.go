package workload_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// apart is a worker that flushes in a task of its own.
func apart(name string) workload.Config {
	c := quick(name)
	c.FlushApart = true
	return c
}

// The poll loop polls on while a flush is under way, and waits when it comes to the account that is being flushed, and at
// no other; a delete waits too. No commit goes beyond what is stored.
func TestFlushApart(t *testing.T) {
	in := workload.NewInput(1, 2, []workload.Stage{
		posts(1, 1),
		{First: 2, Last: 2, Kind: ledger.Post, Key: 2, When: workload.Trigger{Worker: "a", Point: history.PointPersistSent, Event: 1}},
		{First: 3, Last: 3, Kind: ledger.Close, Key: 1},
	}, 1)
	r := newRig(t, persistence.CassandraCAS, in, apart("a"))
	r.play(func(w workload.World) {
		r.start(w, "a")
		r.at(w, "a", history.PointPersistSent, 1, func() { r.Board().Hold("a/1/flush") })
		r.at(w, "a", history.PointFlushUnderWay, 3, func() {})
		w.Sleep(time.Second)
		if got := r.accepted("a/1"); len(got) > 0 {
			t.Errorf("committed %v while nothing is marked as stored", got)
		}
		r.Board().Release("a/1/flush")
		r.at(w, "a", history.PointCommitAnswered, 3, func() {})
	})
	if got := r.persisted("a/1/flush"); !slices.Equal(got, []int64{0, 1}) {
		t.Errorf("the task stored %v", got)
	}
	if got := r.persisted("a/1"); !slices.Equal(got, []int64{2}) {
		t.Errorf("the loop deleted %v", got)
	}
}

// Nobody gives a partition up under a flush that is under way: it comes to its end first, also when the partition is lost.
func TestFlushApartIsSettled(t *testing.T) {
	in := workload.NewInput(1, 1, []workload.Stage{
		posts(1, 1), {First: 2, Last: 3, Kind: ledger.Post, When: workload.Trigger{Worker: "a", Point: history.PointLost}},
	}, 1)
	r := newRig(t, persistence.CassandraCAS, in, apart("a"))
	r.play(func(w workload.World) {
		r.start(w, "a")
		r.at(w, "a", history.PointPersistSent, 1, func() {
			r.Board().Hold("a/1/flush")
			r.evict("a")
		})
		w.Sleep(5 * time.Second)
		if point, inside, _ := r.Board().Standing("a/1"); !strings.HasPrefix(point, "lost @") || inside {
			t.Errorf("a/1 is at %s, inside %v", point, inside)
		}
		r.Board().Release("a/1/flush")
		r.at(w, "a", history.PointCommitAnswered, 3, func() {})
		r.wantRow("acct-1", 2)
	})
}

// An error of the flush is that of the worker; a kill ends the task with it.
func TestFlushApartFails(t *testing.T) {
	r := newRig(t, persistence.CassandraCAS, workload.NewInput(1, 1, []workload.Stage{posts(1, 6)}, 1), apart("a"), apart("b"))
	r.play(func(w workload.World) {
		r.start(w, "a")
		r.at(w, "a", history.PointBeforePersist, 2, func() { r.crew.CutOff("a") })
		r.at(w, "a", history.PointTeardown, 0, func() {})
		r.at(w, "a", history.PointPersistSent, 4, func() { r.kill(w, "a") })
		w.Sleep(time.Second)
		if _, _, running := r.Board().Standing("a/2/flush"); running {
			t.Error("the task outlives its worker")
		}
		r.start(w, "b")
		r.at(w, "b", history.PointCommitAnswered, 6, func() {})
		r.wantRow("acct-1", 5)
	})
	failed := values[history.Write](r, "a/1/flush", history.Fail)
	if len(failed) != 1 || failed[0].Code != "no-connections" {
		t.Errorf("failed: %+v", failed)
	}
}
