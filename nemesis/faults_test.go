package nemesis_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// Every fault is announced, done, and proved: the raw answer, or the fact, that shows its effect is in the history.
func TestProofs(t *testing.T) {
	r := newRig(t, 1,
		do("start", "a"),
		when("a", "commit-answered", 3, "hold", "a", "probe", "all", "release", "a"),
		when("a", "before-persist", 4, "lose-answer", "a"),
		when("a", "before-persist", 5, "lose-write", "a"),
		when("a", "before-commit", 5, "lose-commit", "a"),
		when("a", "commit-answered", 6, "deliver", "a"),
		when("a", "before-commit", 7, "lose-commit-answer", "a"),
		when("a", "folded", 8, "evict", "a"),
		when("a", "folded", 9, "kill", "a", "start", "b"),
		when("b", "commit-answered", 10, "stop", "b"))
	r.play(t)
	r.wantDone(t)
	for fault, want := range map[string]string{
		"start":              "b/1 has begun",
		"hold":               "a/1 stands in commit-answered @3",
		"probe":              "read",
		"lose-answer":        "the answer to update-if-offset of acct-1 @3, applied, was held back, and the connection cut",
		"lose-write":         "update-if-offset of acct-1 @4 was not sent, and its connection cut",
		"lose-commit":        "a commit of 5 was not sent, and its connection cut",
		"deliver":            "OffsetCommit: no error",
		"lose-commit-answer": "the answer to a commit of 7, accepted, was held back, and the connection cut",
		"release":            "a/1 may go on from commit-answered @3",
		"evict":              `{"state":"Empty","members":[]}`,
		"kill":               `{"state":"Stable","members":[{"member":"a/3-4","client":"a/3","partitions":[0]}]}`,
		"stop":               `{"state":"Empty","members":[]}`,
	} {
		if got := r.proof(fault); got != want {
			t.Errorf("%s is proved by %s, not %s", fault, got, want)
		}
	}
	const all = "cut-clients cut-message cut-off deafen-server delay-message deliver drop-message elect-unclean evict expire fail fill-disk heal-server hold " +
		"hold-message isolate-server kill kill-server lift lose lose-answer lose-commit lose-commit-answer lose-write move-coordinator move-leader mute-server " +
		"pause-server phantom probe reap release silence-message start stop unreachable"
	if got := nemesis.FaultNames(); strings.Join(got, " ") != all || !slices.IsSorted(got) {
		t.Errorf("faults %v", got)
	}
}

// A killed worker sends nothing more, not even a goodbye: the coordinator lists it until its session is over. That is no
// eviction of a worker that runs.
func TestKillLeavesTheMemberListed(t *testing.T) {
	r := newRig(t, 1, do("start", "a"), when("a", "folded", 5, "kill", "a"))
	r.play(t, func(w workload.World) {
		listed := func() int {
			a, _, _ := r.Truth.Coordinator().Await()
			return len(a.Group.Members)
		}
		w.Sleep(2500 * time.Millisecond)
		if n := listed(); n != 1 {
			t.Errorf("%d members 2.5 s after the kill", n)
		}
		w.Sleep(600 * time.Millisecond)
		if n := listed(); n != 0 {
			t.Errorf("%d members after its session", n)
		}
	})
	r.wantDone(t)
	if got := r.evictions(); len(got) > 0 {
		t.Errorf("noted as evicted: %v", got)
	}
	if last := r.committed("a/1"); last[len(last)-1] != 4 {
		t.Errorf("it committed %v", last)
	}
}

// A plan may kill a worker and start it again: a/2 owns when the dead member's session is over, and goes on.
func TestKillAndStartAgain(t *testing.T) {
	for seed := range int64(20) {
		r := newRig(t, seed, do("start", "a"), when("a", "persist-sent", 5, "kill", "a", "start", "a"),
			when("a", "recovered", 0), when("a", "commit-answered", 10, "hold", "a", "kill", "a", "start", "a"), when("a", "recovered", 0))
		r.play(t)
		r.wantDone(t)
		if process, _ := r.Crew.Life("a"); process != "a/3" {
			t.Errorf("a is %s", process)
		}
		if got := r.evictions(); len(got) > 0 {
			t.Errorf("noted as evicted: %v", got)
		}
	}
}

// A member that is out already is stopped all the same: one that was evicted while it is held and does not know, one whose
// own clock put it out, and one that sits out its backoff after it left.
func TestStopOfAMemberThatIsOut(t *testing.T) {
	for name, plan := range map[string][]nemesis.Step{
		"evicted, held":   {when("a", "folded", 5, "hold", "a", "evict", "a", "stop", "a")},
		"max.poll passed": {when("a", "folded", 5, "hold", "a"), evicted("a", "stop", "a")},
		"in its backoff": {when("a", "before-persist", 5, "hold", "a", "evict", "a", "start", "b"),
			when("b", "commit-answered", 8, "release", "a"), when("a", "teardown", 0), when("b", "commit-answered", 10, "stop", "a", "stop", "b")},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 1, append([]nemesis.Step{do("start", "a")}, plan...)...)
			r.play(t, func(w workload.World) {
				n := len(r.memory.Events)
				w.Sleep(10 * time.Second)
				for _, e := range r.memory.Events[n:] {
					if strings.HasPrefix(e.Process, "a/") {
						t.Errorf("it went on: %v", e)
					}
				}
			})
			r.wantDone(t)
			if got := r.evictions(); !slices.Equal(got, []string{"a/1"}) {
				t.Errorf("noted as evicted: %v", got)
			}
		})
	}
}

// A stopped worker flushes and commits nothing, and its successor owns at once: it has left.
func TestStopLeaves(t *testing.T) {
	var folded, assigned int64
	r := newRig(t, 1, do("start", "a"), when("a", "folded", 5, "stop", "a", "start", "b"), when("b", "assigned", 0))
	r.play(t)
	r.wantDone(t)
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.PointReached); ok && v.Point == "folded" {
			folded = e.Time
		} else if ok && v.Point == "assigned" {
			assigned = e.Time
		}
	}
	if wait := time.Duration(assigned - folded); wait > 100*time.Millisecond {
		t.Errorf("b owns %s later", wait)
	}
	if got := r.committed("a/1"); !slices.Equal(got, []int64{1, 2, 3, 4}) {
		t.Errorf("a committed %v", got)
	}
}

// A worker that is not held learns of its eviction by itself and joins anew, perhaps before anybody looks: what was evicted
// is the member.
func TestEvictionOfAWorkerThatGoesOn(t *testing.T) {
	for seed := range int64(400) {
		r := newRig(t, seed, do("start", "a"), when("a", "commit-answered", 2), do("evict", "a"), when("a", "recovered", 0, "evict", "a"),
			when("a", "commit-answered", 10))
		r.play(t)
		r.wantDone(t)
		if got := r.evictions(); !slices.Equal(got, []string{"a/1", "a/1"}) {
			t.Errorf("seed %d: noted as evicted: %v", seed, got)
		}
	}
}

// A worker that failed and left the group by itself was not evicted, though its process still runs in its backoff: here it
// comes to a record that it cannot read.
func TestLeavingIsNoEviction(t *testing.T) {
	r := newRig(t, 1)
	r.play(t, func(w workload.World) {
		if _, err := r.Crew.Start(w, "a"); err != nil {
			t.Error(err)
		}
		w.Sleep(time.Second)
		r.world.Produce(0, "", []byte("nonsense")).Await()
		w.Await(time.Minute, func() bool { process, _ := r.Crew.Life("a"); return process == "a/2" })
	})
	if got := r.evictions(); len(got) > 0 {
		t.Errorf("noted as evicted: %v", got)
	}
	groups := 0
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.GroupSeen); ok && len(v.Members) == 0 {
			groups++
		}
	}
	if groups != 2 {
		t.Errorf("the sentinel saw an empty group %d times", groups)
	}
}

// A hold takes the worker in the point that it comes to next, also when it is in the middle of a join.
func TestHoldDuringAJoin(t *testing.T) {
	for seed := range int64(20) {
		r := newRig(t, seed, do("start", "a", "hold", "a"))
		r.play(t)
		r.wantDone(t)
		if got := r.proof("hold"); got != "a/1 stands in assigned @0" {
			t.Errorf("seed %d: %s", seed, got)
		}
	}
}

// What is held is the worker: one in its backoff is held in its next life.
func TestHoldDuringTheBackoff(t *testing.T) {
	for seed := range int64(20) {
		r := newRig(t, seed, do("start", "a"),
			when("a", "before-persist", 5, "hold", "a", "evict", "a", "start", "b"),
			when("b", "commit-answered", 10, "release", "a"), when("a", "teardown", 0), do("stop", "b", "hold", "a"))
		r.play(t)
		r.wantDone(t)
		if got := r.proof("hold"); !strings.HasPrefix(got, "a/2 stands in ") {
			t.Errorf("seed %d: %s", seed, got)
		}
	}
}
