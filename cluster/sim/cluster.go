package sim

import (
	"context"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/history"
)

// Cluster makes simulated worlds. It has no state: each run's world is its own.
type Cluster struct{}

var (
	_ cluster.Cluster = Cluster{}
	_ cluster.World   = (*World)(nil)
)

// Facts is what the history's header tells.
func (Cluster) Facts() history.ClusterFacts { return Facts() }

// Open makes a world. The context's end aborts its run.
func (Cluster) Open(ctx context.Context, s cluster.Spec, r history.Recorder) (cluster.World, error) {
	w := New(s.Seed, s.Partitions, r)
	w.scheduler.interrupted = func() error { return context.Cause(ctx) }
	return w, nil
}

// Close does nothing: there is nothing to remove.
func (Cluster) Close(context.Context) error { return nil }

// Close does nothing either.
func (w *World) Close(context.Context) error { return nil }
