package reports

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A soak is told by its answer, its numbers, and what it found, for a terminal and in Markdown.
func TestSoak(t *testing.T) {
	soak := func(findings ...Finding) Soak {
		return Soak{
			Scenarios: []string{"calm", "stale-delete", "stale-periodic-flush"}, Arms: 9, On: "sim", From: 1000,
			To: 1041, Last: 4, Runs: 373,
			Took: 10*time.Minute + 30*time.Millisecond, Allowed: 2, Findings: findings, Folder: "nightly/2026-01-31",
			Again: "chaos soak --for 10m0s --seed 1000",
		}
	}
	stale := Finding{
		Arm: "cassandra/cas", Property: "no-stale-overwrite", Kind: "fail", Count: 4,
		Scenarios: []string{"stale-delete", "stale-periodic-flush"},
		Seed:      1002, Sentence: "acct-3 had reached @6 (by b/2) when balance 415.09 of 2 events @2 was stored with the greatest timestamp.",
		Also: []string{"single-writer", "no-leap"}, Again: "chaos run stale-delete --arm cassandra/cas --seed 1002",
		Folder: "nightly/2026-01-31/stale-delete.cassandra-cas.sim.seed-1002",
	}
	broken := Finding{
		Arm: "cassandra/lww", Kind: "rig", Count: 1, Scenarios: []string{"calm"}, Seed: 1009,
		Sentence: "the simulation is stuck\na stack",
		Again:    "chaos run calm --arm cassandra/lww --seed 1009",
	}
	found := soak(stale, broken)
	found.Failures, found.Rig = 4, 1
	cut := soak()
	cut.Scenarios, cut.Arms, cut.Last, cut.Broken = []string{"calm"}, 3, 3, "calm with seed 1042 was not begun: context canceled"
	many := soak()
	for i := range mostTold + 2 {
		f := broken
		f.Seed = int64(i)
		many.Findings = append(many.Findings, f)
	}
	for name, s := range map[string]Soak{"nothing": soak(), "found": found, "interrupted": cut, "many": many} {
		t.Run(name, func(t *testing.T) {
			var text, page strings.Builder
			s.Terminal(&text)
			s.Markdown(&page)
			golden(t, "soak-"+name, text.String())
			compareWith(t, "soak-"+name+".md", page.String())
			if told := strings.Count(text.String(), "again:") - 1; told != min(len(s.Findings), mostTold) {
				t.Errorf("%d findings are told of %d", told, len(s.Findings))
			}
		})
	}
	if got, want := many.more(), fmt.Sprintf("%d more kinds", 2); !strings.HasPrefix(got, want) {
		t.Errorf("%s", got)
	}
}
