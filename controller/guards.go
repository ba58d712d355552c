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

// Demonstration is what shows one guard at work: a scenario that comes out as it states with the guard, and in which a property
// fails without it. A guard that nothing shows is one that nobody knows to work.
type Demonstration struct {
	Guard, Arm string
	// Also are guards that are off in both runs: each of them would do this one's work in the scenario.
	Also     []string
	Scenario string
	// Property is one that must fail without the guard; others may fail with it.
	Property string
}

// Demonstrations are all of them, in the order of the guards.
func Demonstrations() []Demonstration {
	const cas, casPersist, lww = persistence.CassandraCAS, persistence.CassandraCASPersist, persistence.CassandraLWW
	return []Demonstration{
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
		// The filter alone does the work of the other three: with it no recovery comes to less than its row.
		{Guard: persistence.JournalFloor, Arm: cas, Also: []string{persistence.JournalFloorFilter},
			Scenario: "journal-revived", Property: checker.DurableFold},
		{Guard: persistence.MonotoneInit, Arm: cas, Also: []string{persistence.JournalFloorFilter, persistence.JournalFloor},
			Scenario: "residue-below-tombstone", Property: checker.Progress},
		{Guard: persistence.JournalOrder, Arm: cas, Also: []string{persistence.JournalFloorFilter, persistence.JournalFloor, persistence.MonotoneInit},
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
func (d Demonstration) Prevents() string {
	g, _ := persistence.FindGuard(d.Guard)
	return g.Prevents
}

// Command is the command that repeats the run without the guard.
func (d Demonstration) Command(kind string) string {
	return CommandWithout(d.Scenario, d.Arm, kind, append(slices.Clone(d.Also), d.Guard))
}

// CommandWithout is the command that runs a scenario under an arm that lacks guards, on a kind of cluster.
func CommandWithout(scenario, arm, kind string, guards []string) string {
	s := fmt.Sprintf("chaos run %s --arm %s", scenario, arm)
	if kind != "sim" {
		s += " --cluster " + kind
	}
	for _, g := range guards {
		s += " --without " + g
	}
	return s
}

// Showing is what came of a demonstration on a cluster.
type Showing struct {
	Demonstration
	// With and Without are the verdicts of the two runs.
	With, Without Verdict
}

// Held tells whether the run with the guard came out as the scenario states.
func (s Showing) Held() bool { return s.With.Expected }

// Shown tells whether the guard was seen at work: it held with it, and what must fail without it did.
func (s Showing) Shown() bool {
	return s.Held() && s.Without.Exit() == ExitDeviates && slices.Contains(s.Without.Failing(), s.Property)
}

// Exit is the exit code of a demonstration. A run that came out as stated though the guard was away is a deviation too.
func (s Showing) Exit() int {
	switch {
	case s.Shown():
		return ExitExpected
	case !s.Held():
		return s.With.Exit()
	}
	return ExitDeviates
}

// Show runs a demonstration on a cluster, in memory: a run to look at is made by its Command.
func (d Demonstration) Show(ctx context.Context, on cluster.Cluster, seed int64) (Showing, error) {
	out := Showing{Demonstration: d}
	s, err := scenarios.Find(d.Scenario, Vocabulary())
	if err != nil {
		return out, err
	}
	if out.With, err = d.run(ctx, on, s, seed, d.Also); err != nil {
		return out, err
	}
	out.Without, err = d.run(ctx, on, s, seed, append(slices.Clone(d.Also), d.Guard))
	return out, err
}

// run does one of the two runs. What the scenario states is of the whole arm; an arm that lacks a guard which this one
// does the work of must hold.
func (d Demonstration) run(ctx context.Context, on cluster.Cluster, s *scenarios.Scenario, seed int64,
	without []string) (Verdict, error) {
	arm, err := persistence.NewArm(d.Arm, without)
	if err != nil {
		return Verdict{}, err
	}
	e, ok := s.Expectation(d.Arm)
	if !ok {
		return Verdict{}, fmt.Errorf("%s states nothing of %s", s.Name, d.Arm)
	}
	if len(d.Also) > 0 {
		e = scenarios.Expectation{Arm: d.Arm, Holds: true}
	}
	j := NewJob(s, arm, seed)
	m := history.NewMemory(j.Header(on.Facts()))
	if err := Execute(ctx, j, on, m); err != nil {
		return Verdict{}, fmt.Errorf("%s under %s without %v: %w", s.Name, d.Arm, without, err)
	}
	return Judge(&m.History, e), nil
}

// ShowAll runs all demonstrations on one cluster, one after another. An error is the rig's own; what was shown before it is
// returned all the same.
func ShowAll(ctx context.Context, open Opener, seed int64, progress func(string)) (
	shown []Showing, facts history.ClusterFacts, err error,
) {
	err = OnCluster(ctx, open, nil, func(on cluster.Cluster) error {
		facts = on.Facts()
		for _, d := range Demonstrations() {
			if ctx.Err() != nil {
				return fmt.Errorf("%s was not shown: %w", d.Guard, context.Cause(ctx))
			}
			progress(fmt.Sprintf("%s of %s: %s", d.Guard, d.Arm, d.Scenario))
			s, err := d.Show(ctx, on, seed)
			if err != nil {
				return err
			}
			shown = append(shown, s)
		}
		return nil
	})
	return shown, facts, err
}
