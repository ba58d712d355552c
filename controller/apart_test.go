package controller_test

import (
	"strings"
	"testing"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// lostApart is a worker that flushes beside its poll loop, and whose task is not told what came of a flush.
const lostApart = `
name: lost-apart
about: The answer to a flush of a worker's task is lost.
input:
  partitions: 1
  keys: 1
  stages:
    - {events: 1-3}
workers:
  all: {max-poll-interval: 10s, session-timeout: 3s, heartbeat-interval: 100ms, max-poll-records: 1, flush: apart}
plan:
  - {start: a}
  - {when: {worker: a, point: POINT, event: 2}, do: [{FAULT: a}]}
requires: [recovered a, persisted a]
expect:
  cassandra/lww: {holds: all}
  cassandra/cas: {holds: all}
`

// TestLostApart: what is done to a worker's requests is done to those of its task too.
func TestLostApart(t *testing.T) {
	for fault, point := range map[string]string{"lose-answer": "before-persist", "lose": "persist-sent"} {
		text := strings.NewReplacer("POINT", point, "FAULT", fault).Replace(lostApart)
		s, err := scenarios.Parse("lost-apart.yaml", []byte(text), controller.Vocabulary())
		if err != nil {
			t.Fatal(err)
		}
		for _, arm := range []string{persistence.CassandraLWW, persistence.CassandraCAS} {
			h := runtest.Execute(t, sim.Cluster{}, s, arm, 1)
			stated(t, s, h)
			w := answerTo(t, h, "a/1#2")
			if v := w.Value.(*history.Write); w.Process != "a/1/flush" || w.Type != history.Info ||
				v.Code != "connection-closed" {
				t.Errorf("%s under %s: %s's write ended %s, %s", fault, arm, w.Process, w.Type, v.Code)
			}
			for _, a := range controller.PlanOf(h).Done {
				if a.Fault == fault && a.Proof == "" {
					t.Errorf("%s under %s has no proof", fault, arm)
				}
			}
		}
	}
}
