package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/history"
)

// Cluster makes simulated worlds. It has no state: each run's world is its own.
type Cluster struct {
	// Strategy names how schedules are drawn; empty is the random walk.
	Strategy string
	// Loss is the part of the workers' requests that is lost, and of their answers; of several nodes of the store also of what
	// they send each other.
	Loss float64
	// Replicas is how many nodes the store has, each with all rows; 0 is as many as the run asks for. Skew is the most
	// that the clock of one of them is ahead of the true time or behind it.
	Replicas int
	Skew     time.Duration
	// Only are the decisions of the schedule that are the seed's, as "3-40,77" or "none"; empty is all of them.
	Only string
}

var (
	_ cluster.Cluster  = Cluster{}
	_ cluster.World    = (*World)(nil)
	_ cluster.Replicas = (*World)(nil)
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
		s += fmt.Sprintf(" loss-%g", c.Loss)
	}
	if c.Replicas > 0 {
		s += fmt.Sprintf(" replicas-%d", c.Replicas)
	}
	if c.Skew > 0 {
		s += fmt.Sprintf(" skew-%s", c.Skew)
	}
	if c.Only != "" {
		s += " only-" + c.Only
	}
	return strings.TrimSpace(s)
}

// MaxReplicas bounds how many messages a statement takes; MaxSkew is more than any clock is off that still goes.
const (
	MaxReplicas = 5
	MaxSkew     = 24 * time.Hour
)

// Scheduled gives the cluster of which a header tells such a schedule.
func Scheduled(schedule string) (Cluster, error) {
	var c Cluster
	for _, word := range strings.Fields(schedule) {
		if err := c.read(word); err != nil {
			return c, fmt.Errorf("the schedule %q: %w", schedule, err)
		}
	}
	if got := c.schedule(); got != schedule {
		return c, fmt.Errorf("the schedule %q is written %q", schedule, got)
	}
	return c, nil
}

// read takes in one word of a schedule.
func (c *Cluster) read(word string) (err error) {
	name, number, _ := strings.Cut(word, "-")
	wrong := func(limit string) error {
		return fmt.Errorf("%s is followed by a number up to %s, not %q", name, limit, number)
	}
	switch {
	case slices.Contains(Strategies(), word):
		c.Strategy = word
	case name == "loss":
		if c.Loss, err = strconv.ParseFloat(number, 64); err != nil || !(c.Loss > 0 && c.Loss <= 0.5) {
			return wrong("0.5")
		}
	case name == "replicas":
		if c.Replicas, err = strconv.Atoi(number); err != nil || c.Replicas < 1 || c.Replicas > MaxReplicas {
			return wrong(strconv.Itoa(MaxReplicas))
		}
	case name == "skew":
		if c.Skew, err = time.ParseDuration(number); err != nil || c.Skew <= 0 || c.Skew > MaxSkew {
			return wrong(MaxSkew.String())
		}
	case name == "only":
		if _, err = newDecisions(number); err != nil || number == "" {
			return fmt.Errorf("%q: decisions are told as 3-40,77, in order and from 0 on, or as %s", word, None)
		}
		c.Only = number
	default:
		return fmt.Errorf("this version of the simulator does not know %q: a way to draw one is %s, with or without loss-0.01, replicas-3 and skew-1s",
			word, strings.Join(Strategies(), " or "))
	}
	return nil
}

// errBeyond is why some decisions cannot be left to the seed alone.
var errBeyond = errors.New("what the nodes of a store lose, who of them coordinates, and which of several brokers leads and when another does, is the " +
	"seed's, whatever decisions are left to it: decisions are chosen for one server of each kind")

// nodes is how many nodes the store of a run has.
func (c Cluster) nodes(s cluster.Spec) int { return max(1, cmp.Or(c.Replicas, s.Cassandra)) }

// Open makes a world. The context's end aborts its run.
func (c Cluster) Open(ctx context.Context, s cluster.Spec, r history.Recorder) (cluster.World, error) {
	by, err := newStrategy(c.Strategy, seeded(s.Seed))
	if err != nil {
		return nil, err
	}
	seeds, err := newDecisions(c.Only)
	if err != nil {
		return nil, err
	}
	if c.Only != "" && (c.nodes(s) > 1 || s.Kafka > 1) {
		return nil, errBeyond
	}
	if c.Only != "" {
		by = partly{by, seeds}
	}
	w := newWorld(by, c, s, r)
	w.lossy.decisions = seeds
	w.scheduler.interrupted = func() error { return context.Cause(ctx) }
	return w, nil
}

// Close does nothing: there is nothing to remove.
func (Cluster) Close(context.Context) error { return nil }

// Close does nothing either.
func (w *World) Close(context.Context) error { return nil }
