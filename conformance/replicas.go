package conformance

import (
	"fmt"
	"slices"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/workload/persistence"
)

// Where facts come from that take several nodes.
const (
	onThree = "measured on three nodes of 5.0.5"
	read    = "read in the source of Cassandra"
)

// ofNodes are the numbers of the nodes.
var ofNodes = []int{0, 1, 2}

// replicas is what several nodes have of a row, and by whose clock they go.
func replicas() []Fact {
	const ahead = 45 * time.Second
	return []Fact{{
		Name: "a-quorum-is-enough", Of: Cassandra, Source: read + " (WriteResponseHandler)",
		Says:      "a plain write that two of three nodes have is acknowledged, and whichever two are read, it is seen",
		Otherwise: "one node is enough",
		show: func(b *bench) {
			b.losing(to(cluster.Write, 2), func() { b.through(0, plain(update, 10, 5, "v"), applied) })
			b.losing(from(0), func() { b.seenBy(2, get, "v@5") })
			b.losing(from(1), func() { b.seenBy(2, get, "v@5") })
		},
	}, {
		Name: "write-time-out", Of: Cassandra, Source: read + " (WriteResponseHandler)",
		Says:      "a plain write that one node has is a write time-out of the kind SIMPLE, 1 of 2; it is there, or not, by which two are read",
		Otherwise: "one node is enough",
		show: func(b *bench) {
			b.losing(to(cluster.Write, 1, 2), func() { b.through(0, plain(update, 10, 5, "v"), late("write-timeout-SIMPLE", 2)) })
			b.losing(from(0), func() { b.seenBy(1, get, absent) })
			b.losing(from(1), func() { b.seenBy(0, get, "v@5") })
		},
	}, {
		Name: "reads-repair", Of: Cassandra, Source: "read_repair = 'BLOCKING', the default; CASSANDRA-14635",
		Says:      "what a read at QUORUM has shown a later one does not miss, whichever two it asks: the first has repaired who lacked it",
		Otherwise: "a read leaves replicas as they are",
		show: func(b *bench) {
			b.losing(to(cluster.Write, 1, 2), func() { b.through(0, plain(update, 10, 5, "v"), late("write-timeout-SIMPLE", 2)) })
			b.losing(from(2), func() { b.seenBy(0, get, "v@5") })
			b.losing(from(0), func() { b.seenBy(2, get, "v@5") })
		},
	}, {
		Name: "too-few-alive", Of: Cassandra, Source: onThree + ": never applied",
		Says:      "a statement is not begun when the coordinator knows of too few nodes that are alive: unavailable, and without effect",
		Otherwise: "it is begun",
		show: func(b *bench) {
			statements := []persistence.Statement{cond(insert, missing, 5, "v"), plain(update, 10, 5, "v"), get, serial(get)}
			b.told("nodes 1 and 2 are down", b.nodes.Down(1, 2))
			for i, s := range statements {
				b.through(0, of(name(i), s), "unavailable, without effect")
			}
			b.told("no node is down", b.nodes.Down())
			for i := range statements {
				b.seenBy(0, of(name(i), serial(get)), absent)
			}
		},
	}, {
		Name: "lives-by-the-coordinator", Of: Cassandra, Source: onThree + ", with libfaketime",
		Says: "lives end by the clock of whoever coordinates: through a node that is ahead a living row is absent, INSERT ... IF NOT EXISTS " +
			"is applied to it, and then all read that; through one that is behind an ended row is alive",
		Otherwise: "they end at the true time",
		show: func(b *bench) {
			b.skew(1, ahead)
			b.through(0, ttl(30, plain(update, 10, 5, "v")), applied)
			b.seenBy(0, get, "v@5")
			b.seenBy(1, get, absent)
			b.through(1, cond(insert, missing, 1, "w"), applied)
			for _, n := range ofNodes {
				b.seenBy(n, get, "w@1")
			}
			b.skew(2, -ahead)
			b.through(0, of("l", ttl(1, plain(update, 10, 5, "v"))), applied)
			b.Sleep(2 * time.Second)
			b.seenBy(0, of("l", get), absent)
			b.seenBy(2, of("l", get), "v@5")
		},
	}, {
		Name: "ballots-follow-who-is-ahead", Of: Cassandra, Source: onThree + ", with libfaketime; CASSANDRA-5667",
		Says: "after a conditional write through a node whose clock is ahead those through others are lifted above it, also when the clock " +
			"is set back; plain writes in true time are acknowledged and lost meanwhile",
		Otherwise: "a ballot is not lifted above what others have seen",
		show: func(b *bench) {
			b.skew(1, ahead)
			b.through(1, cond(insert, missing, 5, "v"), applied)
			first := b.written("k")
			if lead := first - b.Clock(); lead < ahead.Microseconds()-time.Second.Microseconds() {
				b.wrongf("through a node %s ahead a conditional write is %d µs ahead", ahead, lead)
			}
			b.skew(1, 0)
			b.through(0, cond(update, atMost, 6, "w"), applied)
			if second := b.written("k"); second <= first {
				b.wrongf("after a write at %d a conditional one is at %d", first, second)
			}
			b.through(2, plain(update, b.Clock(), 7, "x"), applied)
			b.seenBy(2, get, "w@6")
		},
	}, {
		Name: "a-lifted-ballot-is-the-row's", Of: Cassandra, Source: "CASSANDRA-11991; " + read,
		Says:      "that a ballot was lifted for one row leaves those of other rows at the time of the node's clock",
		Otherwise: "the node goes on from its last ballot",
		show: func(b *bench) {
			b.skew(1, ahead)
			b.through(1, cond(insert, missing, 5, "v"), applied)
			b.through(0, cond(update, atMost, 6, "w"), applied)
			b.through(0, of("l", cond(insert, missing, 5, "v")), applied)
			if at := b.written("l"); at > b.Clock() {
				b.wrongf("a row of its own was written %d µs ahead", at-b.Clock())
			}
		},
	}}
}

// get reads the one row.
var get = persistence.Statement{Verb: persistence.Select, Key: "k"}

func serial(s persistence.Statement) persistence.Statement {
	s.Serial = true
	return s
}

// late is a time-out in words, of a coordinator that heard of itself alone: so many were waited for.
func late(code string, needed int) string {
	return fmt.Sprintf("no answer: %s, 1 of %d", code, needed)
}

// to are the requests of a phase to some nodes, from all messages from and to some; answers the answers in a phase.
func to(about cluster.Phase, nodes ...int) func(cluster.Message) bool {
	return func(m cluster.Message) bool { return m.About == about && !m.Answer && slices.Contains(nodes, m.To) }
}

func from(nodes ...int) func(cluster.Message) bool {
	return func(m cluster.Message) bool { return slices.Contains(nodes, m.From) || slices.Contains(nodes, m.To) }
}

func answers(about cluster.Phase) func(cluster.Message) bool {
	return func(m cluster.Message) bool { return m.About == about && m.Answer }
}

// onItsWay is longer than a message between nodes that nobody waits for any more is on its way.
const onItsWay = 200 * time.Millisecond

// losing does something while messages between nodes are lost, and goes on when what was still on its way has come.
func (b *bench) losing(lost func(cluster.Message) bool, do func()) {
	b.nodes.Lose(lost)
	do()
	b.Sleep(onItsWay)
	b.nodes.Lose(nil)
}

// told waits until nodes have been told of something.
func (b *bench) told(what string, call persistence.Call[string]) {
	if words, outcome, err := call.Await(); outcome != persistence.Answered {
		b.wrongf("that %s: %s %v", what, words, err)
	}
}

func (b *bench) skew(node int, by time.Duration) {
	b.told(fmt.Sprintf("node %d is %s ahead", node, by), b.nodes.Skew(node, by))
}

// through sends a statement of several keys to a node at a time, each of which is answered so.
func (b *bench) through(node int, s persistence.Statement, want string, further ...string) {
	var all []persistence.Statement
	var calls []persistence.Call[persistence.Answer]
	for _, key := range append([]string{s.Key}, further...) {
		all = append(all, of(key, s))
		calls = append(calls, b.nodes.Through(node, of(key, s)))
	}
	for i, call := range calls {
		_, got := inWords(all[i], call)
		b.want(fmt.Sprintf("%s of %s @%d through node %d", s.Form(), all[i].Key, s.Offset, node), got, want)
	}
}

// seenBy compares what a read through a node shows: of a scan, whether there is any row.
func (b *bench) seenBy(node int, s persistence.Statement, want string) {
	a, said := inWords(s, b.nodes.Through(node, s))
	got := said
	switch {
	case said != applied:
	case s.Verb == persistence.Scan:
		got = fmt.Sprintf("%d rows", len(a.Rows))
	default:
		got = rowText(a.Row)
	}
	how := "at QUORUM"
	if s.Serial {
		how = "at SERIAL"
	}
	b.want(fmt.Sprintf("a %s of %s %s through node %d", s.Form(), s.Key, how, node), got, want)
}

// written is when the row's offset was written.
func (b *bench) written(key string) int64 {
	r := b.find(key)
	if r == nil {
		b.wrongf("there is no row of %s", key)
		return 0
	}
	return r.WritetimeOffset.N
}
