package controller

import (
	"context"
	"os"
	"testing"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

func TestSmoke(t *testing.T) {
	var points []string
	for _, p := range workload.Points() {
		points = append(points, p.Name)
	}
	v := scenarios.Vocabulary{Points: points, Faults: nemesis.FaultNames(), Arms: persistence.ArmNames(),
		Properties:  []string{"no-stale-overwrite", "no-leap", "recovery-complete", "recovery-cut", "single-writer", "durable-fold", "progress"},
		Requirement: func(string) error { return nil }}
	for _, name := range []string{"stale-periodic-flush", "calm"} {
		s, err := scenarios.Find(name, v)
		if err != nil {
			t.Fatal(err)
		}
		for _, arm := range persistence.ArmNames() {
			a, _ := persistence.NewArm(arm, nil)
			j := Job{s, a, 1}
			f, _ := os.Create("/tmp/lab/" + name + "-" + a.Name[10:] + ".jsonl")
			h, err := history.NewFile(f, j.Header(sim.Cluster{}))
			if err != nil {
				t.Fatal(err)
			}
			if err := Execute(context.Background(), j, sim.Cluster{}, h); err != nil {
				t.Error(name, arm, err)
			}
			f.Close()
			if _, err := history.ReadFile(f.Name()); err != nil {
				t.Error(err)
			}
			t.Log(name, arm, len(h.Events), h.Events[len(h.Events)-1].Value)
		}
	}
}
