// Package cluster says what a cluster offers to a run, whichever kind it is.
package cluster

import (
	"context"

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
