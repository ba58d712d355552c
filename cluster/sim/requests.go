package sim

import (
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// requests is a client with a connection of its own.
type requests struct {
	world  *World
	client string
	link   link
	// instance is the name of a static member.
	instance string
}

// Requests makes a client that asks the coordinator one request at a time.
func (w *World) Requests(client string) (cluster.Requests, error) {
	return &requests{world: w, client: client}, nil
}

// As makes it a static member.
func (r *requests) As(instance string) { r.instance = instance }

// Join joins. Its answer may take as long as a rebalance does.
func (r *requests) Join(member string, session, rebalance time.Duration) persistence.Call[cluster.Joined] {
	b, c := r.at(), workload.MemberConfig{Instance: r.instance, SessionTimeout: session, MaxPollInterval: rebalance}
	return request(r.world.board, b.server, &r.link, rebalance+adminTimeout, func(reply func(cluster.Joined)) {
		b.join(subscription{id: member}, r.client, c, func(a joinAnswer) {
			reply(cluster.Joined{
				Code: a.code, Token: workload.Token{Member: a.member, Generation: a.generation}, Leads: len(a.members) > 0,
			})
		})
	})
}

// Sync syncs.
func (r *requests) Sync(t workload.Token, leads bool) persistence.Call[workload.CommitAnswer] {
	var assignments map[string][]int32
	if leads {
		assignments = map[string][]int32{t.Member: {0}}
	}
	return r.ask(func(b *broker, reply func(string)) { b.sync(t, assignments, func(a syncAnswer) { reply(a.code) }) })
}

// Heartbeat heartbeats.
func (r *requests) Heartbeat(t workload.Token) persistence.Call[workload.CommitAnswer] {
	return r.ask(func(b *broker, reply func(string)) { reply(b.heartbeat(t)) })
}

// Commit commits.
func (r *requests) Commit(t workload.Token, partition int32, offset int64) persistence.Call[workload.CommitAnswer] {
	return r.ask(func(b *broker, reply func(string)) { b.commit(t, partition, offset, reply) })
}

func (r *requests) ask(what func(b *broker, reply func(code string))) persistence.Call[workload.CommitAnswer] {
	b := r.at()
	return request(r.world.board, b.server, &r.link, adminTimeout, func(reply func(workload.CommitAnswer)) {
		what(b, func(code string) { reply(workload.CommitAnswer{Code: code}) })
	})
}

// at is the coordinator, or any broker while there is none, which will say so.
func (r *requests) at() *broker {
	if b := r.world.kafka.coordinator(); b != nil {
		return b
	}
	return r.world.kafka.brokers[0]
}
