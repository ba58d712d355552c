// Package cluster says what a cluster offers to a run, whichever kind it is.
package cluster

import (
	"context"
	"fmt"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// Cluster is a Kafka and a Cassandra, simulated or real, of one server each or of three, on which runs are done one after
// another.
type Cluster interface {
	// Facts is what the history's header tells of it.
	Facts() history.ClusterFacts
	// Open makes the world of one run: a topic, a group and rows that nobody else has, all empty.
	Open(ctx context.Context, s Spec, recorder history.Recorder) (World, error)
	// Close removes what was made for these runs; servers that were there before live on.
	Close(ctx context.Context) error
}

// Size is how many servers of each kind there are, or are needed; 0 is one.
type Size struct{ Kafka, Cassandra int }

// Serves tells whether a cluster of this size will do where the other is needed.
func (s Size) Serves(needed Size) bool {
	return max(s.Kafka, 1) >= needed.Kafka && max(s.Cassandra, 1) >= needed.Cassandra
}

// With gives the least size that serves whoever either serves.
func (s Size) With(o Size) Size {
	return Size{Kafka: max(s.Kafka, o.Kafka), Cassandra: max(s.Cassandra, o.Cassandra)}
}

// String is "3 Kafka and 1 Cassandra".
func (s Size) String() string {
	return fmt.Sprintf("%d Kafka and %d Cassandra", max(s.Kafka, 1), max(s.Cassandra, 1))
}

// TooSmall says that a cluster has fewer servers than a run needs.
type TooSmall struct{ There, Needed Size }

func (e *TooSmall) Error() string {
	return fmt.Sprintf("%s are needed, and the cluster has %s", e.Needed, e.There)
}

// Spec is what a run needs of its cluster.
type Spec struct {
	Seed       int64
	Partitions int
	// Arm names the arm, for what is named after it.
	Arm string
	// Kafka and Cassandra are how many servers of each the run needs; 0 is one. A cluster that has more will do, one that
	// has fewer refuses.
	Kafka, Cassandra int
}

// World is one run's view of a cluster.
type World interface {
	workload.Consumers
	workload.Producer
	workload.Truth
	workload.Wire
	workload.Servers
	persistence.Rows
	// Board is the board of the run's processes.
	Board() *board.Board
	// Close gives back what the run had for itself.
	Close(ctx context.Context) error
}
