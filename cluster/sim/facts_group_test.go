package sim

import (
	"slices"
	"time"
)

// otherGroups is, for each fact about Kafka's groups, a world in which it is false, in the way in which the fact says that it could be.
var otherGroups = map[string]func(w *World){
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
	"a-static-member-returns-unnoticed": kafkaWith(func(r *groupRules) {
		r.returns = func(*group, bool) bool { return false }
	}),
	"a-second-of-an-instance-fences-the-first": kafkaWith(func(r *groupRules) { r.fenced = codeUnknownMember }),
	"a-static-member-outlives-a-rebalance":     kafkaWith(func(r *groupRules) { r.awaited = func(*groupMember) bool { return false } }),

	"put-out-while-joining": kafkaWith(func(r *groupRules) { r.dismiss = func(*groupMember) {} }),
	"put-out-while-syncing": kafkaWith(func(r *groupRules) {
		r.dismiss = func(m *groupMember) {
			if m.sync != nil {
				m.sync(syncAnswer{code: codeUnknownMember})
			}
		}
	}),
}

func answers(commit func(g *group, id string, generation, partition int32) string) func(*World) {
	return kafkaWith(func(r *groupRules) { r.commit = commit })
}

func kafkaWith(change func(*groupRules)) func(*World) {
	return func(w *World) { change(&w.kafka.rules) }
}
