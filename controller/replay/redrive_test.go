package replay

import (
	"context"
	"testing"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller/runtest"
)

// kept is a cluster that a run does not close.
type kept struct{ cluster.Cluster }

func (kept) Close(context.Context) error { return nil }

// TestContainersReplay does simulated runs on real servers: all of it comes in the recorded order, and comes to the
// same verdicts by the same witness.
func TestContainersReplay(t *testing.T) {
	on := kept{containerstest.Open(t)}
	for _, folder := range runtest.Record(t, sim.Cluster{}, "stale-periodic-flush", 1, "cassandra/lww", "cassandra/cas") {
		r := redriven(t, folder, on)
		if !r.Confirmed || r.Undriven != nil || r.Driven != r.Of || len(r.Judged) > 0 {
			t.Errorf("%s: confirmed %v, %d of %d: %+v, %v", folder, r.Confirmed, r.Driven, r.Of, r.Undriven, r.Judged)
		}
		runtest.SameSteps(t, r.Run.History, opened(t, folder).History)
	}
}
