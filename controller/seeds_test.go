package controller_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// bytesOf is the history as its file would have it.
func bytesOf(t testing.TB, h *history.History) []byte {
	t.Helper()
	b, err := history.AppendHeader(nil, h.Header)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range h.Events {
		if b, err = history.AppendLine(b, e); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// schedule is what makes two schedules different: who did what, in which order, whatever the times.
func schedule(h *history.History) string {
	var b strings.Builder
	for _, e := range h.Events {
		point := ""
		if v, ok := e.Value.(*history.PointReached); ok {
			point = v.Point
		}
		fmt.Fprintf(&b, "%s %s %s %s\n", e.Process, e.Type, e.F, point)
	}
	return b.String()
}

// schedules are runs of one scenario under one arm, with the seeds from 0 on.
type schedules struct {
	scenario *scenarios.Scenario
	arm      string
	seeds    int
	// distinct is how many of them must differ, at least.
	distinct int
	// digests are those of the histories, by seed.
	digests [][sha256.Size]byte
}

func (s *schedules) name() string { return s.scenario.Name + "/" + s.arm }

// manySchedules are those of the whole catalogue. Two scenarios, with the fence and without, get two hundred; the others a
// fair share of that, so that all of it stays a matter of minutes under the race detector.
func manySchedules(t *testing.T) []*schedules {
	var out []*schedules
	for _, s := range runtest.Catalogue(t) {
		for _, arm := range s.Arms() {
			m := &schedules{scenario: s, arm: arm, seeds: 30, distinct: 22}
			if (s.Name == "calm" || s.Name == "stale-periodic-flush") && arm != persistence.CassandraCASPersist {
				m.seeds, m.distinct = 200, 150
			}
			if slices.Contains(racing, s.Name) {
				m.seeds, m.distinct = 10, 10
			}
			m.digests = make([][sha256.Size]byte, m.seeds)
			out = append(out, m)
		}
	}
	return out
}

// TestSeeds runs many schedules of each scenario: they differ, each comes out as stated, and each repeats to the byte, beside
// others on all processors and then alone on one: every third of them, or with CHAOS_SEEDS=all (`make seeds`) each.
func TestSeeds(t *testing.T) {
	all := manySchedules(t)
	t.Run("beside others", func(t *testing.T) {
		for _, m := range all {
			t.Run(m.name(), func(t *testing.T) {
				t.Parallel()
				orders := map[string]bool{}
				for seed := range m.digests {
					h := runtest.Execute(t, sim.Cluster{}, m.scenario, m.arm, int64(seed))
					stated(t, m.scenario, h)
					orders[schedule(h)] = true
					m.digests[seed] = sha256.Sum256(bytesOf(t, h))
				}
				if len(orders) < m.distinct {
					t.Errorf("%d of %d seeds gave distinct schedules; at least %d should", len(orders), m.seeds, m.distinct)
				}
				t.Logf("%d distinct schedules of %d seeds", len(orders), m.seeds)
			})
		}
	})
	step := 3
	if os.Getenv("CHAOS_SEEDS") == "all" {
		step = 1
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, m := range all {
		t.Run("alone/"+m.name(), func(t *testing.T) {
			for seed := 0; seed < m.seeds; seed += step {
				if sha256.Sum256(bytesOf(t, runtest.Execute(t, sim.Cluster{}, m.scenario, m.arm, int64(seed)))) != m.digests[seed] {
					t.Errorf("seed %d gives another history the second time", seed)
				}
			}
		})
	}
}

// However a schedule is drawn, and whatever is lost, a seed gives one history, which is well-formed and says how it came about.
func TestSchedules(t *testing.T) {
	s := runtest.Find(t, "overlap-random")
	all := map[string]bool{}
	clusters := []sim.Cluster{
		{}, {Strategy: sim.PCT}, {Loss: 0.05}, {Strategy: sim.PCT, Loss: 0.05}, {Replicas: 3},
		{Strategy: sim.PCT, Loss: 0.02, Replicas: 3, Skew: time.Second},
	}
	for _, c := range clusters {
		lost := 0
		for seed := range int64(5) {
			h := runtest.Execute(t, c, s, persistence.CassandraCAS, seed)
			b := bytesOf(t, h)
			if !bytes.Equal(b, bytesOf(t, runtest.Execute(t, c, s, persistence.CassandraCAS, seed))) {
				t.Errorf("%+v, seed %d: two histories", c, seed)
			}
			all[string(b)] = true
			stated(t, s, h)
			for _, e := range h.Events {
				if v, ok := e.Value.(*history.FaultDone); ok && strings.HasPrefix(v.Fault, "lost-") {
					lost++
				}
			}
		}
		if (lost > 0) != (c.Loss > 0) {
			t.Errorf("%+v: %d messages were lost", c, lost)
		}
	}
	if len(all) != 5*len(clusters) {
		t.Errorf("%d ways to draw 5 seeds give %d histories", len(clusters), len(all))
	}
}

// A seed's scenario, written to a file and read again, is the same run byte for byte.
func TestDrawnScenarioIsTheSameRun(t *testing.T) {
	s := runtest.Find(t, "overlap-random")
	for seed := range int64(10) {
		want := bytesOf(t, runtest.Execute(t, sim.Cluster{}, s, persistence.CassandraCAS, seed))
		written, err := scenarios.Parse("drawn.yaml", s.Draw(seed).YAML(), controller.Vocabulary())
		if err != nil {
			t.Fatal(err)
		}
		if got := bytesOf(t, runtest.Execute(t, sim.Cluster{}, written, persistence.CassandraCAS,
			seed)); !bytes.Equal(got, want) {
			t.Errorf("seed %d: the scenario that it draws gives another history", seed)
		}
	}
}

// Left to nobody, the decisions of a run are the same with every seed; left to the seed all, they are what they are.
func TestOnly(t *testing.T) {
	s := runtest.Find(t, "stale-periodic-flush")
	steps := func(on sim.Cluster, seed int64) string {
		return schedule(runtest.Execute(t, on, s, "cassandra/lww", seed))
	}
	if steps(sim.Cluster{Only: sim.None}, 1) != steps(sim.Cluster{Only: sim.None}, 2) {
		t.Error("with no decision of the seed's two seeds give two orders")
	}
	if steps(sim.Cluster{}, 1) == steps(sim.Cluster{}, 2) {
		t.Error("two seeds give the same order, so that this shows nothing")
	}
	if steps(sim.Cluster{Only: "0-99999"}, 1) != steps(sim.Cluster{}, 1) {
		t.Error("with all decisions the seed's, told one by one, the order is another")
	}
}
