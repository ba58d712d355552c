package workload_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// A commit stays at or below the lowest record that is folded and not stored, over all keys (kafka-flow's PartitionFlow,
// kafka-flow, step 3). Here acct-1 is slow: its @3 waits for the periodic flush, while the close of acct-2 @4, which
// is stored at once, frees acct-2's @2.
func TestCommitOfTheLowestHeldOffset(t *testing.T) {
	c := quick("a")
	c.PersistEvery = time.Second
	in := workload.NewInput(1, 2, []workload.Stage{
		posts(1, 2),
		{First: 3, Last: 3, Kind: ledger.Post, Key: 2, When: workload.Trigger{Worker: "a", Point: history.PointCommitAnswered, Event: 2}},
		{First: 4, Last: 4, Kind: ledger.Post, Key: 1},
		{First: 5, Last: 5, Kind: ledger.Close, Key: 2},
	}, 1)
	r := newRig(t, persistence.CassandraCAS, in, c)
	r.play(func(w workload.World) {
		r.start(w, "a")
		r.at(w, "a", history.PointCommitAnswered, 5, func() {})
	})
	if d := cmp.Diff([]int64{2, 3, 5}, r.accepted("a/1")); d != "" {
		t.Error("committed " + d)
	}
	if d := cmp.Diff([]int64{0, 1, 4, 3}, r.persisted("a/1")); d != "" {
		t.Error("stored " + d)
	}
}

// After a crash between a flush and its commit the next owner reads the record again. The replay filter leaves it out of
// the fold (kafka-flow: protection 1), and it holds no commit back.
func TestReplayFilter(t *testing.T) {
	for _, arm := range []string{persistence.CassandraLWW, persistence.CassandraCAS} {
		t.Run(arm, func(t *testing.T) {
			r := newRig(t, arm, workload.NewInput(1, 1, []workload.Stage{posts(1, 5)}, 1), quick("a"), quick("b"))
			r.play(func(w workload.World) {
				r.start(w, "a")
				r.at(w, "a", history.PointBeforeCommit, 3, func() { r.kill(w, "a") })
				r.start(w, "b")
				r.at(w, "b", history.PointAssigned, 0, func() {})
				r.at(w, "b", history.PointCommitAnswered, 5, func() {})
				r.wantRow("acct-1", 4)
			})
			if d := cmp.Diff([]int64{3, 4}, r.persisted("b/1")); d != "" {
				t.Error("b stored " + d)
			}
			if d := cmp.Diff([]int64{3, 4, 5}, r.accepted("b/1")); d != "" {
				t.Error("b committed " + d)
			}
		})
	}
}

// A closed account whose close is read again is closed again at the same offset, and what was posted before it does not
// come back (W10); a fold that begins anew on it starts from nothing.
func TestReplayOverATombstone(t *testing.T) {
	in := workload.NewInput(1, 1, []workload.Stage{posts(1, 2), {First: 3, Last: 3, Kind: ledger.Close}, posts(4, 5)}, 1)
	slow := quick("a")
	slow.CommitEvery = time.Hour
	r := newRig(t, persistence.CassandraCAS, in, slow, quick("b"))
	r.play(func(w workload.World) {
		r.start(w, "a")
		r.at(w, "a", history.PointDeleteAnswered, 3, func() { r.kill(w, "a") })
		r.start(w, "b")
		r.at(w, "b", history.PointCommitAnswered, 5, func() {})
		r.wantRow("acct-1", 4)
	})
	if d := cmp.Diff([]int64{2, 3, 4}, r.persisted("b/1")); d != "" {
		t.Error("b stored " + d)
	}
}

// Closed and opened anew within one batch: no delete is issued (as in kafka-flow).
func TestCloseAndReopenInOneBatch(t *testing.T) {
	c := quick("a")
	c.MaxPollRecords = 10
	in := workload.NewInput(1, 1, []workload.Stage{posts(1, 1), {First: 2, Last: 2, Kind: ledger.Close}, posts(3, 3)}, 1)
	r := newRig(t, persistence.CassandraCAS, in, c)
	r.play(func(w workload.World) {
		w.Await(time.Minute, func() bool { return r.feeder.Done })
		r.start(w, "a")
		r.at(w, "a", history.PointCommitAnswered, 3, func() {})
		r.wantRow("acct-1", 2)
	})
	for _, v := range values[history.Write](r, "a/1", history.Invoke) {
		if v.State == nil {
			t.Errorf("deleted @%d", v.Offset)
		}
	}
}

// A refused commit is recorded and swallowed, like the original's: the worker goes on, and its next poll tells it what that
// meant. Then it is a new member, and begins where the group is.
func TestRefusedCommitIsSwallowed(t *testing.T) {
	r := newRig(t, persistence.CassandraCAS, workload.NewInput(1, 1, []workload.Stage{posts(1, 3)}, 1), quick("a"))
	r.play(func(w workload.World) {
		r.start(w, "a")
		r.at(w, "a", history.PointBeforeCommit, 2, func() { r.evict("a") })
		r.at(w, "a", history.PointLost, 0, func() {})
		r.at(w, "a", history.PointCommitAnswered, 3, func() {})
	})
	refused := values[history.OffsetCommit](r, "a/1", history.Fail)
	if len(refused) != 1 || refused[0].Code != "UNKNOWN_MEMBER_ID" || refused[0].Generation != 1 {
		t.Errorf("refused: %+v", refused)
	}
	if d := cmp.Diff([]int64{1, 2, 3}, r.accepted("a/1")); d != "" {
		t.Error("committed " + d)
	}
	for _, l := range values[history.LifeEvent](r, "", history.Note) {
		if l.Status != "begin" {
			t.Errorf("a life %s: %s", l.Status, l.Error)
		}
	}
}

// Every poll is followed by a flush and a commit when these are every 0s, also those that return nothing: what a poll before
// could not commit, the next one does.
func TestEmptyPollsTick(t *testing.T) {
	c := quick("a")
	c.PersistEvery = 500 * time.Millisecond
	r := newRig(t, persistence.CassandraLWW, workload.NewInput(1, 1, []workload.Stage{posts(1, 1)}, 1), c)
	r.play(func(w workload.World) {
		r.start(w, "a")
		r.at(w, "a", history.PointPersistAnswered, 1, func() {
			if now := w.Now(); now < 500*time.Millisecond || now > 650*time.Millisecond {
				t.Errorf("stored at %s", now)
			}
		})
		r.at(w, "a", history.PointCommitAnswered, 1, func() {})
	})
}

// A record that is no event, or of an account that is not of its partition, ends the life: folding on would leave it out
// for ever.
func TestUnknownRecord(t *testing.T) {
	for value, want := range map[string]string{
		"nonsense": "partition 0 offset 0: decode event",
		`{"id":1,"account":"acct-9","kind":"post","amount":"1"}`: `partition 0 offset 0: account "acct-9" is not of this partition`,
	} {
		r := newRig(t, persistence.CassandraLWW, workload.NewInput(1, 1, nil, 1), quick("a"))
		r.play(func(w workload.World) {
			r.Produce(0, "acct-1", []byte(value)).Await()
			r.start(w, "a")
			r.at(w, "a", history.PointTeardown, 0, func() {})
			w.Sleep(50 * time.Millisecond)
		})
		lives := values[history.LifeEvent](r, "a/1", history.Note)
		if last := lives[len(lives)-1]; last.Status != "failed" || !strings.HasPrefix(last.Error, want) {
			t.Errorf("%s: %+v", value, last)
		}
	}
}

// A worker that ignores the error of a flush goes on in the same life; the state stays dirty, the commit below it, and the
// next flush tries again (kafka-flow, ignorePersistErrors).
func TestIgnorePersistErrors(t *testing.T) {
	c := quick("a")
	c.IgnorePersistErrors = true
	r := newRig(t, persistence.CassandraCAS, workload.NewInput(1, 1, []workload.Stage{posts(1, 3)}, 1), c)
	r.play(func(w workload.World) {
		r.start(w, "a")
		r.at(w, "a", history.PointBeforePersist, 3, func() { r.crew.CutOff("a") })
		r.at(w, "a", history.PointPersistAnswered, 3, func() {})
		r.at(w, "a", history.PointCommitAnswered, 3, func() {})
		r.wantRow("acct-1", 2)
	})
	var of2 []history.Type
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.Write); ok && e.Type != history.Invoke && v.Offset == 2 {
			of2 = append(of2, e.Type)
		}
	}
	if d := cmp.Diff([]history.Type{history.Fail, history.OK}, of2); d != "" {
		t.Error("the flushes of @2 " + d)
	}
	if lives, _ := r.lives(); len(lives) != 1 {
		t.Errorf("lives %v", lives)
	}
}
