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
		return call(w, wholeRun, func(ctx context.Context) (string, error) {
			proof, err := loss.Await(ctx)
			if err == nil {
				w.engine.Enter(func() { w.lostCommits[process] = loss })
			}
			return proof, err
		})
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

// connectionsOf gives the connections to Kafka of a life, which may have made none yet, or begin with another member.
func (w *World) connectionsOf(process string) *connections {
	c, ok := w.connections[process]
	if !ok || c.isCut() {
		c = &connections{wire: wire.Dialer{Protocol: wire.Kafka}}
		w.connections[process] = c
	}
	return c
}
