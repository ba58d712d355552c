package controller_test

import (
	"slices"
	"testing"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// TestJournalResidue looks at what two owners made of a journal in which the former one had left events 1 and 2, at the
// offsets 0 and 1, after the account was closed at 3: last-write-wins counts them in, the fence leaves them out at both
// recoveries; without its filter it finds them out at the first alone, and without the floor not even there. What is left in
// the journal is told at the end.
func TestJournalResidue(t *testing.T) {
	s := runtest.Find(t, "journal-residue")
	for _, c := range []struct {
		arm     string
		without []string
		// counts are how many events were in what c and then d recovered.
		counts []int64
	}{
		{persistence.CassandraLWW, nil, []int64{2, 4}},
		{persistence.CassandraCASPersist, nil, []int64{2, 4}},
		{persistence.CassandraCAS, nil, []int64{0, 2}},
		{persistence.CassandraCAS, []string{persistence.JournalFloorFilter}, []int64{0, 4}},
		{persistence.CassandraCAS, []string{persistence.JournalFloorFilter, persistence.JournalFloor}, []int64{2, 4}},
	} {
		h := runtest.Execute(t, sim.Cluster{}, s, c.arm, 1, c.without...)
		var counts, left []int64
		for _, e := range h.Events {
			switch v := e.Value.(type) {
			case *history.Recovery:
				for _, k := range v.States {
					switch {
					case e.Process != "c/1" && e.Process != "d/1":
					case k.State == nil:
						counts = append(counts, 0)
					default:
						counts = append(counts, k.State.Count)
					}
				}
			case *history.GroundTruth:
				for _, r := range v.Journal {
					left = append(left, r.Offset)
				}
			}
		}
		if !slices.Equal(counts, c.counts) {
			t.Errorf("%s without %v: %d events recovered, not %d", c.arm, c.without, counts, c.counts)
		}
		if !slices.Equal(left, []int64{0, 1, 4, 5, 6}) {
			t.Errorf("%s without %v: left in the journal are %d", c.arm, c.without, left)
		}
	}
}
