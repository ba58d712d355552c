package conformance

import (
	"time"

	"github.com/single-writer/chaos/workload/persistence"
)

// timestamps is which of two writes stays. None of this gives anybody an error.
func timestamps() []Fact {
	const second = int64(1e6)
	return []Fact{{
		Name: "ballot-in-milliseconds", Of: Cassandra, Source: measured,
		Says:      "what a conditional write leaves is stamped with the coordinator's clock in whole milliseconds",
		Otherwise: "in microseconds",
		show: func(b *bench) {
			for i := range int64(5) {
				b.Sleep(3 * time.Millisecond)
				before := b.Clock()
				b.done(of(name(int(i)), cond(insert, missing, i, "v")))
				after := b.Clock()
				r := b.find(name(int(i)))
				if r == nil || r.WritetimeOffset != r.WritetimeValue || r.WritetimeOffset.N%1000 != 0 {
					b.wrongf("a conditional write leaves %+v; expected: one time for all cells, in whole milliseconds", r)
				} else if at := r.WritetimeOffset.N; at < before/1000*1000 || at > after {
					b.wrongf("between %d and %d a conditional write is stamped %d", before, after, at)
				}
			}
		},
	}, {
		Name: "ballots-rise", Of: Cassandra, Source: measured,
		Says:      "of two conditional writes of a row, one after the other, the later has the greater timestamp, also within a millisecond",
		Otherwise: "it is the clock's alone",
		show: func(b *bench) {
			b.done(cond(insert, missing, 0, "v"))
			// Of two with equal timestamps the greater offset would stay.
			for range 50 {
				b.done(cond(update, exists, 9, "w"), cond(update, exists, 5, "v"))
				b.row("v@5")
			}
		},
	}, {
		Name: "plain-write-behind-is-lost", Of: Cassandra, Source: measured,
		Says:      "a plain UPDATE or DELETE with a clock a second behind a conditional write is acknowledged, and lost",
		Otherwise: "the later write stays",
		show: func(b *bench) {
			b.done(cond(insert, missing, 5, "v"))
			b.done(plain(update, b.Clock()-second, 9, "w"), plain(remove, b.Clock()-second, 0, ""))
			b.row("v@5")
		},
	}, {
		Name: "plain-update-ahead-stays", Of: Cassandra, Source: measured,
		Says: "over a plain UPDATE with a clock ahead, a conditional one is applied and changes nothing that is read; a stale one is " +
			"applied then too",
		Otherwise: "the later write stays",
		show: func(b *bench) {
			b.done(plain(update, b.Clock()+20*second, 5, "v"))
			b.do(cond(update, atMost, 10, "w"), applied)
			b.row("v@5")
			b.do(cond(update, atMost, 6, "x"), applied)
			b.row("v@5")
		},
	}, {
		Name: "plain-delete-ahead-hides", Of: Cassandra, Source: measured,
		Says:      "after a DELETE with a clock ahead, INSERT ... IF NOT EXISTS is applied, again and again, and no row is seen",
		Otherwise: "a removal is of what is there at that time",
		show: func(b *bench) {
			b.done(plain(remove, b.Clock()+20*second, 0, ""))
			for offset := range int64(2) {
				b.do(cond(insert, missing, offset, "v"), applied)
				b.row(absent)
			}
		},
	}, {
		Name: "greater-timestamp-wins", Of: Cassandra, Source: reconciles,
		Says:      "of plain writes the one with the greater timestamp stays, in whichever order they come; a DELETE too",
		Otherwise: "the later write stays",
		show: func(b *bench) {
			b.done(plain(update, 20, 9, "new"), plain(update, 10, 5, "old"), plain(remove, 19, 0, ""))
			b.row("new@9")
			b.done(plain(remove, 21, 0, ""), plain(update, 20, 7, "late"))
			b.row(absent)
			b.done(plain(update, 22, 8, "next"))
			b.row("next@8")
		},
	}, {
		Name: "tie-removal-wins", Of: Cassandra, Source: reconciles,
		Says:      "a DELETE hides what is as old as itself, in whichever order they come",
		Otherwise: "the write stays",
		show: func(b *bench) {
			b.done(plain(update, 20, 5, "v"), plain(remove, 20, 0, ""))
			b.row(absent)
			b.done(plain(update, 20, 6, "w"))
			b.row(absent)
		},
	}, {
		Name: "tie-null-wins", Of: Cassandra, Source: reconciles,
		Says:      "of two cells with equal timestamps a null stays, in whichever order they come",
		Otherwise: "the value stays",
		show: func(b *bench) {
			b.done(plain(update, 20, 5, "v"), plain(update, 20, 5, ""))
			b.row("null@5")
			b.done(plain(update, 20, 5, "w"), ttl(100, plain(update, 20, 5, "x")))
			b.row("null@5")
		},
	}, {
		Name: "tie-greater-value-wins", Of: Cassandra, Source: reconciles,
		Says:      "of two cells with equal timestamps the greater value stays, each cell by itself: a row of two writes",
		Otherwise: "the first stays",
		show: func(b *bench) {
			b.done(plain(update, 20, 5, "b"), plain(update, 20, 9, "a"))
			b.row("b@9")
		},
	}, {
		Name: "tie-ending-wins", Of: Cassandra, Source: "CASSANDRA-14592; " + measured,
		Says:      "of two cells with equal timestamps one with a TTL stays, and of two such the one that ends later, though its value be less, in whichever order they come",
		Otherwise: "the greater value stays",
		show: func(b *bench) {
			b.done(plain(update, 20, 9, "w"), ttl(100, plain(update, 20, 5, "v")))
			b.row("v@5")
			b.done(plain(update, 20, 9, "w"))
			b.row("v@5")
			b.done(ttl(50, plain(update, 20, 9, "w")))
			b.row("v@5")
			b.done(ttl(200, plain(update, 20, 3, "u")))
			b.row("u@3")
		},
	}, {
		Name: "clearing-a-journal", Of: Cassandra, Source: measured,
		Says: "removing a key's rows at a time hides those as old and older, also when they come later and where there was none; " +
			"newer ones stay",
		Otherwise: "a removal is of what is older than itself alone",
		show: func(b *bench) {
			add := func(at, offset int64, value string) persistence.Statement {
				return in(persistence.Journal, plain(insert, at, offset, value))
			}
			b.done(add(10, 0, "a"), add(20, 1, "newer"), in(persistence.Journal, plain(remove, 15, 0, "")), add(14, 2, "late"),
				add(15, 3, "tied"), add(16, 4, "after"), of("l", add(10, 0, "other's")), in(persistence.Journal, plain(remove, 12, 0, "")))
			for _, c := range [][2]string{{"k", "newer@1 after@4 "}, {"l", "other's@0 "}} {
				a, said := b.ask(persistence.Statement{Table: persistence.Journal, Verb: persistence.Select, Key: c[0]})
				b.want("the read", said, applied)
				got := ""
				for _, r := range a.Rows {
					got += string(r.Value) + "@" + r.Offset.String() + " "
				}
				b.want("the journal of "+c[0], got, c[1])
			}
		},
	}}
}
