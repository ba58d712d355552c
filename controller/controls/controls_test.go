package controls

import (
	"slices"
	"strings"
	"testing"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// control gives the control of that case.
func control(t *testing.T, name string) Control {
	t.Helper()
	all := All()
	i := slices.IndexFunc(all, func(c Control) bool { return c.Case == name })
	if i < 0 {
		t.Fatalf("no control %s", name)
	}
	return all[i]
}

func try(t *testing.T, c Control, base int64, workers int) Trial {
	t.Helper()
	came, err := c.Try(t.Context(), sim.Cluster{}, base, workers)
	if err != nil {
		t.Fatal(err)
	}
	return came
}

// Every control says why, has a scenario that leaves its plan to the seed, and is about something that can be seen.
func TestControlsAreInOrder(t *testing.T) {
	cases := map[string]bool{}
	for _, c := range All() {
		s, err := scenarios.Find(c.Scenario, controller.Vocabulary())
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.Case, err)
		case s.Random.Plan.Workers == 0 || s.Random.Input.Events == 0:
			t.Errorf("%s: somebody wrote what happens in %s", c.Case, s.Name)
		}
		if cases[c.Case] || c.Why == "" || c.Declared == "" || c.Seeds == 0 {
			t.Errorf("%+v", c)
		}
		if (c.Property == "") != (c.Shows.in != nil) || strings.HasPrefix(c.Declared, "HOLDS") == c.Searches() {
			t.Errorf("%s is declared %s, must show %q, and looks for %q", c.Case, c.Declared, c.Shows.says, c.Property)
		}
		if strings.Contains(c.Declared, "TEMPORAL") != (c.Property == checker.Progress) {
			t.Errorf("%s is declared %s, and judged by %s", c.Case, c.Declared, c.Property)
		}
		cases[c.Case] = true
	}
	all, err := scenarios.Controls(controller.Vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == "journal-cut" {
			continue // It is what the models leave out.
		}
		if !slices.ContainsFunc(All(), func(c Control) bool { return c.Scenario == s.Name }) {
			t.Errorf("no control searches %s", s.Name)
		}
	}
}

// What comes of a control does not depend on how many runs there are at a time, and its command shows it again.
func TestTryIsTheSameOnAnyCores(t *testing.T) {
	for _, name := range []string{"casfw_refines_vacuous", "sws_holds"} {
		c := control(t, name)
		c.Seeds = min(c.Seeds, 40)
		want := try(t, c, 2, 1)
		for _, workers := range []int{2, 7} {
			got := try(t, c, 2, workers)
			if got.Tried != want.Tried || got.Seed != want.Seed || got.Seen != want.Seen ||
				got.Sentence != want.Sentence || !got.AsExpected() {
				t.Errorf("with %d at a time: %+v; with one: %+v", workers, got.Told(), want.Told())
			}
		}
	}
	came := try(t, control(t, "casfw_refines_vacuous"), 2, 2)
	h := runtest.Execute(t, sim.Cluster{}, runtest.Find(t, came.Scenario), came.Arm, came.Seed, came.Off()...)
	if p, _ := checker.Check(h).Property(checker.Linearizable); p.Verdict != checker.Fail || p.Summary != came.Sentence {
		t.Errorf("%s: %s, not %s", came.Command(came.Seed), p.Summary, came.Sentence)
	}
}

// What does not come out as it must is told: a search in vain, one whose failure has nothing to do with the guard, a promise
// that is broken, and one that nothing had put to the test.
func TestTrialsThatAreNotAsExpected(t *testing.T) {
	never := sight{"never", func(*history.History, controller.Verdict) bool { return false }}
	for name, c := range map[string]struct {
		change func(*Control)
		found  string
		exit   int
	}{
		"in vain":            {func(c *Control) { c.Property = checker.Loud }, "NOT FOUND", controller.ExitDeviates},
		"for another reason": {func(c *Control) { c.Without, c.Also = []string{persistence.FirstWrite}, c.Without }, "NOT FOUND", controller.ExitDeviates},
		"broken":             {func(c *Control) { c.Property, c.Without, c.Also, c.Shows = "", nil, c.Without, lostFirst }, "BROKEN", controller.ExitDeviates},
		"nothing was tried":  {func(c *Control) { c.Property, c.Without, c.Shows = "", nil, never }, "VACUOUS", controller.ExitVacuous},
		"left out, not asked": {func(c *Control) {
			c.Property, c.Only, c.Without, c.Shows = "", []string{checker.LWWRegister}, nil, lostFirst
		}, "VACUOUS", controller.ExitVacuous},
		"as it is": {func(*Control) {}, "found", controller.ExitExpected},
	} {
		of := control(t, "casfw_unguarded")
		of.Seeds = 60
		c.change(&of)
		came := try(t, of, 1, 2)
		if told := came.Told(); told.Found != c.found || came.Exit() != c.exit || told.As != (c.exit == controller.ExitExpected) {
			t.Errorf("%s: %s, exit %d: %+v", name, told.Found, came.Exit(), told)
		}
	}
}
