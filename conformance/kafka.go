package conformance

import (
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

const (
	measuredKafka = "measured on 4.3.1 and 4.4.0"
	none          = -1
)

// group is what the coordinator of a classic group answers.
func group() []Fact {
	return []Fact{{
		Name: "commit-to-an-empty-group", Of: Kafka, Source: measuredKafka,
		Says:      `a group without members accepts a commit of nobody (id "", generation -1), and of no member`,
		Otherwise: "a commit of nobody is one of an unknown member",
		show: func(b *bench) {
			c := b.client("a", session)
			c.commits(workload.Token{Generation: none}, accepted)
			c.commits(workload.Token{Member: "a-1", Generation: 1}, unknownMember)
		},
	}, {
		Name: "commit-of-another-generation", Of: Kafka, Source: measuredKafka,
		Says:      "a member's commit under a generation that is over, that is to come, or under none (-1) is ILLEGAL_GENERATION",
		Otherwise: "a generation that is over is accepted",
		show: func(b *bench) {
			a, _ := b.stable()
			a.illegal()
			a.commits(a.token, accepted)
		},
	}, {
		Name: "commit-of-an-unknown-member", Of: Kafka, Source: measuredKafka,
		Says:      "in a group with members the commit of an unknown one is UNKNOWN_MEMBER_ID; so is that of nobody",
		Otherwise: "a commit of nobody is accepted, as a transactional one is",
		show: func(b *bench) {
			a, _ := b.stable()
			a.commits(workload.Token{Member: "x-9", Generation: a.token.Generation}, unknownMember)
			a.commits(workload.Token{Generation: none}, unknownMember)
			a.commits(workload.Token{Generation: a.token.Generation}, unknownMember)
		},
	}, {
		Name: "commit-after-leaving", Of: Kafka, Source: measuredKafka,
		Says:      "the commit of a member that has left is UNKNOWN_MEMBER_ID, in whatever generation",
		Otherwise: "its generation is enough while it lasts",
		show: func(b *bench) {
			a, other := b.stable()
			b.says("the goodbye of a", b.servers.Evict(a.token.Member), accepted)
			other.commits(a.token, unknownMember)
			b.says("another goodbye of a", b.servers.Evict(a.token.Member), unknownMember)
		},
	}, {
		Name: "commit-while-a-rebalance-is-prepared", Of: Kafka, Source: measuredKafka,
		Says:      "while a rebalance waits for a member, its commit in the present generation is accepted; its heartbeat is told of the rebalance",
		Otherwise: "the commit is told too",
		show: func(b *bench) {
			a, _ := b.stable()
			b.client("c", session).join()
			a.rebalancing()
			a.commits(a.token, accepted)
			a.illegal()
		},
	}, {
		Name: "commit-between-join-and-sync", Of: Kafka, Source: measuredKafka,
		Says:      "who has joined a generation and is not assigned yet: a commit in it is REBALANCE_IN_PROGRESS, in the one before ILLEGAL_GENERATION",
		Otherwise: "a commit in the new generation is accepted",
		show: func(b *bench) {
			a := b.client("a", session).join().joined().sync()
			before := a.token
			c := b.client("c", session).join()
			a.join().joined()
			c.joined()
			a.commits(a.token, rebalanceInProgress)
			a.commits(before, illegalGeneration)
		},
	}, {
		Name: "commit-of-another's-partition", Of: Kafka, Source: measuredKafka,
		Says:      "the coordinator never asks who owns the partition: a member that owns nothing commits",
		Otherwise: "only the owner may",
		show: func(b *bench) {
			_, other := b.stable()
			other.commits(other.token, accepted)
		},
	}, {
		Name: "an-emptied-group-counts", Of: Kafka, Source: measuredKafka,
		Says:      "a group that empties counts one generation: lone members one after another get the generations 1, 3, 5",
		Otherwise: "it counts none",
		show: func(b *bench) {
			for _, want := range []int32{1, 3, 5} {
				a := b.client("a", session).join().joined().sync()
				if a.token.Generation != want {
					b.wrongf("the member is in generation %d; expected: %d", a.token.Generation, want)
				}
				b.says("the goodbye", b.servers.Evict(a.token.Member), accepted)
			}
		},
	}, {
		Name: "eviction-after-the-session", Of: Kafka, Source: measuredKafka + ": 0.31 s for a session of 0.3 s, 3.01 s for 3 s",
		Says:      "a member that is not heard of for its session is put out, and the rebalance that waited for it goes on; its commits are UNKNOWN_MEMBER_ID",
		Otherwise: "sessions last twice as long",
		show: func(b *bench) {
			for _, asked := range []time.Duration{300 * time.Millisecond, 2 * time.Second} {
				a := b.client("a", asked).join().joined()
				heard := b.Now()
				a.sync()
				c := b.client("c", session).join().joined()
				b.took("the eviction", heard, asked)
				c.commits(a.token, unknownMember)
				b.says("the goodbye of c", b.servers.Evict(c.token.Member), accepted)
			}
		},
	}, {
		Name: "goodbye-ends-the-wait", Of: Kafka, Source: measuredKafka + ": the next owns after 15 ms",
		Says:      "who says goodbye is waited for no more: the rebalance that waited goes on at once, not after its session",
		Otherwise: "a goodbye is only heard, and the session runs",
		show: func(b *bench) {
			a := b.client("a", session).join().joined().sync()
			c := b.client("c", session).join()
			a.rebalancing()
			said := b.Now()
			b.says("the goodbye of a", b.servers.Evict(a.token.Member), accepted)
			c.joined()
			b.took("the rebalance after the goodbye", said, 0)
		},
	}}
}

// slack is how much later than it could a busy machine may do what takes it milliseconds.
const slack = 1500 * time.Millisecond

// illegal commits under the generations that a member is not in.
func (c *client) illegal() {
	for _, g := range []int32{c.token.Generation - 1, c.token.Generation + 1, none} {
		c.commits(workload.Token{Member: c.token.Member, Generation: g}, illegalGeneration)
	}
}

// rebalancing waits until the member is told of a rebalance.
func (c *client) rebalancing() {
	c.until("a heartbeat is told of the rebalance", func() bool {
		a, _, err := c.requests.Heartbeat(c.token).Await()
		return err == nil && a.Code == rebalanceInProgress
	})
}

// committed reads the committed offset.
func (b *bench) committed() history.Opt {
	at, _, err := b.servers.Committed(0).Await()
	if err != nil {
		b.wrongf("the committed offset: %v", err)
	}
	return at
}
