package conformance

import (
	"time"

	"github.com/single-writer/chaos/workload/persistence"
)

// lives is what keeps a row alive, and how long.
func lives() []Fact {
	return []Fact{{
		Name: "update-writes-no-marker", Of: Cassandra, Source: measured,
		Says:      "a row that only UPDATEs have written is gone with its last cell",
		Otherwise: "UPDATE writes a marker",
		show: func(b *bench) {
			// The second is for ever, and leaves nothing but nulls: and a marker, if it wrote one.
			b.done(ttl(1, plain(update, 10, 5, "v")), plain(expire, 11, 0, ""))
			b.becomes(absent)
			b.do(cond(update, exists, 7, "x"), noRow)
		},
	}, {
		Name: "insert-writes-a-marker", Of: Cassandra, Source: measured,
		Says:      "a row that an INSERT has written is there when all its cells have ended, and its offset is null to conditions",
		Otherwise: "INSERT writes none",
		show: func(b *bench) {
			b.done(cond(insert, missing, 5, "v"), ttl(1, cond(update, exists, 6, "w")))
			b.becomes("null@none")
			b.do(cond(update, atMost, 9, "x"), nullOffset)
			b.do(cond(insert, missing, 9, "x"), nullOffset)
		},
	}, {
		Name: "marker-has-a-life", Of: Cassandra, Source: measured,
		Says:      "INSERT ... USING TTL writes a marker that ends with the cells",
		Otherwise: "only cells end",
		show: func(b *bench) {
			b.done(ttl(1, cond(insert, missing, 5, "v")))
			b.becomes(absent)
		},
	}, {
		Name: "row-lives-by-any-cell", Of: Cassandra, Source: measured,
		Says:      "a row is there while one cell is, though its offset and its value be null",
		Otherwise: "a row is its offset and its marker",
		show: func(b *bench) {
			b.done(plain(update, 10, 5, "v"), plain(expire, 10, 0, ""))
			b.row("null@none")
			b.do(cond(update, atMost, 9, "w"), nullOffset)
			b.do(cond(insert, missing, 9, "w"), nullOffset)
		},
	}, {
		Name: "ttl-on-conditional", Of: Cassandra, Source: measured,
		Says:      "every conditional statement that writes takes USING TTL, and what it writes has that life",
		Otherwise: "conditional writes live for ever",
		show: func(b *bench) {
			for i, s := range []persistence.Statement{cond(insert, missing, 5, "v"), cond(update, isNull, 5, "v"),
				cond(update, atMost, 5, "v"), cond(update, exists, 5, "v")} {
				key := name(i)
				if s.If == atMost || s.If == exists {
					b.done(of(key, plain(update, 10, 1, "u")))
				}
				b.done(of(key, ttl(100, s)))
				if r := b.find(key); r == nil || r.TTL.N < 90 || r.TTL.N > 100 {
					b.wrongf("%s with TTL 100 leaves %+v", s.Form(), r)
				}
			}
		},
	}, {
		Name: "expired-is-absent-to-conditions", Of: Cassandra, Source: measured,
		Says:      "to conditions, what has ended is not there: IF offset <= ? finds no row, INSERT ... IF NOT EXISTS is applied",
		Otherwise: "nothing ends",
		show: func(b *bench) {
			b.done(ttl(1, plain(update, 10, 5, "v")))
			b.becomes(absent)
			b.do(cond(update, atMost, 9, "w"), noRow)
			b.do(cond(insert, missing, 1, "w"), applied)
			b.row("w@1")
		},
	}, {
		Name: "expired-still-hides", Of: Cassandra, Source: reconciles,
		Says:      "a cell that has ended goes on hiding what is older: an older write, also one that comes later, does not come back",
		Otherwise: "what has ended gives way to any write",
		show: func(b *bench) {
			b.done(plain(update, 10, 5, "v"), ttl(1, plain(update, 20, 6, "w")))
			b.becomes(absent)
			b.done(plain(update, 15, 7, "x"))
			b.row(absent)
			b.done(plain(update, 21, 8, "y"))
			b.row("y@8")
		},
	}, {
		Name: "ttl-in-whole-seconds", Of: Cassandra, Source: "Cell.localDeletionTime is in seconds; measured on 5.0.5",
		Says:      "lives are counted in whole seconds of the coordinator's clock: a TTL of 2 ends when its second plus 2 begins",
		Otherwise: "seconds are counted from the moment of the write",
		show:      wholeSeconds,
	}}
}

// wholeSeconds writes in the middle of a second and looks when the write ends.
func wholeSeconds(b *bench) {
	const second = int64(1e6)
	into := b.Clock() % second
	b.Sleep(time.Duration((3*second/2-into)%second) * time.Microsecond)
	before := b.Clock()
	b.done(ttl(2, plain(update, 10, 5, "v")))
	after := b.Clock()
	var seen, gone int64
	b.until("the row has ended", func() bool {
		begun := b.Clock()
		if b.sees("k") != absent {
			seen = begun
			return false
		}
		gone = b.Clock()
		return true
	})
	if ends := (before/second + 2) * second; gone < ends {
		b.wrongf("written at %d with a TTL of 2, it was gone at %d; expected: not before %d", before, gone, ends)
	}
	if ends := (after/second + 2) * second; seen >= ends {
		b.wrongf("written at %d with a TTL of 2, it was seen by a read that began at %d; expected: not from %d on", after, seen, ends)
	}
}
