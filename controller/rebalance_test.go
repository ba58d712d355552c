package controller_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// joining is a group that grows and shrinks while there is work: members learn of each rebalance at their next poll.
const joining = `
name: joining
about: b joins a, then a leaves; both partitions are worked on all the time.
input:
  partitions: 2
  keys: 4
  stages:
    - {events: 1-20}
    - {events: 21-40, when: {worker: b, point: recovered}}
    - {events: 41-60, when: {worker: a, point: recovered}}
workers:
  all: {session-timeout: 6s, max-poll-interval: 10s, heartbeat-interval: 100ms, max-poll-records: 3, persist-every: 0s, commit-every: 0s}
plan:
  - {start: a}
  - {when: {worker: a, point: commit-answered, event: 5}, do: [{start: b}]}
  - {when: {worker: b, point: commit-answered, event: 40}, do: [{stop: b}]}
requires: [handovers 2]
expect:
  cassandra/lww: {holds: all}
  cassandra/cas: {holds: all}
`

// restarting is the stale flush of the catalogue, but nobody stops a: refused, it fails, restarts and joins as a new member.
const restarting = `
name: restarting
about: An evicted owner's flush is refused; it fails, recovers and goes on as a new member.
input:
  partitions: 1
  keys: 1
  stages:
    - {events: 1-6}
    - {events: 7-10, when: {evicted: a}}
    - {events: 11-12, when: {worker: a, point: teardown}}
workers:
  all: {session-timeout: 6s, max-poll-interval: 10s, heartbeat-interval: 100ms, max-poll-records: 1, persist-every: 0s, commit-every: 0s}
  a: {max-poll-interval: 1s}
plan:
  - {start: a}
  - {when: {worker: a, point: folded, event: 6}, do: [{hold: a}]}
  - {when: {evicted: a}, do: [{start: b}]}
  - {when: {worker: b, point: commit-answered, event: 10}, do: [{hold: b}, {probe: all}, {release: a}]}
  - {when: {worker: a, point: teardown}, do: [{stop: b}]}
requires: [evicted a, rejected-write a, recovered a]
expect:
  cassandra/cas: {holds: all}
`

// evicting is the stale flush of the catalogue with the eviction done by hand, long before any time-out.
const evicting = `
name: evicting
about: An owner is put out of its group while it holds a state that is not stored; its flush comes late.
input:
  partitions: 1
  keys: 1
  stages:
    - {events: 1-6}
    - {events: 7-10, when: {evicted: a}}
    - {events: 11-12, when: {worker: c, point: recovered}}
workers:
  all: {session-timeout: 6s, max-poll-interval: 20s, heartbeat-interval: 100ms, max-poll-records: 1, persist-every: 0s, commit-every: 0s}
plan:
  - {start: a}
  - {when: {worker: a, point: folded, event: 6}, do: [{hold: a}, {evict: a}, {start: b}]}
  - {when: {worker: b, point: commit-answered, event: 10}, do: [{hold: b}, {probe: all}, {release: a}]}
  - {when: {worker: a, point: persist-answered, event: 6}, do: [{stop: a}, {probe: all}, {stop: b}, {start: c}]}
requires: [evicted a, dirty a, stale-write a, recovered c, persisted c]
expect:
  cassandra/lww: {violates: [no-stale-overwrite, no-leap, recovery-complete, recovery-cut, single-writer, durable-fold]}
  cassandra/cas: {holds: all, requires: [rejected-write a]}
`

// rejoining is the stale flush of the catalogue, but a goes on: its next poll tells it that all is lost, and it joins again
// as a new member in the same life.
const rejoining = `
name: rejoining
about: An evicted owner's late flush lands; it learns of its eviction, and owns the partition once more.
input:
  partitions: 1
  keys: 1
  stages:
    - {events: 1-6}
    - {events: 7-10, when: {evicted: a}}
    - {events: 11-12, when: {worker: a, point: recovered}}
workers:
  all: {session-timeout: 6s, max-poll-interval: 10s, heartbeat-interval: 100ms, max-poll-records: 1, persist-every: 0s, commit-every: 0s}
  a: {max-poll-interval: 1s}
plan:
  - {start: a}
  - {when: {worker: a, point: folded, event: 6}, do: [{hold: a}]}
  - {when: {evicted: a}, do: [{start: b}]}
  - {when: {worker: b, point: commit-answered, event: 10}, do: [{hold: b}, {probe: all}, {release: a}]}
  - {when: {worker: a, point: lost}, do: [{stop: b}]}
requires: [evicted a, dirty a, stale-write a, recovered a, persisted a]
expect:
  cassandra/lww: {violates: [no-stale-overwrite, no-leap, recovery-complete, recovery-cut, single-writer, durable-fold]}
`

// ghostless is an evicted owner that is stopped just when it learns of it, while its client may be joining again.
const ghostless = `
name: ghostless
about: An owner is put out, and stopped when it is told; nobody may be left in the group.
input:
  partitions: 1
  keys: 1
  stages:
    - {events: 1-4}
    - {events: 5-6, when: {worker: b, point: recovered}}
workers:
  all: {session-timeout: 45s, max-poll-interval: 10s, heartbeat-interval: 100ms, max-poll-records: 1, persist-every: 0s, commit-every: 0s}
plan:
  - {start: a}
  - {when: {worker: a, point: folded, event: 4}, do: [{evict: a}]}
  - {when: {worker: a, point: lost}, do: [{stop: a}, {start: b}]}
expect:
  cassandra/lww: {holds: all}
`

func parse(t *testing.T, name, text string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse(name+".yaml", []byte(text), controller.Vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// groupsAtWork runs what goes on in a group besides the catalogue.
func groupsAtWork(t *testing.T, c cluster.Cluster, seeds int64) {
	for seed := range seeds {
		t.Run(fmt.Sprintf("evicting/%d", seed), func(t *testing.T) {
			s := parse(t, "evicting", evicting)
			for _, arm := range s.Arms() {
				stated(t, s, runtest.Execute(t, c, s, arm, seed))
			}
		})
		t.Run(fmt.Sprintf("rejoining/%d", seed), func(t *testing.T) {
			s := parse(t, "rejoining", rejoining)
			h := runtest.Execute(t, c, s, persistence.CassandraLWW, seed)
			stated(t, s, h)
			runtest.SameSteps(t, h, runtest.Execute(t, sim.Cluster{}, s, persistence.CassandraLWW, seed))
		})
		t.Run(fmt.Sprintf("ghostless/%d", seed), func(t *testing.T) {
			s := parse(t, "ghostless", ghostless)
			stated(t, s, runtest.Execute(t, c, s, persistence.CassandraLWW, seed))
		})
		t.Run(fmt.Sprintf("joining/%d", seed), func(t *testing.T) {
			s := parse(t, "joining", joining)
			for _, arm := range s.Arms() {
				h := runtest.Execute(t, c, s, arm, seed)
				stated(t, s, h)
				for _, point := range []string{"revoked", "assigned"} {
					if !reached(h, "a/1", point) {
						t.Errorf("%s: a/1 never reached %s", arm, point)
					}
				}
			}
		})
		t.Run(fmt.Sprintf("restarting/%d", seed), func(t *testing.T) {
			s := parse(t, "restarting", restarting)
			h := runtest.Execute(t, c, s, persistence.CassandraCAS, seed)
			stated(t, s, h)
			if !reached(h, "a/2", "persist-answered") {
				t.Error("a's second life stored nothing")
			}
		})
	}
}

func reached(h *history.History, process, point string) bool {
	return slices.ContainsFunc(h.Events, func(e history.Event) bool {
		v, ok := e.Value.(*history.PointReached)
		return ok && e.Process == process && v.Point == point
	})
}

func TestGroupsAtWork(t *testing.T)           { groupsAtWork(t, sim.Cluster{}, 50) }
func TestContainersGroupsAtWork(t *testing.T) { groupsAtWork(t, containerstest.Open(t), 2) }
