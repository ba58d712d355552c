package controller

import (
	"slices"
	"testing"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/workload/persistence"
)

// shown says, for each guard that can be taken away, a scenario that breaks without it and holds with it, and a property
// that breaks.
var shown = []struct{ arm, guard, scenario, property string }{
	{persistence.CassandraCAS, persistence.PersistCondition, "stale-periodic-flush", checker.NoStaleOverwrite},
	{persistence.CassandraCASPersist, persistence.PersistCondition, "stale-revoke-flush", checker.NoStaleOverwrite},
	{persistence.CassandraCAS, persistence.DeleteCondition, "stale-delete", checker.SingleWriter},
	{persistence.CassandraCAS, persistence.TombstoneGuard, "zombie-revives-deleted-key", checker.DurableFold},
	{persistence.CassandraCAS, persistence.NeverPersisted, "zombie-revives-never-persisted", checker.DurableFold},
	{persistence.CassandraCAS, persistence.ReplayFilter, "zombie-ahead", checker.DurableFold},
}

// guards shows each guard at work on a cluster.
func guards(t *testing.T, c cluster.Cluster) {
	for _, g := range shown {
		t.Run(g.arm+" without "+g.guard, func(t *testing.T) {
			s := find(t, g.scenario)
			stated(t, s, execute(t, c, s, g.arm, 1))
			e, _ := s.Expectation(g.arm)
			v := Judge(execute(t, c, s, g.arm, 1, g.guard), e)
			if v.Exit() != ExitDeviates || !slices.Contains(failing(v), g.property) {
				t.Errorf("%s under %s without %s: exit %d, failing %v, not %s", s.Name, g.arm, g.guard, v.Exit(), failing(v), g.property)
			}
		})
	}
}

func TestGuards(t *testing.T)           { guards(t, sim.Cluster{}) }
func TestContainersGuards(t *testing.T) { guards(t, containerstest.Open(t)) }

// TestEveryGuardIsShown: a guard that can be taken away, and whose loss no scenario shows, is one that nobody knows to work.
func TestEveryGuardIsShown(t *testing.T) {
	for _, g := range persistence.Arms()[2].Guards {
		is := slices.ContainsFunc(shown, func(s struct{ arm, guard, scenario, property string }) bool { return s.guard == g.Name })
		if is != g.Removable {
			t.Errorf("%s can be taken away: %v; a scenario shows it: %v", g.Name, g.Removable, is)
		}
	}
}
