package reports

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
)

// side puts runs side by side.
func side(broken string, runs ...Run) Comparison {
	return Compare(Batch{
		Scenario: "late-flush", About: "An owner is evicted, and its next flush lands late.", Cluster: "sim", Seed: 1, Runs: runs,
		Took: 60 * time.Millisecond, Folder: "runs/1", Again: "chaos run late-flush", Broken: broken,
	})
}

// onServers is the same comparison of runs on servers, where time is worth a ratio.
func onServers(c Comparison) Comparison {
	c.Cluster.Kind = "containers"
	return c
}

func sideText(c Comparison) string {
	var b strings.Builder
	c.Terminal(&b, []string{"chaos compare late-flush --cluster containers"})
	return b.String()
}

// as is a run as one under another arm, or with another seed.
func as(r Run, arm string, seed int64) Run {
	h := *r.History
	h.Header.Arm, h.Header.Seed = arm, seed
	r.Arm, r.History = arm, &h
	return r
}

// TestComparison has golden files for three comparisons, and looks at what is special about others.
func TestComparison(t *testing.T) {
	violates, holds := checker.Expectation{Violates: six}, checker.Expectation{}
	broke, held := ran(t, corrupted(lww, false), violates), ran(t, fended(cas), holds)
	wide := []Run{broke, held}
	for _, arm := range []string{"cassandra/cas-persist", "cassandra/journal", "cassandra/cas-journal"} {
		wide = append(wide, as(held, arm, 1))
	}
	for name, c := range map[string]Comparison{
		"compare":      side("", broke, held),
		"compare-odd":  side("", broke, ran(t, corrupted(cas, true), holds)),
		"compare-wide": side("", wide...),
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, sideText(c)) })
	}
	for _, c := range []struct {
		name string
		of   Comparison
		want []string
	}{
		{"several seeds", side("", broke, held, as(broke, lww.Arm, 2), as(held, cas.Arm, 2)), []string{
			"AS EXPECTED: corrupted in 2 of 2 runs under cassandra/lww; not corrupted under cassandra/cas\n", "seeds 1 to 2\n",
			"  events lost · money off   4 · 180.00 ", "    at the worst moment     2 · 90.00 ",
		}},
		{"the rig failed", side("the cluster is gone", broke), []string{"THE RIG FAILED after 1 run: the cluster is gone; corrupted under cassandra/lww\n"}},
		{"no last-write-wins arm", onServers(side("", held, as(held, "cassandra/cas-persist", 1))), []string{
			"AS EXPECTED: not corrupted under cassandra/cas, cassandra/cas-persist\n", "  throughput vs the first   1.00 ",
		}},
		{"one of several seeds", side("", broke, held, as(broke, lww.Arm, 2), as(ran(t, corrupted(cas, true), holds), cas.Arm, 2)), []string{
			"NOT AS EXPECTED: corrupted in 2 of 2 runs under cassandra/lww; corrupted in 1 of 2 runs under\n",
			"    no-leap                 FAIL                1 FAIL, 1 pass\n", "  cassandra/cas, seed 2: a's persist @2 replaced b's @4",
			"  again: chaos run late-flush --arm cassandra/cas --seed 2\n",
		}},
		{"a history that was cut", side("", broke, ran(t, cut(cas), holds)), []string{
			"UNKNOWN: corrupted under cassandra/lww; undecided (", "  as the scenario states    yes                  NO: 0 of 1\n",
			"  events lost · money off   2 · 90.00 (line 80)  -\n", "  cassandra/cas, seed 1: could not be decided: ",
			"  again: chaos run late-flush --arm cassandra/cas --seed 1\n",
		}},
	} {
		for _, want := range c.want {
			if text := sideText(c.of); !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, text)
			}
		}
	}
	var b strings.Builder
	side("", broke, held).Markdown(&b)
	compareWith(t, "compare.md", b.String())
}

// TestComparisonNumbers: what the table says, as numbers.
func TestComparisonNumbers(t *testing.T) {
	violates, holds := checker.Expectation{Violates: six}, checker.Expectation{}
	broke, held := ran(t, corrupted(lww, false), violates), ran(t, fended(cas), holds)
	c := side("", broke, held, as(broke, lww.Arm, 2), as(ran(t, corrupted(cas, true), holds), cas.Arm, 2))
	l, f := c.Arms[0], c.Arms[1]
	if l.Arm != lww.Arm || l.Runs != 2 || l.Corrupted != 2 || l.AsStated != 2 || f.Corrupted != 1 || f.AsStated != 1 {
		t.Errorf("%+v\n%+v", l, f)
	}
	// Events 4 and 5, worth 90.00, are lost in each of the corrupted runs.
	if l.Measures.AtEnd.Lost != 4 || l.Measures.AtEnd.Off.StringFixed(2) != "180.00" || f.Measures.AtEnd.Lost != 2 {
		t.Errorf("lost %+v, %+v", l.Measures.AtEnd, f.Measures.AtEnd)
	}
	if got := f.Properties[checker.NoLeap]; got[checker.Pass] != 1 || got[checker.Fail] != 1 {
		t.Errorf("no-leap: %v", got)
	}
	if l.Late[checker.LandedHarmful] != 2 || f.Late[checker.RefusedByCondition] != 1 || f.Late[checker.LandedHarmful] != 1 {
		t.Errorf("late: %v, %v", l.Late, f.Late)
	}
	if f.Versus != lww.Arm || l.Throughput != 1 || l.WriteTime != 1 || f.Throughput <= 0 {
		t.Errorf("against %s: %v %v %v", f.Versus, l.Throughput, l.WriteTime, f.Throughput)
	}
	for i, r := range c.Runs {
		if r.Arm != c.batch.Runs[i].Arm || r.Seed != int64(i/2+1) || r.Folder == "" {
			t.Errorf("run %d: %+v", i, r)
		}
	}
	b, err := json.Marshal(c)
	if err != nil || !strings.HasPrefix(string(b), `{"schema":1,"scenario":"late-flush",`) {
		t.Errorf("%v: %.80s", err, b)
	}
}

// TestRatioOfNothing: of an arm that wrote nothing there is no ratio.
func TestRatioOfNothing(t *testing.T) {
	tp := newTape(cas)
	tp.ends(-1, -1, nil, history.Ending{Reason: "nothing was tried"})
	c := side("", ran(t, corrupted(lww, false), checker.Expectation{Violates: six}), ran(t, &tp.History, checker.Expectation{}))
	if a := c.Arms[1]; a.Throughput != 0 || a.WriteTime != 0 {
		t.Errorf("%+v", a)
	}
	var b strings.Builder
	c.Terminal(&b, nil)
	for _, bad := range []string{"NaN", "Inf"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%s in\n%s", bad, b.String())
		}
	}
}
