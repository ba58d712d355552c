package conformance

import "github.com/single-writer/chaos/workload/persistence"

const (
	measured   = "measured on 5.0.5"
	reconciles = "Cells.reconcile; measured on 5.0.5"
)

// conditional is what conditional statements answer and leave. The answer names only the columns of the condition.
func conditional() []Fact {
	row := func(b *bench) { b.done(cond(insert, missing, 5, "v")) }
	return []Fact{{
		Name: "update-if-offset-without-a-row", Of: Cassandra, Source: measured,
		Says:      "UPDATE ... IF offset <= ? where there is no row is not applied, names no column, and makes no row",
		Otherwise: "the answer names a null offset",
		show: func(b *bench) {
			b.do(cond(update, atMost, 9, "w"), noRow)
			b.do(cond(update, exists, 9, "w"), noRow)
			b.row(absent)
		},
	}, {
		Name: "update-if-offset-at-most", Of: Cassandra, Source: measured,
		Says:      "UPDATE ... IF offset <= ? is applied over a lower offset and over an equal one",
		Otherwise: "not over an equal one",
		show: func(b *bench) {
			row(b)
			b.do(cond(update, atMost, 5, "w"), applied)
			b.row("w@5")
			b.do(cond(update, atMost, 9, "x"), applied)
			b.row("x@9")
		},
	}, {
		Name: "update-if-offset-below", Of: Cassandra, Source: measured,
		Says:      "UPDATE ... IF offset <= ? below the stored offset is not applied and names the stored one, also of a tombstone",
		Otherwise: "the answer names nothing",
		show: func(b *bench) {
			row(b)
			b.do(cond(update, atMost, 4, "w"), stored(5))
			b.row("v@5")
			b.done(cond(update, exists, 5, ""))
			b.do(cond(update, atMost, 4, "w"), stored(5))
			b.row("null@5")
			b.do(cond(update, atMost, 5, "w"), applied)
		},
	}, {
		Name: "update-if-offset-of-null", Of: Cassandra, Source: measured,
		Says: "UPDATE ... IF offset <= ? on a row whose offset is null is not applied and names it as null: not the answer of no row. " +
			"IF offset = null and IF EXISTS are applied to it",
		Otherwise: "the answer is that of no row",
		show: func(b *bench) {
			b.done(cond(insert, missing, 5, "v"), without(cond(update, exists, 0, "v")))
			b.row("v@none")
			b.do(cond(update, atMost, 9, "w"), nullOffset)
			b.do(cond(remove, atMost, 9, ""), nullOffset)
			b.do(cond(insert, missing, 9, "w"), nullOffset)
			b.row("v@none")
			b.do(cond(update, isNull, 3, "w"), applied)
			b.row("w@3")
			b.done(without(cond(update, exists, 0, "v")))
			b.do(cond(update, exists, 4, "w"), applied)
			b.row("w@4")
		},
	}, {
		Name: "if-offset-null-without-a-row", Of: Cassandra, Source: measured,
		Says:      "UPDATE ... IF offset = null where there is no row is applied, and makes one",
		Otherwise: "it asks for a row",
		show: func(b *bench) {
			b.do(cond(update, isNull, 9, "w"), applied)
			b.row("w@9")
		},
	}, {
		Name: "if-offset-null-of-a-value", Of: Cassandra, Source: measured,
		Says:      "UPDATE ... IF offset = null where an offset is stored is not applied, and names it",
		Otherwise: "it is applied to any row",
		show: func(b *bench) {
			row(b)
			b.do(cond(update, isNull, 9, "w"), stored(5))
			b.row("v@5")
		},
	}, {
		Name: "insert-if-not-exists", Of: Cassandra, Source: measured,
		Says:      "INSERT ... IF NOT EXISTS is applied where there is no row, and not over one, be it a tombstone with an offset",
		Otherwise: "a row without a value counts as none",
		show: func(b *bench) {
			b.do(cond(insert, missing, 5, "v"), applied)
			b.do(cond(insert, missing, 9, "w"), stored(5))
			b.row("v@5")
			b.done(cond(update, exists, 5, ""))
			b.do(cond(insert, missing, 9, "w"), stored(5))
			b.row("null@5")
		},
	}, {
		Name: "insert-over-a-removed-row", Of: Cassandra, Source: measured,
		Says:      "INSERT ... IF NOT EXISTS after a conditional DELETE is applied, and seen",
		Otherwise: "a ballot is not lifted above the one before, and the insert stays behind the removal",
		show: func(b *bench) {
			for range 30 {
				b.done(cond(insert, missing, 5, "v"), cond(remove, exists, 0, ""), cond(insert, missing, 6, "w"))
				b.row("w@6")
				b.done(cond(remove, exists, 0, ""))
			}
		},
	}, {
		Name: "delete-if-without-a-row", Of: Cassandra, Source: measured,
		Says:      "DELETE ... IF offset <= ? and IF EXISTS where there is no row are not applied, and name no column",
		Otherwise: "a removal of nothing is applied",
		show: func(b *bench) {
			b.do(cond(remove, atMost, 9, ""), noRow)
			b.do(cond(remove, exists, 0, ""), noRow)
		},
	}, {
		Name: "delete-if-offset", Of: Cassandra, Source: measured,
		Says:      "DELETE ... IF offset <= ? below the stored offset is not applied and names it; otherwise it removes the row",
		Otherwise: "a removal is applied to any row",
		show: func(b *bench) {
			row(b)
			b.do(cond(remove, atMost, 4, ""), stored(5))
			b.row("v@5")
			b.do(cond(remove, atMost, 5, ""), applied)
			b.row(absent)
		},
	}, {
		Name: "null-bound", Of: Cassandra, Source: measured,
		Says:      `IF offset <= null is an error of the statement ("Invalid comparison with null"), without effect`,
		Otherwise: "it is a comparison that does not hold",
		show: func(b *bench) {
			row(b)
			b.do(without(cond(update, atMost, 0, "w")), invalid)
			b.row("v@5")
		},
	}}
}

// reads is what recoveries find.
func reads() []Fact {
	scan := persistence.Statement{Verb: persistence.Scan, Page: 7}
	return []Fact{{
		Name: "recovery-by-pages", Of: Cassandra, Source: measured,
		Says:      "a scan of 100 rows of which 40 have expired gives the other 60, whole, in pages of 7 rows too",
		Otherwise: "rows do not expire",
		show: func(b *bench) {
			var calls []persistence.Call[persistence.Answer]
			for i := range 100 {
				s := of(name(i), plain(update, b.Clock(), int64(i), "v"))
				if i%5 < 2 {
					s.TTL = 1
				}
				calls = append(calls, b.servers.Start(s))
			}
			for i, c := range calls {
				if _, _, err := c.Await(); err != nil {
					b.wrongf("write %d: %v", i, err)
				}
			}
			found := map[string]int{}
			b.until("a scan gives 60 rows", func() bool {
				clear(found)
				a, said := b.ask(scan)
				b.want("the scan", said, applied)
				for _, r := range a.Rows {
					found[r.Key]++
				}
				return len(found) <= 60
			})
			for i := range 100 {
				want := 1
				if i%5 < 2 {
					want = 0
				}
				if got := found[name(i)]; got != want {
					b.wrongf("the row of %s was found %d times; expected: %d", name(i), got, want)
				}
			}
		},
	}, {
		Name: "scan-at-serial", Of: Cassandra, Source: measured,
		Says:      "a scan at SERIAL over several partitions is served, as far as it is paged",
		Otherwise: "it is refused",
		show: func(b *bench) {
			for i := range 3 {
				b.done(of(name(i), cond(insert, missing, 5, "v")))
			}
			serial := scan
			serial.Serial = true
			a, said := b.ask(serial)
			b.want("the scan", said, applied)
			if len(a.Rows) != 3 {
				b.wrongf("it gave %d rows; expected: 3", len(a.Rows))
			}
		},
	}}
}

func name(i int) string { return "k" + string(rune('0'+i/10)) + string(rune('0'+i%10)) }
