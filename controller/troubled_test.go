package controller_test

import (
	"fmt"
	"testing"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// troubledRun is an owner whose commit is on its way when something happens to a server, which is healed after a while.
const troubledRun = `name: troubled
about: >
  A server is harmed while an owner's commit is on its way, and healed.
cluster: {kafka: 3, cassandra: 3}
input:
  partitions: 1
  keys: 2
  stages:
    - {events: 1-6}
    - {events: 7-20, when: {worker: a, point: commit-sent, event: 6}}
workers:
  all: {max-poll-interval: 10s, session-timeout: 6s, heartbeat-interval: 300ms, max-poll-records: 1}
plan:
  - {start: a}
  - {when: {worker: a, point: commit-sent, event: 6}, do: [{%s: %s}]}
  - {after: 4s, do: [{heal-server: %s}, {start: b}]}
expect:
  cassandra/cas: {holds: all}
`

// Whatever becomes of a server of three while an owner is at work: the run comes to its end, all of the input is committed, and under the
// fence no property is broken.
func TestServersInTrouble(t *testing.T) {
	for _, fault := range []string{
		history.FaultKillServer, history.FaultPauseServer, history.FaultIsolateServer, history.FaultDeafenServer, history.FaultMuteServer,
		history.FaultCutClients, history.FaultFillDisk,
	} {
		for _, server := range []string{"coordinator", "leader", "controller", "cassandra-2"} {
			t.Run(fault+" "+server, func(t *testing.T) {
				s, err := scenarios.Parse("troubled.yaml", fmt.Appendf(nil, troubledRun, fault, server, server), controller.Vocabulary())
				if err != nil {
					t.Fatal(err)
				}
				for seed := range int64(3) {
					h := runtest.Execute(t, sim.Cluster{}, s, persistence.CassandraCAS, seed)
					if r := checker.Check(h); r.Verdict != checker.Pass || !r.Finished {
						t.Errorf("seed %d: %s: %s", seed, r.Verdict, r.Summary)
					}
				}
			})
		}
	}
}
