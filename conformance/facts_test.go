package conformance_test

import (
	"slices"
	"testing"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/conformance"
	"github.com/single-writer/chaos/history"
)

// TestFacts shows each fact in the simulator, and those that one node shows in a store of three too.
func TestFacts(t *testing.T) {
	facts(t, sim.Cluster{}, conformance.Facts())
	t.Run("harmed", func(t *testing.T) { facts(t, sim.Cluster{}, conformance.Harmed()) })
	t.Run("replicated", func(t *testing.T) {
		facts(t, sim.Cluster{Replicas: 3}, slices.Concat(conformance.Facts(), conformance.Replicated()))
	})
}

// TestContainersFacts shows each fact that one server of each kind shows on real ones: the same scripts.
func TestContainersFacts(t *testing.T) {
	facts(t, containerstest.Open(t), slices.Concat(conformance.Facts(), conformance.Harmed()))
}

// TestContainersReplicated shows those that take several nodes on three real ones.
func TestContainersReplicated(t *testing.T) {
	facts(t, containerstest.Replicas(t), conformance.Replicated())
}

func facts(t *testing.T, c cluster.Cluster, all []conformance.Fact) {
	seen := map[string]bool{}
	for _, f := range all {
		if seen[f.Name] {
			t.Errorf("two facts are called %s", f.Name)
		}
		seen[f.Name] = true
		t.Run(f.Name, func(t *testing.T) {
			w, err := c.Open(t.Context(), cluster.Spec{Seed: 1, Partitions: 1, Arm: "fact"}, history.NewMemory(history.Header{}))
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := w.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			if err := f.Check(w.(conformance.World)); err != nil {
				t.Errorf("%s\n%v", f.Says, err)
			}
		})
	}
}
