package workload_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// lives are when each life began and how it ended, as "a/1 begin", without times.
func (r *rig) lives() (out []string, at []time.Duration) {
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.LifeEvent); ok {
			out, at = append(out, e.Process+" "+v.Status), append(at, time.Duration(e.Time))
		}
	}
	return out, at
}

// A worker whose write conflicts fails, leaves the group and begins a new life after its backoff, as a member of its own
// that recovers (kafka-flow, retryOnError).
func TestConflictRestartsTheWorker(t *testing.T) {
	r := newRig(t, persistence.CassandraCAS, workload.NewInput(1, 1, []workload.Stage{
		posts(1, 2), {First: 3, Last: 4, Kind: "post", When: workload.Trigger{Worker: "b", Point: history.PointRecovered}},
		{First: 5, Last: 5, Kind: "post", When: workload.Trigger{Worker: "a", Point: history.PointTeardown}},
	}, 1), quick("a"), quick("b"))
	r.play(func(w workload.World) {
		r.start(w, "a")
		r.at(w, "a", history.PointBeforePersist, 2, func() {
			r.evict("a")
			r.start(w, "b")
			r.at(w, "b", history.PointCommitAnswered, 4, func() {})
		})
		r.at(w, "a", history.PointTeardown, 0, func() {
			if process, running := r.crew.Life("a"); process != "a/1" || !running || r.crew.Parting("a") {
				t.Errorf("a is %s, running %v", process, running)
			}
		})
		w.Sleep(50 * time.Millisecond)
		// In its backoff it has left by itself, which is no eviction.
		if process, running := r.crew.Life("a"); process != "a/1" || !running || !r.crew.Parting("a") {
			t.Errorf("in its backoff a is %s, running %v", process, running)
		}
		w.Await(time.Minute, func() bool { process, _ := r.crew.Life("a"); return process == "a/2" })
		if r.crew.Parting("a") {
			t.Error("the new life is parting already")
		}
		w.Await(time.Minute, func() bool { return r.member("a") != "" })
	})
	lives, at := r.lives()
	if d := cmp.Diff([]string{"a/1 begin", "b/1 begin", "a/1 failed", "a/2 begin"}, lives); d != "" {
		t.Error(d)
	}
	if wait := at[3] - at[2]; wait < 100*time.Millisecond || wait > 120*time.Millisecond {
		t.Errorf("it began again after %s", wait)
	}
	failed := values[history.Write](r, "a/1", history.Fail)
	if len(failed) != 1 || failed[0].Code != history.CodeCondition || failed[0].Stored != history.Some(3) {
		t.Errorf("refused: %+v", failed)
	}
}

// A worker that fails again and again waits twice as long each time, up to the longest.
func TestBackoff(t *testing.T) {
	c := quick("a")
	c.Backoff, c.BackoffMax = time.Second, 5*time.Second
	r := newRig(t, persistence.CassandraLWW, workload.NewInput(1, 1, nil, 1), c)
	r.play(func(w workload.World) {
		r.Produce(0, "", []byte("nonsense")).Await()
		r.start(w, "a")
		w.Sleep(19 * time.Second)
	})
	lives, at := r.lives()
	var waits []time.Duration
	for i := range lives {
		if lives[i] == fmt.Sprintf("a/%d begin", i/2+1) && i > 0 {
			waits = append(waits, (at[i] - at[i-1]).Round(100*time.Millisecond))
		}
	}
	if d := cmp.Diff([]time.Duration{1, 2, 4, 5, 5}, scale(waits)); d != "" {
		t.Error(d, lives)
	}
}

func scale(all []time.Duration) []time.Duration {
	for i := range all {
		all[i] /= time.Second
	}
	return all
}

// A plan may kill a worker and start it again: a new life with a new number, a new member, and writes of its own.
func TestKillAndStartAgain(t *testing.T) {
	r := newRig(t, persistence.CassandraCAS, workload.NewInput(1, 1, []workload.Stage{posts(1, 4)}, 1), quick("a"))
	r.play(func(w workload.World) {
		r.start(w, "a")
		var first string
		r.at(w, "a", history.PointFolded, 2, func() {
			first = r.member("a")
			r.kill(w, "a")
		})
		if process, running := r.crew.Life("a"); process != "a/1" || running {
			t.Errorf("after the kill a is %s, running %v", process, running)
		}
		r.start(w, "a")
		if _, err := r.crew.Start(w, "a"); err == nil || err.Error() != "worker a runs already, as a/2" {
			t.Error(err)
		}
		r.at(w, "a", history.PointCommitAnswered, 4, func() {})
		if r.member("a") == first {
			t.Errorf("it is still %s", first)
		}
		r.wantRow("acct-1", 3)
	})
	lives, _ := r.lives()
	if d := cmp.Diff([]string{"a/1 begin", "a/2 begin"}, lives); d != "" {
		t.Error(d)
	}
	if v := values[history.Write](r, "a/2", history.OK); v[0].Write != "a/2#1" || v[0].Generation != 2 {
		t.Errorf("%+v", v[0])
	}
	if _, err := r.crew.Start(nil, "z"); err == nil || err.Error() != "no worker is called z" {
		t.Error(err)
	}
}

// In a cooperative group a worker keeps what it can: the partition is not recovered again, and what is done with it from the
// next poll on is done under the new generation. What it gives up it gives up under the one that it knew (kafka-flow, W12).
func TestKeptPartition(t *testing.T) {
	a, b := quick("a"), quick("b")
	a.Member.Assignor, b.Member.Assignor = workload.Cooperative, workload.Cooperative
	r := newRig(t, persistence.CassandraCAS, workload.NewInput(2, 2, []workload.Stage{
		posts(1, 2), {First: 3, Last: 4, Kind: "post", When: workload.Trigger{Worker: "b", Point: history.PointRecovered}},
	}, 1), a, b)
	r.play(func(w workload.World) {
		r.start(w, "a")
		w.Await(time.Minute, func() bool { return len(r.accepted("a/1")) == 2 })
		r.start(w, "b")
		w.Await(time.Minute, func() bool { return len(r.accepted("a/1")) == 3 && len(r.accepted("b/1")) == 1 })
		r.wantRow("acct-1", 1)
	})
	var got []string
	for _, e := range r.memory.Events {
		switch v := e.Value.(type) {
		case *history.Recovery:
			if e.Type == history.OK {
				got = append(got, fmt.Sprintf("%s recovered p%d generation %d", e.Process, v.Partition, v.Generation))
			}
		case *history.PointReached:
			if v.Point == history.PointRevoked {
				got = append(got, fmt.Sprintf("%s revoked p%d generation %d", e.Process, v.Partition, v.Generation))
			}
		case *history.Write:
			if e.Type == history.OK && v.Offset == 1 {
				got = append(got, fmt.Sprintf("%s stored p%d generation %d", e.Process, v.Partition, v.Generation))
			}
		}
	}
	slices.Sort(got)
	if d := cmp.Diff([]string{
		"a/1 recovered p0 generation 1", "a/1 recovered p1 generation 1", "a/1 revoked p1 generation 1",
		"a/1 stored p0 generation 3", "b/1 recovered p1 generation 3", "b/1 stored p1 generation 3",
	}, got); d != "" {
		t.Error(d)
	}
}
