package controller_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster/containers"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

func TestMain(m *testing.M) { containerstest.Main(m) }

// repeats is how often the catalogue is run on real servers: once, or as often as `make repeat N=...` asks for.
func repeats(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("CHAOS_REPEAT"))
	if err != nil || n < 1 {
		return 1
	}
	return n
}

// TestContainersCatalogue runs the catalogue on real servers, but for what needs three of a kind, each run once more in the
// simulator with the same seed: they must come to the same verdicts, by the same steps of each worker, unless the scenario says
// that it is a race.
func TestContainersCatalogue(t *testing.T) {
	c := containerstest.Open(t)
	for n := range repeats(t) {
		seed := int64(n + 1)
		for _, s := range runtest.Catalogue(t) {
			if !c.Size().Serves(controller.SizeFor(s)) {
				continue // TestContainersThree has it
			}
			for _, arm := range s.Arms() {
				t.Run(fmt.Sprintf("%s/%s/%d", s.Name, arm, seed), func(t *testing.T) { inBothWorlds(t, c, s, arm, seed) })
			}
		}
		t.Run(fmt.Sprintf("without-persist-condition/%d", seed), func(t *testing.T) {
			s := runtest.Find(t, "stale-periodic-flush")
			real := runtest.Execute(t, c, s, persistence.CassandraCAS, seed, persistence.PersistCondition)
			e, _ := s.Expectation(persistence.CassandraCAS)
			v := controller.Judge(real, e)
			if v.Exit() != controller.ExitDeviates {
				t.Errorf("exit %d, not %d", v.Exit(), controller.ExitDeviates)
			}
			checkDamage(t, s, real, v, sevenBroken)
			simulated := runtest.Execute(t, sim.Cluster{}, s, persistence.CassandraCAS, seed, persistence.PersistCondition)
			runtest.SameSteps(t, real, simulated)
			if a, b := witnessShape(v), witnessShape(controller.Judge(simulated, e)); a != b {
				t.Errorf("the witness on real servers:\n%s\nin the simulator:\n%s", a, b)
			}
		})
	}
}

// racing are the scenarios in which the workers race for the partitions: who does what is left to chance in both worlds, and
// only what comes of it is the same. What they do by errors of their own is bounded: the plan is what restarts them.
var racing = []string{"restart-storm", "restart-storm-cooperative"}

const mostFailedLives = 3

func inBothWorlds(t *testing.T, c *containers.Cluster, s *scenarios.Scenario, arm string, seed int64) {
	real := runtest.Execute(t, c, s, arm, seed)
	v := stated(t, s, real)
	simulated := runtest.Execute(t, sim.Cluster{}, s, arm, seed)
	w := stated(t, s, simulated)
	if s.Race != "" {
		// Both came out as stated; whose step was when is not the plan's to say.
		return
	}
	for name, p := range v.Properties {
		if q := w.Properties[name]; p.Verdict != q.Verdict {
			t.Errorf("%s is %s on real servers and %s in the simulator", name, p.Verdict, q.Verdict)
		}
	}
	if !slices.Contains(racing, s.Name) {
		runtest.SameSteps(t, real, simulated)
	}
	if s.Name != "stale-periodic-flush" {
		return
	}
	switch arm {
	case persistence.CassandraLWW:
		checkDamage(t, s, real, v, sixBroken)
	case persistence.CassandraCAS:
		checkFence(t, real)
	}
}

// killed is a scenario in which an owner crashes without a word and another is started at once.
const killed = `
name: killed
about: An owner crashes; the group waits for it as long as it must.
input:
  partitions: 1
  keys: 1
  stages:
    - {events: 1-2}
    - {events: 3-4, when: {worker: b, point: recovered}}
workers:
  all: {session-timeout: %s, max-poll-interval: %s, heartbeat-interval: 100ms, max-poll-records: 1, persist-every: 0s, commit-every: 0s}
plan:
  - {start: a}
  - {when: {worker: a, point: commit-answered, event: 2}, do: [{kill: a}, {start: b}]}
expect:
  cassandra/lww: {holds: all}
`

// TestKill kills an owner in the simulator; TestContainersKill does on real servers. The coordinator goes on listing it;
// the next joiner owns after the rebalance time-out or the rest of the session, whichever is shorter.
func TestKill(t *testing.T) {
	for _, k := range kills {
		t.Run(k.name, func(t *testing.T) {
			h := runtest.Execute(t, sim.Cluster{}, k.scenario(t), persistence.CassandraLWW, 1)
			k.check(t, h, 150*time.Millisecond)
		})
	}
}

func TestContainersKill(t *testing.T) {
	c := containerstest.Open(t)
	for _, k := range kills {
		t.Run(k.name, func(t *testing.T) {
			h := runtest.Execute(t, c, k.scenario(t), persistence.CassandraLWW, 1)
			// The busy machine may be late, and never early by more than the last heartbeat's age.
			k.check(t, h, 2*time.Second)
		})
	}
}

type killCase struct {
	name                 string
	session, pollLimit   time.Duration
	ownsAfter, heartbeat time.Duration
}

var kills = []killCase{
	{"the session is shorter", time.Second, 8 * time.Second, time.Second, 100 * time.Millisecond},
	{"the rebalance time-out is shorter", 9 * time.Second, time.Second, time.Second, 0},
}

func (k killCase) scenario(t *testing.T) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("killed.yaml", fmt.Appendf(nil, killed, k.session, k.pollLimit), controller.Vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (k killCase) check(t *testing.T, h *history.History, late time.Duration) {
	t.Helper()
	var killedAt, ownedAt time.Duration
	for _, e := range h.Events {
		switch v := e.Value.(type) {
		case *history.FaultDone:
			if v.Fault == "kill" && v.Phase == "done" {
				killedAt = time.Duration(e.Time)
				if !strings.Contains(v.Proof, `"client":"a/1"`) {
					t.Errorf("after the kill the coordinator did not list a any more: %s", v.Proof)
				}
			}
		case *history.PointReached:
			if v.Point == "assigned" && e.Process == "b/1" {
				ownedAt = time.Duration(e.Time)
			}
		}
	}
	took := ownedAt - killedAt
	if took < k.ownsAfter-k.heartbeat-50*time.Millisecond || took > k.ownsAfter+late {
		t.Errorf("b owned %s after the kill of a; with a session of %s and a rebalance time-out of %s it should after about %s",
			took, k.session, k.pollLimit, k.ownsAfter)
	}
	t.Logf("b owned %s after the kill of a", took)
}
