package sim

import (
	"errors"

	"github.com/single-writer/chaos/cluster/sim/cassandra"
	"github.com/single-writer/chaos/workload/persistence"
)

// real is how Cassandra is.
var real = cassandra.Cassandra()

// otherStores is, for each fact about Cassandra that one node shows, a world in which it is false, in the way in which the fact
// says that it could be.
var otherStores = map[string]func(w *World){
	"update-if-offset-without-a-row": cassandraWith(func(r *cassandra.Rules) {
		r.Refusal = func(f cassandra.Found) persistence.Answer {
			f.Row = true
			return real.Refusal(f)
		}
	}),
	"update-if-offset-at-most": cassandraWith(func(r *cassandra.Rules) {
		r.Holds = func(s persistence.Statement, f cassandra.Found) bool {
			return real.Holds(s, f) && (s.If != persistence.IfOffsetAtMost || f.Stored != s.Offset)
		}
	}),
	"update-if-offset-below": cassandraWith(func(r *cassandra.Rules) {
		r.Refusal = func(cassandra.Found) persistence.Answer { return persistence.Answer{Refusal: persistence.RowAbsent} }
	}),
	"update-if-offset-of-null": cassandraWith(func(r *cassandra.Rules) {
		r.Refusal = func(f cassandra.Found) persistence.Answer {
			f.Row = f.Offset
			return real.Refusal(f)
		}
	}),
	"if-offset-null-without-a-row": cassandraWith(func(r *cassandra.Rules) {
		r.Holds = func(s persistence.Statement, f cassandra.Found) bool {
			return real.Holds(s, f) && (s.If != persistence.IfOffsetNull || f.Row)
		}
	}),
	"if-offset-null-of-a-value": cassandraWith(func(r *cassandra.Rules) {
		r.Holds = func(s persistence.Statement, f cassandra.Found) bool {
			return real.Holds(s, f) || s.If == persistence.IfOffsetNull && f.Row
		}
	}),
	"insert-if-not-exists": cassandraWith(func(r *cassandra.Rules) {
		r.Holds = func(s persistence.Statement, f cassandra.Found) bool {
			return real.Holds(s, f) || s.If == persistence.IfNotExists && !f.Value
		}
	}),
	"insert-over-a-removed-row": cassandraWith(clockAlone),
	"delete-if-without-a-row": cassandraWith(func(r *cassandra.Rules) {
		r.Holds = func(s persistence.Statement, f cassandra.Found) bool {
			return real.Holds(s, f) || s.Verb == persistence.Remove && !f.Row
		}
	}),
	"delete-if-offset": cassandraWith(func(r *cassandra.Rules) {
		r.Holds = func(s persistence.Statement, f cassandra.Found) bool {
			return real.Holds(s, f) || s.Verb == persistence.Remove && f.Row
		}
	}),
	"null-bound": cassandraWith(func(r *cassandra.Rules) { r.Invalid = func(persistence.Statement) error { return nil } }),

	"update-writes-no-marker": marks(func(_ persistence.Verb, w cassandra.Written) (cassandra.Written, bool) { return w, true }),
	"insert-writes-a-marker":  marks(func(_ persistence.Verb, w cassandra.Written) (cassandra.Written, bool) { return w, false }),
	"marker-has-a-life": marks(func(v persistence.Verb, w cassandra.Written) (cassandra.Written, bool) {
		w.Ends = 0
		return real.Marks(v, w)
	}),

	"row-lives-by-any-cell":           cassandraWith(func(r *cassandra.Rules) { r.There = func(marker, offset, _ bool) bool { return marker || offset } }),
	"expired-is-absent-to-conditions": cassandraWith(func(r *cassandra.Rules) { r.Ends = never }),
	"recovery-by-pages":               cassandraWith(func(r *cassandra.Rules) { r.Ends = never }),
	"ttl-on-conditional": cassandraWith(func(r *cassandra.Rules) {
		r.Ends = func(s persistence.Statement, second int64) int64 {
			if s.If != persistence.Always {
				return 0
			}
			return real.Ends(s, second)
		}
	}),
	"expired-still-hides": cassandraWith(func(r *cassandra.Rules) {
		r.Wins = func(write, old cassandra.Written, greater bool) bool {
			return real.Wins(write, old, greater) || old.Ends > 0
		}
	}),
	"ttl-in-whole-seconds": cassandraWith(func(r *cassandra.Rules) {
		r.Ends = func(s persistence.Statement, second int64) int64 { return real.Ends(s, second+1) }
	}),

	"scan-at-serial": cassandraWith(func(r *cassandra.Rules) {
		r.Invalid = func(s persistence.Statement) error {
			if s.Serial && s.Verb == persistence.Scan {
				return &persistence.Error{Code: "invalid", NoEffect: true, Err: errors.New("one partition at a time")}
			}
			return nil
		}
	}),

	"ballot-in-milliseconds": cassandraWith(func(r *cassandra.Rules) {
		r.Ballot = func(last, least cassandra.Stamp, clock int64) (at, then cassandra.Stamp) {
			at = max(last+1, least, cassandra.Stamp(clock))
			return at, at
		}
	}),
	"ballots-rise":               cassandraWith(clockAlone),
	"plain-write-behind-is-lost": cassandraWith(lastStays),
	"plain-update-ahead-stays":   cassandraWith(lastStays),
	"plain-delete-ahead-hides": cassandraWith(func(r *cassandra.Rules) {
		r.Outlives = func(at, removed cassandra.Stamp) bool { return at > min(removed, cassandra.Stamp(epoch)) }
	}),
	"greater-timestamp-wins": cassandraWith(lastStays),
	"tie-removal-wins":       cassandraWith(atOnce),
	"clearing-a-journal":     cassandraWith(atOnce),
	"tie-null-wins": cassandraWith(func(r *cassandra.Rules) {
		r.Wins = func(write, old cassandra.Written, greater bool) bool {
			if write.At == old.At && write.Null != old.Null {
				return old.Null
			}
			return real.Wins(write, old, greater)
		}
	}),
	"tie-greater-value-wins": cassandraWith(func(r *cassandra.Rules) {
		r.Wins = func(write, old cassandra.Written, _ bool) bool { return real.Wins(write, old, false) }
	}),
	"tie-ending-wins": cassandraWith(func(r *cassandra.Rules) {
		r.Wins = func(write, old cassandra.Written, greater bool) bool {
			write.Ends, old.Ends = 0, 0
			return real.Wins(write, old, greater)
		}
	}),
}

func cassandraWith(change func(*cassandra.Rules)) func(*World) {
	return func(w *World) { change(w.store.Rules) }
}

func marks(how func(persistence.Verb, cassandra.Written) (cassandra.Written, bool)) func(*World) {
	return cassandraWith(func(r *cassandra.Rules) { r.Marks = how })
}

func never(persistence.Statement, int64) int64 { return 0 }

func clockAlone(r *cassandra.Rules) {
	r.Ballot = func(_, _ cassandra.Stamp, clock int64) (at, then cassandra.Stamp) {
		at = cassandra.Stamp(clock / 1000 * 1000)
		return at, at
	}
	r.After = func(_, _ cassandra.Stamp) bool { return true }
}

func lastStays(r *cassandra.Rules) {
	r.Wins = func(_, _ cassandra.Written, _ bool) bool { return true }
}

func atOnce(r *cassandra.Rules) {
	r.Outlives = func(at, removed cassandra.Stamp) bool { return at >= removed }
}
