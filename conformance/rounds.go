package conformance

import (
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/workload/persistence"
)

// phases is what becomes of a conditional write that ends in one of the phases of its round (paxos_variant: v1).
func phases() []Fact {
	write := cond(insert, missing, 5, "v")
	// inDoubt has all nodes accept the write, also of further keys, and nobody hear of it.
	inDoubt := func(b *bench, further ...string) {
		b.losing(answers(cluster.Propose), func() { b.through(0, write, late("write-timeout-CAS", 3), further...) })
	}
	scan := persistence.Statement{Verb: persistence.Scan, Page: 7}
	return []Fact{{
		Name: "prepare-time-out", Of: Cassandra, Source: onThree + ": 0 of 79 applied",
		Says:      "a conditional write that gets one promise is a write time-out of the kind CAS, 1 of 2; it is never applied",
		Otherwise: "one node is enough",
		show: func(b *bench) {
			b.losing(to(cluster.Prepare, 1, 2), func() { b.through(0, write, late("write-timeout-CAS", 2)) })
			b.never()
		},
	}, {
		Name: "read-time-out-in-a-round", Of: Cassandra, Source: onThree + ": 0 of 130 applied",
		Says:      "one whose own read gets one answer is a read time-out, 1 of 2; it is never applied",
		Otherwise: "one node is enough",
		show: func(b *bench) {
			b.losing(to(cluster.Read, 1, 2), func() { b.through(0, write, late("read-timeout", 2)) })
			b.never()
		},
	}, {
		Name: "propose-time-out", Of: Cassandra, Source: onThree + ": 54 of 55 applied by a later read at SERIAL",
		Says:      "one whose proposal was accepted and not heard of is a write time-out of the kind CAS, 1 of 3; a read at SERIAL finishes it, and all read it then",
		Otherwise: "what was accepted is not finished",
		show: func(b *bench) {
			inDoubt(b)
			b.seenBy(1, serial(get), "v@5")
			for _, n := range ofNodes {
				b.seenBy(n, get, "v@5")
			}
		},
	}, {
		Name: "quorum-is-blind", Of: Cassandra, Source: onThree,
		Says:      "a plain read at QUORUM neither sees nor finishes what was accepted and not committed, however often",
		Otherwise: "what is accepted is there at once",
		show: func(b *bench) {
			inDoubt(b)
			for range 3 {
				for _, n := range ofNodes {
					b.seenBy(n, get, absent)
				}
			}
		},
	}, {
		Name: "scan-finishes-no-round", Of: Cassandra, Source: onThree + ": 16 of 16 missed",
		Says:      "nor does a scan, also at SERIAL, which is served; a read at SERIAL of the row then shows it",
		Otherwise: "what is accepted is there at once",
		show: func(b *bench) {
			inDoubt(b)
			for _, n := range ofNodes {
				b.seenBy(n, serial(scan), "0 rows")
			}
			b.seenBy(0, serial(get), "v@5")
			b.seenBy(0, scan, "1 rows")
		},
	}, {
		Name: "next-write-finishes", Of: Cassandra, Source: read + " (beginAndRepairPaxos)",
		Says:      "the next conditional write of the row finishes it first: its condition is about what was in doubt",
		Otherwise: "what was accepted is not finished",
		show: func(b *bench) {
			inDoubt(b, "l")
			b.through(1, cond(update, atMost, 4, "w"), stored(5))
			b.seenBy(2, get, "v@5")
			b.through(1, of("l", cond(update, atMost, 6, "w")), applied)
			b.seenBy(2, of("l", get), "w@6")
		},
	}, {
		Name: "accepted-by-one", Of: Cassandra, Source: "CASSANDRA-12126; " + read,
		Says: "one that a single node has accepted is finished by the next round if that hears of it, be it after long; if not it is shut " +
			"out for good, also by a read at SERIAL or a condition that does not hold",
		Otherwise: "a round that writes nothing proposes nothing",
		show: func(b *bench) {
			shutOut := []persistence.Statement{of("l", serial(get)), of("m", cond(update, atMost, 9, "w"))}
			b.losing(to(cluster.Propose, 1, 2), func() { b.through(0, write, late("write-timeout-CAS", 3), "l", "m") })
			b.Sleep(long)
			b.losing(from(2), func() { b.seenBy(1, serial(get), "v@5") })
			b.losing(from(0), func() {
				for _, s := range shutOut {
					inWords(s, b.nodes.Through(1, s))
				}
			})
			for _, n := range ofNodes {
				b.losing(from((n+1)%3), func() {
					for _, s := range shutOut {
						b.seenBy(n, of(s.Key, serial(get)), absent)
					}
				})
			}
		},
	}, {
		Name: "commit-time-out", Of: Cassandra, Source: onThree + ": 79 of 79 applied",
		Says:      "one whose commit one node has is a write time-out of the kind SIMPLE, 1 of 2, of a plain level: it is applied, and the next round shows it",
		Otherwise: "the time-out is one of the kind CAS, as with paxos_variant: v2",
		show: func(b *bench) {
			b.losing(to(cluster.Commit, 1, 2), func() { b.through(0, write, late("write-timeout-SIMPLE", 2)) })
			b.losing(from(0), func() { b.seenBy(1, serial(get), "v@5") })
		},
	}, {
		Name: "contention", Of: Cassandra, Source: onThree + ": 10 to 14 % of attempts by 8 clients",
		Says: "of conditional writes that race through several nodes some end in CAS_WRITE_UNKNOWN: accepted by some, refused by who had " +
			"promised another. Some of these are applied and some are not, and never two of one row",
		Otherwise: "a proposal that some have accepted counts as refused, and is tried again",
		show:      contention,
	}}
}

// long is as long as a script waits for what stays as it is.
const long = time.Second

// never looks at every node, and then whether another write comes first.
func (b *bench) never() {
	for _, n := range ofNodes {
		b.seenBy(n, serial(get), absent)
	}
	b.through(1, cond(insert, missing, 6, "w"), applied)
	b.seenBy(2, get, "w@6")
}

// contention has nine clients insert each row of many at a time, three through each node, until it has seen both.
func contention(b *bench) {
	const rows, clients = 200, 9
	unknown := late("cas-write-unknown", 2)
	landed, not := 0, 0
	for i := 0; i < rows && (landed == 0 || not == 0); i++ {
		row := of(name(i), serial(get))
		var writes []persistence.Statement
		var calls []persistence.Call[persistence.Answer]
		for n := range clients {
			s := of(name(i), cond(insert, missing, int64(n), name(n)))
			writes, calls = append(writes, s), append(calls, b.nodes.Through(n%len(ofNodes), s))
		}
		said := make([]string, len(calls))
		for n, call := range calls {
			_, said[n] = inWords(writes[n], call)
		}
		a, _ := inWords(row, b.nodes.Through(0, row))
		for n, s := range said {
			is := a.Row != nil && a.Row.Offset.N == int64(n)
			switch {
			case s == applied && !is:
				b.wrongf("%s: the write of client %d was applied, and the row is %s", row.Key, n, rowText(a.Row))
			case s == unknown && is:
				landed++
			case s == unknown:
				not++
			}
		}
	}
	if landed == 0 || not == 0 {
		b.wrongf("of %d writes %d in doubt were applied and %d were not; expected: some of each", rows*clients, landed, not)
	}
}
