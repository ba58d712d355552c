package conformance

import (
	"fmt"

	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// The servers of a world of one each.
const (
	theBroker = "kafka-1"
	theNode   = "cassandra-1"
)

// harmed is what servers make of what was sent to them, or done before, when they stand still or their process ends.
func harmed() []Fact {
	return []Fact{{
		Name: "a-paused-broker-commits-late", Of: Kafka, Source: "measured on 4.3.1: OffsetCommit, EndTxn, Produce",
		Says:      "a commit that is sent to a broker that stands still is committed when that goes on, though its client has given up",
		Otherwise: "what a server was sent while it stood still is lost",
		show: func(b *bench) {
			a := b.client("a", session).join().joined().sync()
			// Over the connection that this opens: a broker that stands still greets no new one.
			a.commits(a.token, accepted)
			b.struck(theBroker, workload.Paused)
			if _, outcome, _ := a.requests.Commit(a.token, 0, 7).Await(); outcome != persistence.Unknown {
				b.wrongf("a commit to a broker that stands still: outcome %d", outcome)
			}
			b.healed(theBroker)
			b.until("the commit is there", func() bool { return b.committed().N == 7 })
		},
	}, {
		Name: "a-group-outlives-its-broker", Of: Kafka, Source: "GroupMetadataManager of Kafka 4.x: the group is made of its log",
		Says: "a broker that was killed and started again has the group as it was: the committed offset, the generation, and the member, which " +
			"commits on",
		Otherwise: "a coordinator that begins knows of no group",
		show: func(b *bench) {
			a := b.client("a", session).join().joined().sync()
			a.commits(a.token, accepted)
			b.struck(theBroker, workload.Killed)
			b.healed(theBroker)
			b.until("the offset is there", func() bool { return b.committed().Known })
			// Over a connection of its own: that of before has to break first.
			b.client("a", session).commits(a.token, accepted)
		},
	}, {
		Name: "a-paused-node-writes-late", Of: Cassandra, Source: "measured on 5.0.5, paused for 3 and for 15 s",
		Says:      "a statement that is sent to a coordinator that stands still is applied when that goes on, though its client has given up",
		Otherwise: "what a server was sent while it stood still is lost",
		show: func(b *bench) {
			b.struck(theNode, workload.Paused)
			if _, outcome, _ := b.servers.Start(plain(update, 10, 5, "v")).Await(); outcome != persistence.Unknown {
				b.wrongf("a write to a node that stands still: outcome %d", outcome)
			}
			b.healed(theNode)
			b.becomes("v@5")
		},
	}}
}

// struck and healed do it, and go on when it is seen.
func (b *bench) struck(server string, t workload.Trouble) {
	b.told(fmt.Sprintf("%s is %s", server, t), b.servers.Strike(server, t))
}

func (b *bench) healed(server string) { b.told(server+" is healed", b.servers.Heal(server)) }
