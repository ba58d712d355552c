package conformance

import (
	"time"

	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// rebalances is how the coordinator of a classic group brings its members into the next generation.
func rebalances() []Fact {
	return []Fact{{
		Name: "a-new-member-is-named-first", Of: Kafka, Source: "KIP-394; " + measuredHere,
		Says: "a new member is given an id, and is in when it joins under it; a rebalance waits for it meanwhile, at most for its " +
			"session, and then the id is unknown",
		Otherwise: "nobody waits for who was given an id",
		show: func(b *bench) {
			a := b.client("a", session).join().joined().sync()
			asked := b.Now()
			c := b.client("c", time.Second).named()
			a.join().joined()
			b.took("the rebalance", asked, time.Second)
			j, _, err := c.requests.Join(c.token.Member, c.session, c.rebalance).Await()
			if err != nil || j.Code != unknownMember {
				b.wrongf("a join under the id of before is answered %+v, %v; expected: %s", j, err, unknownMember)
			}
		},
	}, {
		Name: "a-follower-rejoins-unnoticed", Of: Kafka, Source: measuredHere,
		Says: "a member that joins the generation that it is in, and says nothing new, is told of it at once and nobody else notices; " +
			"when the leader of a stable group does it a rebalance begins",
		Otherwise: "a rebalance begins whoever it is",
		show: func(b *bench) {
			a, other := b.stable()
			before := other.token
			other.join().joined()
			if other.token != before {
				b.wrongf("the follower that rejoins is %+v; expected: %+v", other.token, before)
			}
			b.says("a heartbeat of the leader", a.requests.Heartbeat(a.token), accepted)
			a.join()
			other.rebalancing()
		},
	}, {
		Name: "who-waits-is-there", Of: Kafka, Source: measuredHere,
		Says:      "while a member waits for the answer to its join or its sync its session does not run",
		Otherwise: "it does",
		show: func(b *bench) {
			const brief = time.Second
			a := b.client("a", session).join().joined().sync()
			c := b.client("c", brief).join()
			b.Sleep(3 * brief / 2)
			a.join().joined()
			c.joined()
			synced := c.requests.Sync(c.token, false)
			b.Sleep(3 * brief / 2)
			a.sync()
			b.says("the sync of c", synced, accepted)
			c.commits(c.token, accepted)
		},
	}, {
		Name: "rebalance-time-out", Of: Kafka, Source: measuredHere,
		Says:      "a rebalance waits for the longest rebalance time-out of its members; who heartbeats and has not rejoined by then is put out",
		Otherwise: "it waits twice as long",
		show: func(b *bench) {
			a := b.client("a", session)
			a.rebalance = 2 * time.Second
			a.join().joined().sync()
			c := b.client("c", session)
			c.rebalance = time.Second
			asked := b.Now()
			c.join()
			a.rebalancing()
			c.joined()
			b.took("the rebalance", asked, a.rebalance)
			c.commits(a.token, unknownMember)
		},
	}, {
		Name: "answers-to-a-sync", Of: Kafka, Source: measuredHere,
		Says: "a sync in a generation that is over is ILLEGAL_GENERATION; one that comes while a rebalance is prepared, or is overtaken by " +
			"it, is REBALANCE_IN_PROGRESS",
		Otherwise: "a sync is let in while a rebalance is prepared",
		show: func(b *bench) {
			a, other := b.stable()
			b.says("a sync of an older generation", a.requests.Sync(workload.Token{Member: a.token.Member, Generation: 1}, false), illegalGeneration)
			c := b.client("c", session).join()
			a.rebalancing()
			b.says("a sync while a rebalance is prepared", a.requests.Sync(a.token, false), rebalanceInProgress)
			a.join()
			other.join().joined()
			a.joined()
			c.joined()
			overtaken := c.requests.Sync(c.token, false)
			b.client("d", session).join()
			b.says("a sync that is overtaken", overtaken, rebalanceInProgress)
		},
	}, {
		Name: "put-out-while-joining", Of: Kafka, Source: measuredHere,
		Says:      "a member that is put out while it waits for the answer to its join is told so: UNKNOWN_MEMBER_ID",
		Otherwise: "it is told nothing",
		show: func(b *bench) {
			a := b.client("a", session).join().joined().sync()
			c := b.client("c", session).join()
			a.rebalancing()
			b.says("the goodbye of c", b.servers.Evict(c.token.Member), accepted)
			j, _, err := c.joining.Await()
			if err != nil || j.Code != unknownMember {
				b.wrongf("the join of who was put out is answered %+v, %v; expected: %s", j, err, unknownMember)
			}
		},
	}, {
		Name: "put-out-while-syncing", Of: Kafka, Source: measuredHere,
		Says:      "a member that is put out while it waits for the answer to its sync gets none; its next request is UNKNOWN_MEMBER_ID",
		Otherwise: "it is told so",
		show: func(b *bench) {
			a := b.client("a", session).join().joined().sync()
			// The goodbye may overtake the sync, which is answered then.
			for range 3 {
				c := b.client("c", session).join()
				a.join().joined()
				c.joined()
				synced := c.requests.Sync(c.token, false)
				b.says("a heartbeat of c", c.requests.Heartbeat(c.token), accepted)
				b.says("the goodbye of c", b.servers.Evict(c.token.Member), accepted)
				b.says("a heartbeat of who was put out", c.requests.Heartbeat(c.token), unknownMember)
				if _, outcome, _ := synced.Await(); outcome == persistence.Unknown {
					return
				}
				a.join().joined().sync()
			}
			b.wrongf("the sync of who was put out is answered, three times; expected: no answer within its time-out")
		},
	}}
}

// measuredHere is of what was read in Kafka's source before.
const measuredHere = "GroupMetadataManager; measured on 4.3.1"

// took compares how long ago something began, which has just come to its end.
func (b *bench) took(what string, begun, want time.Duration) {
	if took := b.Now() - begun; took < want || took > want+slack {
		b.wrongf("%s took %s; expected: %s, up to %s more", what, took, want, slack)
	}
}
