package controller_test

import (
	"testing"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/failure"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// With replicas whose messages are lost, writes are left in doubt in each of their phases; of these some land, some never do;
// and the fence holds all the same.
func TestReplicasInDoubt(t *testing.T) {
	s := runtest.Find(t, "overlap-random")
	codes := map[string]int{}
	landed, never := 0, 0
	for seed := range int64(60) {
		h := runtest.Execute(t, sim.Cluster{Replicas: 3, Loss: 0.04}, s, persistence.CassandraCAS, seed)
		stated(t, s, h)
		doubts, shown := map[string]bool{}, map[string]bool{}
		for _, e := range h.Events {
			switch v := e.Value.(type) {
			case *history.Write:
				if e.Type == history.Info {
					codes[v.Code]++
					doubts[v.Write] = true
				}
			case *history.RowRead:
				if v.Row != nil {
					shown[v.Row.Write] = true
				}
			}
		}
		for id := range doubts {
			if shown[id] {
				landed++
			} else {
				never++
			}
		}
	}
	t.Logf("in doubt: %v; %d were shown later, %d were not", codes, landed, never)
	for _, code := range []string{"write-timeout-CAS", "write-timeout-SIMPLE", "read-timeout"} {
		if codes[code] == 0 {
			t.Errorf("no write ended with %s", code)
		}
	}
	if landed == 0 || never == 0 {
		t.Errorf("of the writes in doubt %d were shown later and %d were not", landed, never)
	}
}

// Without a fence the same search finds what it finds on one node.
func TestReplicasWithoutAFence(t *testing.T) {
	s := runtest.Find(t, "overlap-random")
	e, _ := s.Expectation(persistence.CassandraLWW)
	for seed := range int64(100) {
		h := runtest.Execute(t, sim.Cluster{Replicas: 3, Loss: 0.02}, s, persistence.CassandraLWW, seed)
		for _, r := range failure.ByCause(controller.Judge(h, e)) {
			if r.Property == "no-stale-overwrite" {
				return
			}
		}
	}
	t.Error("100 seeds show no stale overwrite")
}
