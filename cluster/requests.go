package cluster

import (
	"time"

	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// Requests is what one client asks of the coordinator of the run's group, one request at a time. Unlike a member it does
// nothing by itself: it does not heartbeat, rejoin or leave. No run uses it; it is for who looks at the coordinator.
type Requests interface {
	// As makes the client a static member of that name, in all that it asks from now on.
	As(instance string)
	// Join joins as the member, or asks for an id when it is empty and the client is no static member; the answer comes when the rebalance is complete.
	Join(member string, session, rebalance time.Duration) persistence.Call[Joined]
	// Sync ends the join. Who leads takes partition 0 for itself and leaves the others without any.
	Sync(t workload.Token, leads bool) persistence.Call[workload.CommitAnswer]
	Heartbeat(t workload.Token) persistence.Call[workload.CommitAnswer]
	Commit(t workload.Token, partition int32, offset int64) persistence.Call[workload.CommitAnswer]
}

// Joined is the answer to a join: Code is empty when the member is in.
type Joined struct {
	Code  string
	Token workload.Token
	Leads bool
}
