package controller_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/workload/persistence"
)

// guards shows each guard at work on a cluster.
func guards(t *testing.T, on cluster.Cluster) {
	for _, c := range controller.Demonstrations() {
		t.Run(strings.Join(append([]string{c.Arm, "without", c.Guard}, c.Also...), " "), func(t *testing.T) {
			s, err := c.Show(t.Context(), on, 1)
			switch {
			case err != nil:
				t.Fatal(err)
			case !s.Held():
				t.Errorf("with it: %v", s.With.Deviations)
			case !s.Shown():
				t.Errorf("%s: exit %d, failing %v, not %s", c.Command(on.Facts().Kind), s.Without.Exit(),
					s.Without.Failing(), c.Property)
			}
		})
	}
}

func TestGuards(t *testing.T)           { guards(t, sim.Cluster{}) }
func TestContainersGuards(t *testing.T) { guards(t, containerstest.Open(t)) }

// TestEveryGuardIsShown: a guard of an arm whose loss no scenario shows is one that nobody knows to work there.
func TestEveryGuardIsShown(t *testing.T) {
	for _, g := range persistence.Guards() {
		for _, arm := range g.Arms {
			shown := slices.ContainsFunc(controller.Demonstrations(),
				func(c controller.Demonstration) bool { return c.Guard == g.Name && c.Arm == arm })
			if !shown {
				t.Errorf("%s of %s is not shown", g.Name, arm)
			}
		}
	}
	for _, c := range controller.Demonstrations() {
		if g, _ := persistence.FindGuard(c.Guard); !slices.Contains(g.Arms, c.Arm) {
			t.Errorf("%s has no guard %s", c.Arm, c.Guard)
		}
	}
}

// TestShowing: what is not shown is a deviation, whichever of the two runs it is.
func TestShowing(t *testing.T) {
	c := controller.Demonstration{Guard: persistence.PersistCondition, Arm: persistence.CassandraCAS,
		Scenario: "stale-periodic-flush", Property: "no-leap"}
	s, err := c.Show(t.Context(), sim.Cluster{}, 1)
	if err != nil || !s.Shown() || s.Exit() != controller.ExitExpected || !slices.Equal(s.Without.Failing(), sevenBroken) {
		t.Errorf("%v: shown %v, exit %d, failing %v", err, s.Shown(), s.Exit(), s.Without.Failing())
	}
	other := s
	other.Property = "progress"
	if other.Shown() || other.Exit() != controller.ExitDeviates {
		t.Errorf("a property that did not fail: shown %v, exit %d", other.Shown(), other.Exit())
	}
	swapped := s
	swapped.With, swapped.Without = s.Without, s.With
	if swapped.Shown() || swapped.Exit() != controller.ExitDeviates {
		t.Errorf("it failed with the guard: shown %v, exit %d", swapped.Shown(), swapped.Exit())
	}
}
