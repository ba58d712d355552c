package sim

import (
	"testing"

	"github.com/single-writer/chaos/cluster/sim/cassandra"
	"github.com/single-writer/chaos/conformance"
)

// otherRounds is, for each fact that takes several nodes, a world in which it is false, in the way in which the fact says that
// it could be.
var otherRounds = map[string]func(w *World){
	"a-quorum-is-enough":       cassandraWith(alone),
	"write-time-out":           cassandraWith(alone),
	"prepare-time-out":         cassandraWith(alone),
	"read-time-out-in-a-round": cassandraWith(alone),

	"reads-repair":    cassandraWith(func(r *cassandra.Rules) { r.Repairs = false }),
	"too-few-alive":   cassandraWith(func(r *cassandra.Rules) { r.Begins = func(int, int) bool { return true } }),
	"accepted-by-one": cassandraWith(func(r *cassandra.Rules) { r.Seals = false }),

	"propose-time-out":       cassandraWith(unfinished),
	"next-write-finishes":    cassandraWith(unfinished),
	"quorum-is-blind":        cassandraWith(undecided),
	"scan-finishes-no-round": cassandraWith(undecided),

	"commit-time-out": cassandraWith(func(r *cassandra.Rules) { r.Says = func(bool) string { return "CAS" } }),
	"contention":      cassandraWith(func(r *cassandra.Rules) { r.Unsure = func(int) bool { return false } }),

	"lives-by-the-coordinator": cassandraWith(func(r *cassandra.Rules) { r.Clock = func(now, _ int64) int64 { return now } }),
	"ballots-follow-who-is-ahead": cassandraWith(func(r *cassandra.Rules) {
		r.Ballot = func(last, _ cassandra.Stamp, clock int64) (at, then cassandra.Stamp) {
			return real.Ballot(last, 0, clock)
		}
	}),
	"a-lifted-ballot-is-the-row's": cassandraWith(func(r *cassandra.Rules) {
		r.Ballot = func(last, least cassandra.Stamp, clock int64) (at, then cassandra.Stamp) {
			at, _ = real.Ballot(last, least, clock)
			return at, at
		}
	}),
}

func alone(r *cassandra.Rules) { r.Quorum = func(int) int { return 1 } }

func unfinished(r *cassandra.Rules) { r.Finishes = func(_, _ cassandra.Stamp) bool { return false } }

func undecided(r *cassandra.Rules) { r.Writes = func(bool) bool { return true } }

// Each fact that takes several nodes is one of the simulator's, and its script fails in a world in which it is false.
func TestReplicatedFactsCanFail(t *testing.T) {
	canFail(t, conformance.Replicated(), otherRounds, 3)
}
