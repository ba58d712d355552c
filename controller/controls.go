package controller

import (
	"context"
	"fmt"
	"slices"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// Control is what shows one guard at work: a scenario that comes out as it states with the guard, and in which a property
// fails without it. A guard that nothing shows is one that nobody knows to work.
type Control struct {
	Guard, Arm string
	// Also are guards that are off in both runs: each of them would do this one's work in the scenario.
	Also     []string
	Scenario string
	// Property is one that must fail without the guard; others may fail with it.
	Property string
}

// Controls are all controls, in the order of the guards.
func Controls() []Control {
	const cas, casPersist, lww = persistence.CassandraCAS, persistence.CassandraCASPersist, persistence.CassandraLWW
	return []Control{
		{Guard: persistence.ReplayFilter, Arm: cas, Scenario: "zombie-ahead", Property: checker.DurableFold},
		{Guard: persistence.ReplayFilter, Arm: casPersist, Scenario: "lost-answer", Property: checker.DurableFold},
		{Guard: persistence.ReplayFilter, Arm: lww, Scenario: "lost-answer", Property: checker.DurableFold},
		{Guard: persistence.MonotoneBuffer, Arm: cas, Scenario: "replay-window", Property: checker.Progress},
		{Guard: persistence.TombstoneFloor, Arm: cas, Scenario: "replay-window", Property: checker.Progress},
		{Guard: persistence.PersistCondition, Arm: cas, Scenario: "stale-periodic-flush", Property: checker.NoStaleOverwrite},
		{Guard: persistence.PersistCondition, Arm: casPersist, Scenario: "stale-revoke-flush", Property: checker.NoStaleOverwrite},
		{Guard: persistence.FirstWrite, Arm: cas, Scenario: "late-first-write", Property: checker.NoStaleOverwrite},
		{Guard: persistence.FirstWrite, Arm: casPersist, Scenario: "late-first-write", Property: checker.NoStaleOverwrite},
		{Guard: persistence.Repair, Arm: cas, Scenario: "expired-tombstone", Property: checker.Progress},
		{Guard: persistence.Repair, Arm: casPersist, Scenario: "expired-state", Property: checker.Progress},
		{Guard: persistence.DeleteCondition, Arm: cas, Scenario: "stale-delete", Property: checker.SingleWriter},
		{Guard: persistence.TombstoneGuard, Arm: cas, Scenario: "zombie-revives-deleted-key", Property: checker.DurableFold},
		{Guard: persistence.NeverPersisted, Arm: cas, Scenario: "zombie-revives-never-persisted", Property: checker.DurableFold},
		{Guard: persistence.JournalFloorFilter, Arm: cas, Scenario: "journal-residue", Property: checker.DurableFold},
		// The filter alone does the work of the other two: with it no recovery comes to less than its row.
		{Guard: persistence.MonotoneInit, Arm: cas, Also: []string{persistence.JournalFloorFilter},
			Scenario: "residue-below-tombstone", Property: checker.Progress},
		{Guard: persistence.JournalOrder, Arm: cas, Also: []string{persistence.JournalFloorFilter, persistence.MonotoneInit},
			Scenario: "killed-amid-flush", Property: checker.Progress},
		{Guard: persistence.SerialFlush, Arm: cas, Scenario: "fold-during-flush", Property: checker.NoLeap},
		{Guard: persistence.SerialFlush, Arm: casPersist, Scenario: "fold-during-flush", Property: checker.NoLeap},
		{Guard: persistence.SerialFlush, Arm: lww, Scenario: "fold-during-flush", Property: checker.NoLeap},
		{Guard: persistence.PersistErrors, Arm: cas, Scenario: "failed-persist", Property: checker.NoLeap},
		{Guard: persistence.PersistErrors, Arm: casPersist, Scenario: "failed-persist", Property: checker.NoLeap},
		{Guard: persistence.PersistErrors, Arm: lww, Scenario: "failed-persist", Property: checker.NoLeap},
	}
}

// Prevents says what the guard prevents.
func (c Control) Prevents() string {
	g, _ := persistence.FindGuard(c.Guard)
	return g.Prevents
}

// Command is the command that repeats the run without the guard.
func (c Control) Command(kind string) string {
	s := fmt.Sprintf("chaos run %s --arm %s", c.Scenario, c.Arm)
	if kind != "sim" {
		s += " --cluster " + kind
	}
	for _, g := range append(slices.Clone(c.Also), c.Guard) {
		s += " --without " + g
	}
	return s
}

// Showing is what came of a control on a cluster.
type Showing struct {
	Control
	// With and Without are the verdicts of the two runs.
	With, Without Verdict
}

// Held tells whether the run with the guard came out as the scenario states.
func (s Showing) Held() bool { return s.With.Expected }

// Shown tells whether the guard was seen at work: it held with it, and what must fail without it did.
func (s Showing) Shown() bool {
	return s.Held() && s.Without.Exit() == ExitDeviates && slices.Contains(s.Without.Failing(), s.Property)
}

// Exit is the exit code of a control. A run that came out as stated though the guard was away is a deviation too.
func (s Showing) Exit() int {
	switch {
	case s.Shown():
		return ExitExpected
	case !s.Held():
		return s.With.Exit()
	}
	return ExitDeviates
}

// Show runs a control on a cluster, in memory: a run to look at is made by its Command.
func (c Control) Show(ctx context.Context, on cluster.Cluster, seed int64) (Showing, error) {
	out := Showing{Control: c}
	s, err := scenarios.Find(c.Scenario, Vocabulary())
	if err != nil {
		return out, err
	}
	if out.With, err = c.run(ctx, on, s, seed, c.Also); err != nil {
		return out, err
	}
	out.Without, err = c.run(ctx, on, s, seed, append(slices.Clone(c.Also), c.Guard))
	return out, err
}

// run does one of the two runs. What the scenario states is of the whole arm; an arm that lacks a guard which this one
// does the work of must hold.
func (c Control) run(ctx context.Context, on cluster.Cluster, s *scenarios.Scenario, seed int64, without []string) (Verdict, error) {
	arm, err := persistence.NewArm(c.Arm, without)
	if err != nil {
		return Verdict{}, err
	}
	e, ok := s.Expectation(c.Arm)
	if !ok {
		return Verdict{}, fmt.Errorf("%s states nothing of %s", s.Name, c.Arm)
	}
	if len(c.Also) > 0 {
		e = scenarios.Expectation{Arm: c.Arm, Holds: true}
	}
	j := NewJob(s, arm, seed)
	m := history.NewMemory(j.Header(on.Facts()))
	if err := Execute(ctx, j, on, m); err != nil {
		return Verdict{}, fmt.Errorf("%s under %s without %v: %w", s.Name, c.Arm, without, err)
	}
	return Judge(&m.History, e), nil
}

// ShowAll runs all controls on one cluster, one after another. An error is the rig's own; what was shown before it is
// returned all the same.
func ShowAll(ctx context.Context, open func(context.Context) (cluster.Cluster, error), seed int64, progress func(string)) (
	shown []Showing, facts history.ClusterFacts, err error,
) {
	err = onCluster(ctx, open, func(on cluster.Cluster) error {
		facts = on.Facts()
		for _, c := range Controls() {
			if ctx.Err() != nil {
				return fmt.Errorf("%s was not shown: %w", c.Guard, context.Cause(ctx))
			}
			progress(fmt.Sprintf("%s of %s: %s", c.Guard, c.Arm, c.Scenario))
			s, err := c.Show(ctx, on, seed)
			if err != nil {
				return err
			}
			shown = append(shown, s)
		}
		return nil
	})
	return shown, facts, err
}
