// Package runtest is what tests of runs need: scenarios of the catalogue, a run in memory, one in a folder, and what two runs
// have in common.
package runtest

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// Find gives a scenario of the catalogue.
func Find(t testing.TB, name string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Find(name, controller.Vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Catalogue is all of it.
func Catalogue(t testing.TB) []*scenarios.Scenario {
	t.Helper()
	all, err := scenarios.Catalogue(controller.Vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Execute does one job in memory. Its history is well-formed.
func Execute(t testing.TB, c cluster.Cluster, s *scenarios.Scenario, arm string, seed int64, without ...string) *history.History {
	t.Helper()
	a, err := persistence.NewArm(arm, without)
	if err != nil {
		t.Fatal(err)
	}
	j := controller.NewJob(s, a, seed)
	m := history.NewMemory(j.Header(c.Facts()))
	if err := controller.Execute(context.Background(), j, c, m); err != nil {
		t.Fatalf("%s under %s, seed %d: %v", s.Name, arm, seed, err)
	}
	if err := history.Validate(&m.History); err != nil {
		t.Fatalf("%s under %s, seed %d: %v", s.Name, arm, seed, err)
	}
	return &m.History
}

// Record does a scenario with one seed under arms, or each of its own, and gives the folders of the runs.
func Record(t testing.TB, on cluster.Cluster, scenario string, seed int64, arms ...string) (folders []string) {
	t.Helper()
	b, err := controller.Do(context.Background(), controller.Request{
		Scenario: scenario, Arms: arms, Seed: seed, Out: filepath.Join(t.TempDir(), "runs"), Kind: on.Facts().Kind,
		Progress: func(string) {}, Open: func(context.Context, cluster.Size) (cluster.Cluster, error) { return on, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range b.Runs {
		folders = append(folders, r.Folder)
	}
	return folders
}

// SameSteps fails unless each worker did the same on real servers and in the simulator.
func SameSteps(t testing.TB, real, simulated *history.History) {
	t.Helper()
	if d := cmp.Diff(steps(simulated), steps(real)); d != "" {
		t.Errorf("the workers' steps in the simulator (-) and on real servers (+):\n%s", d)
	}
}

// steps are what each worker did, in order, without what a world may choose for itself: times and member ids. Polls that
// return nothing are not recorded. When the rig stops them at the end, one after another, whether the next one learns of that
// before its turn is left to chance.
func steps(h *history.History) map[string][]string {
	out := map[string][]string{}
	for _, e := range h.Events {
		if e.Process == "drain" && e.F == history.Fault {
			break
		}
		s := controller.Deed(e)
		if s == "" || !history.IsWorker(e.Process) {
			continue
		}
		if owner := reflect.Indirect(reflect.ValueOf(e.Value)).FieldByName("Generation"); owner.IsValid() {
			s += fmt.Sprintf(" generation %d", owner.Int())
		}
		out[e.Process] = append(out[e.Process], s)
	}
	return out
}
