package conformance

import (
	"time"

	"github.com/single-writer/chaos/workload"
)

const fencedInstance = "FENCED_INSTANCE_ID"

// statics is what the coordinator makes of static members, who name themselves.
func statics() []Fact {
	const source = "KIP-345; " + measuredHere
	return []Fact{{
		Name: "a-static-member-returns-unnoticed", Of: Kafka, Source: source,
		Says: "who joins by the name of an instance that is in a stable group takes its place in the same generation, under a new id, " +
			"with its assignment; nobody else notices",
		Otherwise: "a rebalance begins",
		show: func(b *bench) {
			a, other := b.pair()
			before := a.token
			a.token = workload.Token{}
			a.returns()
			if a.token.Generation != before.Generation || a.token.Member == before.Member {
				b.wrongf("who returns is %+v, and was %+v; expected: another id in the same generation", a.token, before)
			}
			a.sync()
			b.says("a heartbeat of the other", other.requests.Heartbeat(other.token), accepted)
			a.commits(a.token, accepted)
		},
	}, {
		Name: "a-second-of-an-instance-fences-the-first", Of: Kafka, Source: source,
		Says: "when another client has joined by an instance's name, whatever the one before asks is FENCED_INSTANCE_ID, though its " +
			"generation is the present one; not UNKNOWN_MEMBER_ID",
		Otherwise: "it is not known any more",
		show: func(b *bench) {
			a, _ := b.pair()
			second := b.instance("second", "one")
			second.returns().sync()
			if second.token.Generation != a.token.Generation {
				b.wrongf("the second is in generation %d, the first in %d", second.token.Generation, a.token.Generation)
			}
			b.says("a heartbeat of the first", a.requests.Heartbeat(a.token), fencedInstance)
			a.commits(a.token, fencedInstance)
			b.says("a sync of the first", a.requests.Sync(a.token, false), fencedInstance)
			second.commits(second.token, accepted)
		},
	}, {
		Name: "a-static-member-outlives-a-rebalance", Of: Kafka, Source: source,
		Says: "a static member that has not rejoined when the rebalance times out stays in the group until its session is over; who comes " +
			"by its name meanwhile has its place",
		Otherwise: "it is put out like any other",
		show: func(b *bench) {
			a, other := b.pair()
			late := other.token
			asked := b.Now()
			a.join().joined()
			b.took("the rebalance", asked, other.rebalance)
			a.sync()
			b.says("a heartbeat of who is late", other.requests.Heartbeat(late), illegalGeneration)
			other.returns().sync()
			if other.token.Generation != a.token.Generation {
				b.wrongf("who comes late by its name is in generation %d; expected: %d", other.token.Generation, a.token.Generation)
			}
		},
	}}
}

// instance is a client that is a static member.
func (b *bench) instance(client, name string) *client {
	c := b.client(client, session)
	c.requests.As(name)
	return c
}

// pair is a stable group of two static members, of which the first leads and owns the one partition.
func (b *bench) pair() (a, other *client) {
	a = b.instance("a", "one")
	a.rebalance = 2 * time.Second
	a.returns().sync()
	other = b.instance("b", "two")
	other.rebalance = 2 * time.Second
	other.joining = other.requests.Join("", other.session, other.rebalance)
	a.rebalancing()
	a.join().joined()
	other.joined()
	a.sync()
	other.sync()
	return a, other
}

// returns joins by its name alone.
func (c *client) returns() *client {
	c.joining = c.requests.Join("", c.session, c.rebalance)
	return c.joined()
}
