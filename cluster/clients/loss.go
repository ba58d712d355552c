package clients

import (
	"context"
	"fmt"
	"time"

	"github.com/single-writer/chaos/cluster/clients/wire"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// LoseNext arms the loss at once; its call ends with the run if not before. All workers share the connections to Cassandra; each
// life has its own to Kafka.
func (w *World) LoseNext(process string, m workload.Message) persistence.Call[string] {
	var loss *wire.Loss
	switch m {
	case workload.WriteRequest:
		loss = w.servers.wire.LoseRequest(wire.WritesWith(persistence.MarkOf(process)))
	case workload.WriteAnswer:
		loss = w.servers.wire.LoseAnswer(wire.WritesWith(persistence.MarkOf(process)))
	case workload.CommitRequest:
		loss = w.connectionsOf(process).wire.LoseRequest(wire.Commits())
		w.lostCommits[process] = loss
	case workload.CommitAccepted:
		loss = w.connectionsOf(process).wire.LoseAnswer(wire.Commits())
	}
	return call(w, wholeRun, loss.Await)
}

// Deliver sends the commit that was lost as it was.
func (w *World) Deliver(process string) persistence.Call[string] {
	loss := w.lostCommits[process]
	return call(w, requestTimeout, func(ctx context.Context) (string, error) {
		if loss == nil {
			return "", fmt.Errorf("no commit of %s was lost", process)
		}
		words, _, err := loss.Deliver(ctx)
		return words, err
	})
}

// wholeRun is longer than any run.
const wholeRun = 24 * time.Hour

// connectionsOf gives the connections to Kafka of a life; of one that has no member yet, some that nobody uses.
func (w *World) connectionsOf(process string) *connections {
	for _, m := range w.members {
		if m.process == process {
			return m.conns
		}
	}
	return newConnections()
}
