package sim

import (
	"context"
	"fmt"
	"slices"
	"strconv"
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

// Scheduled gives the cluster of which a header tells such a schedule.
func Scheduled(schedule string) (Cluster, error) {
	var c Cluster
	for _, word := range strings.Fields(schedule) {
		rate, loses := strings.CutPrefix(word, "loss-")
		switch {
		case slices.Contains(Strategies(), word):
			c.Strategy = word
		case loses:
			var err error
			if c.Loss, err = strconv.ParseFloat(rate, 64); err != nil || !(c.Loss > 0 && c.Loss <= 0.5) {
				return c, fmt.Errorf("the schedule %q loses %q of the messages, which is no number up to 0.5", schedule, rate)
			}
		default:
			return c, fmt.Errorf("this version of the simulator knows no schedule %q: a way to draw one is %s, with or without loss-0.01", schedule,
				strings.Join(Strategies(), " or "))
		}
	}
	if got := c.schedule(); got != schedule {
		return c, fmt.Errorf("the schedule %q is written %q", schedule, got)
	}
	return c, nil
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
