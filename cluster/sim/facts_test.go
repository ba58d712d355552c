package sim

import (
	"maps"
	"testing"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/conformance"
	"github.com/single-writer/chaos/history"
)

// otherwise is, for each fact that one node of each shows, a world in which it is false.
func otherwise() map[string]func(w *World) {
	all := maps.Clone(otherStores)
	maps.Copy(all, otherGroups)
	maps.Copy(all, otherLogs)
	return all
}

// Each fact's script fails in a world in which the fact is false: otherwise it would show nothing.
func TestFactsCanFail(t *testing.T) { canFail(t, conformance.Facts(), otherwise(), 1) }

// canFail shows each fact in a world with so many nodes, and then in one in which it is false.
func canFail(t *testing.T, facts []conformance.Fact, otherwise map[string]func(w *World), nodes int) {
	for _, f := range facts {
		t.Run(f.Name, func(t *testing.T) {
			world := func() *World { return replicated(t, 1, nodes) }
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

// replicated is a world whose store has so many nodes.
func replicated(t *testing.T, seed int64, nodes int) *World {
	t.Helper()
	w, err := Cluster{Replicas: nodes}.Open(t.Context(), cluster.Spec{Seed: seed, Partitions: 1}, history.NewMemory(history.Header{}))
	if err != nil {
		t.Fatal(err)
	}
	return w.(*World)
}
