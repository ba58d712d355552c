package sim

import (
	"context"
	"fmt"
	"strings"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/history"
)

// Cluster makes simulated worlds. It has no state: each run's world is its own.
type Cluster struct {
	// Strategy names how schedules are drawn; empty is the random walk.
	Strategy string
	// Loss is the part of the workers' requests that is lost, and of their answers.
	Loss float64
}

var (
	_ cluster.Cluster = Cluster{}
	_ cluster.World   = (*World)(nil)
)

// Facts is what the history's header tells.
func (c Cluster) Facts() history.ClusterFacts {
	f := Facts()
	f.Schedule = c.schedule()
	return f
}

// schedule says how schedules are drawn, where that is not the plain random walk.
func (c Cluster) schedule() string {
	s := c.Strategy
	if s == Walk {
		s = ""
	}
	if c.Loss > 0 {
		s = strings.TrimSpace(fmt.Sprintf("%s loss-%g", s, c.Loss))
	}
	return s
}

// Open makes a world. The context's end aborts its run.
func (c Cluster) Open(ctx context.Context, s cluster.Spec, r history.Recorder) (cluster.World, error) {
	by, err := newStrategy(c.Strategy, seeded(s.Seed))
	if err != nil {
		return nil, err
	}
	w := newWorld(by, newLossy(s.Seed, c.Loss), s.Partitions, r)
	w.scheduler.interrupted = func() error { return context.Cause(ctx) }
	return w, nil
}

// Close does nothing: there is nothing to remove.
func (Cluster) Close(context.Context) error { return nil }

// Close does nothing either.
func (w *World) Close(context.Context) error { return nil }
