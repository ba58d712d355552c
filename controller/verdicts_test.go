package controller_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// stated fails the test when a run did not come out as its scenario states.
func stated(t testing.TB, s *scenarios.Scenario, h *history.History) controller.Verdict {
	t.Helper()
	e, ok := s.Expectation(h.Header.Arm)
	if !ok {
		t.Fatalf("%s states nothing of %s", s.Name, h.Header.Arm)
	}
	v := controller.Judge(h, e)
	for _, d := range v.Deviations {
		t.Errorf("%s under %s, seed %d: %s", s.Name, h.Header.Arm, h.Header.Seed, d.Text)
	}
	if n := failedLives(h); slices.Contains(racing, s.Name) && n > mostFailedLives {
		t.Errorf("%s under %s, seed %d: %d lives ended by errors of their own", s.Name, h.Header.Arm, h.Header.Seed, n)
	}
	for _, m := range v.Requires {
		if !m.Met {
			t.Errorf("%s under %s, seed %d: requires %s: %s", s.Name, h.Header.Arm, h.Header.Seed, m.Requirement, m.Missing)
		}
	}
	return v
}

// failedLives counts the lives that ended by an error of their own.
func failedLives(h *history.History) int {
	n := 0
	for _, e := range h.Events {
		if v, ok := e.Value.(*history.LifeEvent); ok && v.Status == "failed" {
			n++
		}
	}
	return n
}

// TestCatalogue runs every scenario under every arm in the simulator.
func TestCatalogue(t *testing.T) {
	for _, s := range runtest.Catalogue(t) {
		for _, arm := range s.Arms() {
			t.Run(s.Name+"/"+arm, func(t *testing.T) { stated(t, s, runtest.Execute(t, sim.Cluster{}, s, arm, 1)) })
		}
	}
}

// sixBroken are the properties that a stale flush breaks when nothing stops it.
var sixBroken = []string{
	"no-stale-overwrite", "durable-fold", "recovery-cut", "recovery-complete", "no-leap", "single-writer",
}

// sevenBroken are those that it breaks when the arm has lost the guard that should have: it promised a register too.
var sevenBroken = append(slices.Clone(sixBroken), "linearizable")

// witnessShape is the witness of the damage, which is the same under every arm, without what differs from run to run: lines
// and member ids.
func witnessShape(v controller.Verdict) string {
	var b strings.Builder
	for _, name := range sixBroken {
		p, _ := v.Report().Property(name)
		for _, w := range p.Witness {
			fmt.Fprintf(&b, "%s: %s\n", p.Property, w.Text)
		}
	}
	return b.String()
}

// checkDamage looks at what the stale flush did: a's @5 over b's 9, events 7 to 10 gone, and the money that the input
// says they were worth.
func checkDamage(t testing.TB, s *scenarios.Scenario, h *history.History, v controller.Verdict, broken []string) {
	t.Helper()
	if got := v.Failing(); !slices.Equal(got, broken) {
		t.Errorf("failing are %v, not %v", got, broken)
	}
	in := workload.NewInput(s.Partitions, s.Keys, s.Stages, h.Header.Seed)
	lost := in.Events(7, 7)[0].Event.Amount
	for _, e := range in.Events(8, 10) {
		lost = lost.Add(e.Event.Amount)
	}
	fold, _ := v.Report().Property(checker.DurableFold)
	for _, want := range []string{"events 7 to 10 lost", "short by " + lost.StringFixed(2)} {
		if !strings.Contains(fold.Summary, want) {
			t.Errorf("durable-fold says %q, without %q", fold.Summary, want)
		}
	}
	stale, _ := v.Report().Property(checker.NoStaleOverwrite)
	if len(stale.Witness) != 2 {
		t.Fatalf("the witness of no-stale-overwrite has %d events: %v", len(stale.Witness), stale.Witness)
	}
	newer, older := h.Events[stale.Witness[0].Index], h.Events[stale.Witness[1].Index]
	if newer.Process != "b/1" || newer.Value.(*history.Write).Offset != 9 ||
		older.Process != "a/1" || older.Value.(*history.Write).Offset != 5 {
		t.Errorf("the witness is %v, not a's @5 over b's @9", stale.Witness)
	}
}

// TestDamage looks at the witness of the stale flush, with two inputs.
func TestDamage(t *testing.T) {
	s := runtest.Find(t, "stale-periodic-flush")
	var money []string
	for _, seed := range []int64{1, 2} {
		h := runtest.Execute(t, sim.Cluster{}, s, persistence.CassandraLWW, seed)
		v := stated(t, s, h)
		checkDamage(t, s, h, v, sixBroken)
		fold, _ := v.Report().Property(checker.DurableFold)
		money = append(money, fold.Summary)
	}
	if money[0] == money[1] {
		t.Errorf("two inputs lose the same money: %s", money[0])
	}
}

// TestWithoutPersistCondition takes the condition from the fence: then the same breaks, by the same witness, as without
// any fence, and with it the promise that each key is one register.
func TestWithoutPersistCondition(t *testing.T) {
	s := runtest.Find(t, "stale-periodic-flush")
	h := runtest.Execute(t, sim.Cluster{}, s, persistence.CassandraCAS, 1, persistence.PersistCondition)
	e, _ := s.Expectation(persistence.CassandraCAS)
	v := controller.Judge(h, e)
	if v.Exit() != controller.ExitDeviates {
		t.Errorf("exit %d, not %d", v.Exit(), controller.ExitDeviates)
	}
	checkDamage(t, s, h, v, sevenBroken)
	plain := runtest.Execute(t, sim.Cluster{}, s, persistence.CassandraLWW, 1)
	lww, _ := s.Expectation(persistence.CassandraLWW)
	if a, b := witnessShape(v), witnessShape(controller.Judge(plain, lww)); a != b {
		t.Errorf("the witness without the condition:\n%s\nthat of last-write-wins:\n%s", a, b)
	}
}

// TestStoresKeepTheirPromise: each arm's own promise is judged in every scenario, and only there. A change of an arm's name
// would else make it not applicable, and nobody would notice.
func TestStoresKeepTheirPromise(t *testing.T) {
	for _, c := range []struct {
		arm    string
		judged string
		not    string
	}{
		{persistence.CassandraLWW, checker.LWWRegister, checker.Linearizable},
		{persistence.CassandraCASPersist, checker.Linearizable, checker.LWWRegister},
		{persistence.CassandraCAS, checker.Linearizable, checker.LWWRegister},
	} {
		v := controller.Judge(runtest.Execute(t, sim.Cluster{}, runtest.Find(t, "stale-periodic-flush"), c.arm, 1),
			scenarios.Expectation{})
		judged, _ := v.Report().Property(c.judged)
		not, _ := v.Report().Property(c.not)
		if judged.Verdict != checker.Pass || not.Verdict != checker.NotApplicable {
			t.Errorf("%s: %s is %s, and %s is %s", c.arm, c.judged, judged.Verdict, c.not, not.Verdict)
		}
	}
	h := runtest.Execute(t, sim.Cluster{}, runtest.Find(t, "calm"), persistence.CassandraCAS, 1, persistence.TombstoneGuard)
	if p, _ := controller.Judge(h, scenarios.Expectation{}).Report().Property(checker.Linearizable); p.Verdict != checker.Pass {
		t.Errorf("without tombstones a delete removes the row, and that is no register any more: %s", p.Summary)
	}
}

// TestAudit: what came of the late writes of some scenarios. Luck is called luck.
func TestAudit(t *testing.T) {
	for _, c := range []struct {
		scenario, arm string
		fate          checker.Fate
	}{
		{"stale-periodic-flush", persistence.CassandraLWW, checker.LandedHarmful},
		{"stale-periodic-flush", persistence.CassandraCAS, checker.RefusedByCondition},
		{"stale-delete", persistence.CassandraCASPersist, checker.LandedHarmful},
		{"overwritten-in-time", persistence.CassandraLWW, checker.HarmlessByLuck},
		{"overwritten-in-time", persistence.CassandraCAS, checker.RefusedByCondition},
		{"zombie-equal", persistence.CassandraLWW, checker.LandedHarmless},
		{"zombie-ahead", persistence.CassandraCAS, checker.LandedHarmless},
	} {
		a := controller.Judge(runtest.Execute(t, sim.Cluster{}, runtest.Find(t, c.scenario), c.arm, 1),
			scenarios.Expectation{}).Audit
		if len(a.Entries) != 1 || a.Counts[c.fate] != 1 {
			t.Errorf("%s under %s: %s, %+v", c.scenario, c.arm, a.Told(), a.Entries)
		}
	}
	a := controller.Judge(runtest.Execute(t, sim.Cluster{}, runtest.Find(t, "zombie-ahead"), persistence.CassandraCAS,
		1), scenarios.Expectation{}).Audit
	if a.Owners[checker.RefusedByCondition] != 1 {
		t.Errorf("the rightful owner was refused once: %v", a.Owners)
	}
}

// TestRecoveriesAreLoud: each recovery states by when it has to be answered, and is.
func TestRecoveriesAreLoud(t *testing.T) {
	s := runtest.Find(t, "stale-periodic-flush")
	h := runtest.Execute(t, sim.Cluster{}, s, persistence.CassandraCAS, 1)
	if p, _ := controller.Judge(h, scenarios.Expectation{}).Report().Property(checker.Loud); p.Verdict != checker.Pass || p.Counts["recoveries"] != 3 {
		t.Errorf("%s: %s %v", p.Verdict, p.Summary, p.Counts)
	}
	for _, e := range h.Events {
		v, ok := e.Value.(*history.Recovery)
		if !ok || e.Type != history.Invoke {
			continue
		}
		at := slices.IndexFunc(s.Workers, func(c workload.Config) bool { return c.Name == history.WorkerOf(e.Process) })
		limit := s.Workers[at].Member.MaxPollInterval
		if left := time.Duration(v.Deadline.N - e.Time); !v.Deadline.Known || left <= limit-100*time.Millisecond || left > limit {
			t.Errorf("%s has %s left to poll, of %s", e, left, limit)
		}
	}
}

// TestFence looks at what the fence did: the eviction proved, the stale write refused by the row, which named 9.
func TestFence(t *testing.T) {
	s := runtest.Find(t, "stale-periodic-flush")
	h := runtest.Execute(t, sim.Cluster{}, s, persistence.CassandraCAS, 1)
	stated(t, s, h)
	checkFence(t, h)
}

func checkFence(t testing.TB, h *history.History) {
	t.Helper()
	refused, evicted := false, false
	for _, e := range h.Events {
		switch v := e.Value.(type) {
		case *history.Write:
			if e.Type == history.Fail && e.Process == "a/1" {
				refused = v.Code == history.CodeCondition && v.Offset == 5 && v.Stored == history.Some(9)
			}
		case *history.Eviction:
			evicted = v.Target == "a" && strings.Contains(v.Proof, `"members":[]`)
		}
	}
	if !refused {
		t.Error("a's stale write was not refused by the row's condition, stored 9")
	}
	if !evicted {
		t.Error("there is no raw answer of the coordinator that lists no member, as the proof of a's eviction")
	}
}
