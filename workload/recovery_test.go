package workload_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// Which keys are recovered when: all when the partition is assigned; of a worker that restores from events, those on the
// list then, and others at their first record; of a lazy one, each at its first record. The start is the flow's in each.
func TestWhenKeysAreRecovered(t *testing.T) {
	stages := []workload.Stage{
		{First: 1, Last: 2, Kind: "post", Key: 1},
		{First: 3, Last: 3, Kind: "post", Key: 2, When: workload.Trigger{Worker: "b", Point: history.PointAssigned}},
		{First: 4, Last: 5, Kind: "post", Key: 1},
	}
	for _, c := range []struct {
		name         string
		events, lazy bool
		want         []string
	}{
		{"snapshots", false, false, []string{"[acct-1 acct-2] from 2"}},
		{"events", true, false, []string{"[acct-1] from 2", "[acct-2] from 2"}},
		{"lazily", false, true, []string{"[acct-2] from 2", "[acct-1] from 2"}},
		{"events, lazily", true, true, []string{"[acct-2] from 2", "[acct-1] from 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := quick("a"), quick("b")
			a.RestoreEvents, b.RestoreEvents, b.LazyRecovery = c.events, c.events, c.lazy
			r := newRig(t, persistence.CassandraCAS, workload.NewInput(1, 2, stages, 1), a, b)
			r.play(func(w workload.World) {
				r.start(w, "a")
				r.at(w, "a", history.PointCommitAnswered, 2, func() { r.kill(w, "a") })
				r.start(w, "b")
				r.at(w, "b", history.PointCommitAnswered, 5, func() {
					r.wantRow("acct-1", 4)
					r.wantRow("acct-2", 2)
				})
			})
			var got []string
			for _, v := range values[history.Recovery](r, "b/1", history.OK) {
				got = append(got, fmt.Sprintf("%v from %d", v.Keys, v.Start))
				if (len(v.States) == len(v.Keys)) != c.events {
					t.Errorf("states %v of %v", v.States, v.Keys)
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
