package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/failure"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// search explores a scenario in memory and in a folder of the test's.
func search(t *testing.T, scenario, arm string, seeds, workers int, without ...string) *Found {
	t.Helper()
	f, err := Explore(context.Background(), aSearch(t, scenario, arm, seeds, workers, without...))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func aSearch(t *testing.T, scenario, arm string, seeds, workers int, without ...string) Exploring {
	return Exploring{
		Request: controller.Request{
			Scenario: scenario, Arms: []string{arm}, Without: without, Seed: 1, Seeds: seeds,
			Out: filepath.Join(t.TempDir(), "runs"), Kind: "sim", Progress: func(string) {},
		},
		On: []Place{{sim.Cluster{}, "chaos run " + scenario}}, Workers: workers,
	}
}

// Nobody's script finds the corruption of issue 732 in the arm without a fence, and nothing in the fence.
func TestExploreFinds732(t *testing.T) {
	f := search(t, "overlap-random", persistence.CassandraLWW, 100, 2)
	i := slices.IndexFunc(f.Findings, func(g *Finding) bool {
		return g.Property == checker.NoStaleOverwrite && strings.Contains(g.Fingerprint, "persist ok by an older owner, lower")
	})
	if i < 0 || f.Exit() != controller.ExitExpected || f.Runs != 100 {
		t.Fatalf("%d runs, exit %d, no stale overwrite in: %+v", f.Runs, f.Exit(), f.Told().Findings)
	}
	g := f.Findings[i]
	if !g.Allowed {
		t.Errorf("%+v", g)
	}
	// The run that is recorded shows what the search saw, and so does the scenario that the seed drew.
	var v controller.Verdict
	b, err := os.ReadFile(filepath.Join(g.Folder, "verdict.json"))
	if err = errors.Join(err, json.Unmarshal(b, &v)); err != nil {
		t.Fatal(err)
	}
	if v.Seed != g.Seed || v.Properties[g.Property].Summary != g.Sentence {
		t.Errorf("recorded: seed %d, %s; found: %+v", v.Seed, v.Properties[g.Property].Summary, g)
	}
	if want := "chaos run overlap-random --arm cassandra/lww --seed "; !strings.HasPrefix(g.Again, want) {
		t.Errorf("again: %s", g.Again)
	}
	if f := search(t, "overlap-random", persistence.CassandraCAS, 300, 2); len(f.Findings) > 0 {
		t.Errorf("in the fence: %+v", f.Told().Findings)
	}
}

// A guard that is taken away is found missing without a script.
func TestExploreWithoutGuard(t *testing.T) {
	f := search(t, "overlap-random", persistence.CassandraCAS, 100, 2, persistence.PersistCondition)
	if len(f.Findings) == 0 || f.Exit() != controller.ExitDeviates || f.Findings[0].Allowed {
		t.Fatalf("exit %d: %+v", f.Exit(), f.Told().Findings)
	}
	if want := "chaos run overlap-random --arm cassandra/cas --without persist-condition --seed "; !strings.HasPrefix(f.Findings[0].Again, want) {
		t.Errorf("again: %s", f.Findings[0].Again)
	}
}

// The same seeds give the same groups, however many runs there are at a time; a scripted scenario that does as it states
// gives none.
func TestExploreIsTheSameOnAnyCores(t *testing.T) {
	var want string
	for _, workers := range []int{1, 2, 7} {
		f := search(t, "overlap-random", persistence.CassandraLWW, 60, workers)
		for _, g := range f.Findings {
			g.Folder = ""
		}
		b, err := json.Marshal(f.Findings)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(b)
		}
		if string(b) != want {
			t.Errorf("with %d at a time:\n%s\nnot\n%s", workers, b, want)
		}
	}
	if f := search(t, "stale-periodic-flush", persistence.CassandraLWW, 20, 2); len(f.Findings) > 0 ||
		f.Exit() != controller.ExitExpected {
		t.Errorf("what the scenario states is no finding: %+v", f.Told().Findings)
	}
}

// A search that is interrupted gives what it has found.
func TestExploreInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	q := aSearch(t, "overlap-random", persistence.CassandraLWW, 100000, 2)
	q.Look = func(s Tally) {
		if s.Failures > 0 {
			cancel()
		}
	}
	f, err := Explore(ctx, q)
	if !errors.Is(err, context.Canceled) || f == nil || len(f.Findings) == 0 || f.Runs >= 100000 {
		t.Errorf("%v: %+v", err, f)
	}
}

// failing is a simulator that fails for every third seed.
type failing struct{ sim.Cluster }

func (f failing) Open(ctx context.Context, s cluster.Spec, r history.Recorder) (cluster.World, error) {
	if s.Seed%3 == 0 {
		return nil, fmt.Errorf("no world for seed %d", s.Seed)
	}
	return f.Cluster.Open(ctx, s, r)
}

// An error of the rig is a finding like any other, and the search goes on.
func TestExploreRigErrors(t *testing.T) {
	q := aSearch(t, "calm", persistence.CassandraCAS, 10, 2)
	q.On = []Place{{failing{}, "chaos run calm"}}
	f, err := Explore(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Findings) != 1 || f.Runs != 10 || f.Exit() != controller.ExitRig {
		t.Fatalf("%d runs, exit %d: %+v", f.Runs, f.Exit(), f.Told().Findings)
	}
	if g := f.Findings[0]; g.Kind != failure.Rig || g.Count != 3 || g.Seed != 3 ||
		!strings.Contains(g.Sentence, "no world for seed 3") || g.Folder != "" {
		t.Errorf("%+v", g)
	}
}
