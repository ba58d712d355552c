package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/conformance"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// otherwise is, for each fact, a world in which it is false, in the way in which the fact says that it could be.
var otherwise = map[string]func(w *World){
	"update-if-offset-without-a-row": cassandraWith(func(r *rules) {
		r.refusal = func(f found) persistence.Answer {
			f.row = true
			return cassandra().refusal(f)
		}
	}),
	"update-if-offset-at-most": cassandraWith(func(r *rules) {
		r.holds = func(s persistence.Statement, f found) bool {
			return holds(s, f) && (s.If != persistence.IfOffsetAtMost || f.stored != s.Offset)
		}
	}),
	"update-if-offset-below": cassandraWith(func(r *rules) {
		r.refusal = func(found) persistence.Answer { return persistence.Answer{Refusal: persistence.RowAbsent} }
	}),
	"update-if-offset-of-null": cassandraWith(func(r *rules) {
		r.refusal = func(f found) persistence.Answer {
			f.row = f.offset
			return cassandra().refusal(f)
		}
	}),
	"if-offset-null-without-a-row": cassandraWith(func(r *rules) {
		r.holds = func(s persistence.Statement, f found) bool {
			return holds(s, f) && (s.If != persistence.IfOffsetNull || f.row)
		}
	}),
	"if-offset-null-of-a-value": cassandraWith(func(r *rules) {
		r.holds = func(s persistence.Statement, f found) bool {
			return holds(s, f) || s.If == persistence.IfOffsetNull && f.row
		}
	}),
	"insert-if-not-exists": cassandraWith(func(r *rules) {
		r.holds = func(s persistence.Statement, f found) bool {
			return holds(s, f) || s.If == persistence.IfNotExists && !f.value
		}
	}),
	"insert-over-a-removed-row": cassandraWith(clockAlone),
	"delete-if-without-a-row": cassandraWith(func(r *rules) {
		r.holds = func(s persistence.Statement, f found) bool {
			return holds(s, f) || s.Verb == persistence.Remove && !f.row
		}
	}),
	"delete-if-offset": cassandraWith(func(r *rules) {
		r.holds = func(s persistence.Statement, f found) bool {
			return holds(s, f) || s.Verb == persistence.Remove && f.row
		}
	}),
	"null-bound": cassandraWith(func(r *rules) { r.invalid = func(persistence.Statement) error { return nil } }),

	"update-writes-no-marker": marks(func(_ persistence.Verb, w written) (written, bool) { return w, true }),
	"insert-writes-a-marker":  marks(func(_ persistence.Verb, w written) (written, bool) { return w, false }),
	"marker-has-a-life": marks(func(v persistence.Verb, w written) (written, bool) {
		w.ends = 0
		return cassandra().marks(v, w)
	}),

	"row-lives-by-any-cell":           cassandraWith(func(r *rules) { r.there = func(marker, offset, _ bool) bool { return marker || offset } }),
	"expired-is-absent-to-conditions": cassandraWith(func(r *rules) { r.ends = never }),
	"recovery-by-pages":               cassandraWith(func(r *rules) { r.ends = never }),
	"ttl-on-conditional": cassandraWith(func(r *rules) {
		r.ends = func(s persistence.Statement, second int64) int64 {
			if s.If != persistence.Always {
				return 0
			}
			return cassandra().ends(s, second)
		}
	}),
	"expired-still-hides": cassandraWith(func(r *rules) {
		r.wins = func(write, old written, greater bool) bool { return wins(write, old, greater) || old.ends > 0 }
	}),
	"ttl-in-whole-seconds": cassandraWith(func(r *rules) {
		r.ends = func(s persistence.Statement, second int64) int64 { return cassandra().ends(s, second+1) }
	}),

	"scan-at-serial": cassandraWith(func(r *rules) {
		r.invalid = func(s persistence.Statement) error {
			if s.Serial && s.Verb == persistence.Scan {
				return errNullBound
			}
			return nil
		}
	}),

	"ballot-in-milliseconds":     cassandraWith(func(r *rules) { r.ballot = func(_ stamp, clock int64) stamp { return stamp(clock) } }),
	"ballots-rise":               cassandraWith(clockAlone),
	"plain-write-behind-is-lost": cassandraWith(lastStays),
	"plain-update-ahead-stays":   cassandraWith(lastStays),
	"plain-delete-ahead-hides": cassandraWith(func(r *rules) {
		r.outlives = func(at, removed stamp) bool { return at > min(removed, stamp(epoch)) }
	}),
	"greater-timestamp-wins": cassandraWith(lastStays),
	"tie-removal-wins":       cassandraWith(atOnce),
	"clearing-a-journal":     cassandraWith(atOnce),
	"tie-null-wins": cassandraWith(func(r *rules) {
		r.wins = func(write, old written, greater bool) bool {
			if write.at == old.at && write.null != old.null {
				return old.null
			}
			return wins(write, old, greater)
		}
	}),
	"tie-greater-value-wins": cassandraWith(func(r *rules) {
		r.wins = func(write, old written, _ bool) bool { return wins(write, old, false) }
	}),
	"tie-ending-wins": cassandraWith(func(r *rules) {
		r.wins = func(write, old written, greater bool) bool {
			write.ends, old.ends = 0, 0
			return wins(write, old, greater)
		}
	}),

	"commit-to-an-empty-group": answers(func(g *group, id string, generation, _ int32) string {
		_, code := g.valid(id, generation)
		return code
	}),
	"commit-of-another-generation": answers(func(g *group, id string, generation, partition int32) string {
		return commitAnswer(g, id, max(generation, g.generation), partition)
	}),
	"commit-of-an-unknown-member": answers(func(g *group, id string, generation, partition int32) string {
		if id == "" && generation < 0 {
			return codeNone
		}
		return commitAnswer(g, id, generation, partition)
	}),
	"commit-after-leaving": answers(func(g *group, id string, generation, partition int32) string {
		if generation == g.generation {
			return codeNone
		}
		return commitAnswer(g, id, generation, partition)
	}),
	"commit-while-a-rebalance-is-prepared": answers(func(g *group, id string, generation, partition int32) string {
		code := commitAnswer(g, id, generation, partition)
		if code == codeNone && g.state == statePreparing {
			return codeRebalanceInProgress
		}
		return code
	}),
	"commit-between-join-and-sync": answers(func(g *group, id string, generation, _ int32) string {
		_, code := g.valid(id, generation)
		return code
	}),
	"commit-of-another's-partition": answers(func(g *group, id string, generation, partition int32) string {
		if m := g.find(id); m != nil && !slices.Contains(m.assignment, partition) {
			return codeUnknownMember
		}
		return commitAnswer(g, id, generation, partition)
	}),
	"an-emptied-group-counts":    kafkaWith(func(r *groupRules) { r.emptied = func(generation int32) int32 { return generation } }),
	"eviction-after-the-session": kafkaWith(func(r *groupRules) { r.session = func(d time.Duration) time.Duration { return 2 * d } }),
	"goodbye-ends-the-wait":      kafkaWith(func(r *groupRules) { r.left = (*group).heard }),

	"a-new-member-is-named-first": kafkaWith(func(r *groupRules) { r.awaitsNamed = func(int) bool { return false } }),
	"a-follower-rejoins-unnoticed": kafkaWith(func(r *groupRules) {
		r.settled = func(*group, *groupMember, bool) bool { return false }
	}),
	"who-waits-is-there": kafkaWith(func(r *groupRules) { r.present = func(*groupMember) bool { return false } }),
	"rebalance-time-out": kafkaWith(func(r *groupRules) { r.rebalance = func(d time.Duration) time.Duration { return 2 * d } }),
	"answers-to-a-sync": kafkaWith(func(r *groupRules) {
		r.sync = func(g *group, id string, generation int32) string {
			_, code := g.valid(id, generation)
			return code
		}
	}),
	"put-out-while-joining": kafkaWith(func(r *groupRules) { r.dismiss = func(*groupMember) {} }),
	"put-out-while-syncing": kafkaWith(func(r *groupRules) {
		r.dismiss = func(m *groupMember) {
			if m.sync != nil {
				m.sync(syncAnswer{code: codeUnknownMember})
			}
		}
	}),

	"a-batch-sent-twice":               logWith(func(r *logRules) { r.same, r.next = anew, anyNumber }),
	"other-values-of-the-same-numbers": logWith(func(r *logRules) { r.same, r.next = anew, anyNumber }),
	"a-gap-or-an-overlap": logWith(func(r *logRules) {
		r.next = func(last, sequence int32) string {
			if sequence <= last {
				return codeOutOfOrder
			}
			return codeNone
		}
	}),
	"five-batches-are-known-again":        logWith(func(r *logRules) { r.kept = 1 }),
	"a-new-epoch-begins-at-0":             logWith(func(r *logRules) { r.renewed = func(int32) string { return codeNone } }),
	"the-last-epoch-is-fenced":            logWith(func(r *logRules) { r.fenced = func() string { return codeNone } }),
	"an-unknown-producer-begins-anywhere": logWith(func(r *logRules) { r.unknown = r.renewed }),

	"the-active-segment-is-not-cleaned": logWith(func(r *logRules) { r.cleanable = func(l *partitionLog) int { return len(l.records) } }),
	"old-values-go":                     logWith(func(r *logRules) { r.latest = func(int64, int64) bool { return true } }),
	"a-tombstone-takes-two-passes":      logWith(func(r *logRules) { r.gone = func(bool) bool { return true } }),
}

func logWith(change func(*logRules)) func(*World) { return func(w *World) { change(&w.logRules) } }

func anew(numbered, cluster.Batch) bool { return false }

func anyNumber(int32, int32) string { return codeNone }

func cassandraWith(change func(*rules)) func(*World) {
	return func(w *World) { change(w.tables.rules) }
}

func answers(commit func(g *group, id string, generation, partition int32) string) func(*World) {
	return kafkaWith(func(r *groupRules) { r.commit = commit })
}

func kafkaWith(change func(*groupRules)) func(*World) {
	return func(w *World) { change(&w.broker.group.rules) }
}

func marks(how func(persistence.Verb, written) (written, bool)) func(*World) {
	return cassandraWith(func(r *rules) { r.marks = how })
}

func never(persistence.Statement, int64) int64 { return 0 }

func clockAlone(r *rules) {
	r.ballot = func(_ stamp, clock int64) stamp { return stamp(clock / 1000 * 1000) }
}

func lastStays(r *rules) { r.wins = func(_, _ written, _ bool) bool { return true } }

func atOnce(r *rules) { r.outlives = func(at, removed stamp) bool { return at >= removed } }

// Each fact's script fails in a world in which the fact is false: otherwise it would show nothing.
func TestFactsCanFail(t *testing.T) {
	for _, f := range conformance.Facts() {
		t.Run(f.Name, func(t *testing.T) {
			world := func() *World { return New(1, 1, history.NewMemory(history.Header{})) }
			if err := f.Check(world()); err != nil {
				t.Fatalf("as the simulator is: %v", err)
			}
			w := world()
			change, ok := otherwise[f.Name]
			if !ok {
				t.Fatalf("nothing here makes it false; it says how: %s", f.Otherwise)
			}
			change(w)
			err := f.Check(w)
			if err == nil {
				t.Errorf("the script does not notice that %s", f.Otherwise)
			}
			t.Logf("%s: %v", f.Otherwise, err)
		})
	}
}
