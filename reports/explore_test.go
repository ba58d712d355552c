package reports

import (
	"strings"
	"testing"
	"time"
)

// A search is told by its answer, then by what it found, each with the command that replays it.
func TestExplored(t *testing.T) {
	stale := Finding{
		Arm: "cassandra/lww", Property: "no-stale-overwrite", Kind: "fail", Allowed: true, Count: 4, Seed: 2,
		Sentence: "acct-3 had reached @6 (by b/2) when balance 415.09 of 2 events @2 was stored with the greatest timestamp.",
		Also:     []string{"single-writer", "no-leap"}, Again: "chaos run overlap-random --arm cassandra/lww --seed 2",
		Folder: "runs/x/overlap-random.cassandra-lww.sim.seed-2",
	}
	hole := stale
	hole.Arm, hole.Without, hole.Allowed, hole.Count = "cassandra/cas", []string{"persist-condition"}, false, 1
	broken := Finding{
		Arm: "cassandra/cas", Kind: "rig", Count: 1, Seed: 9, Sentence: "the simulation is stuck: every process waits\na stack",
		Again: "chaos run overlap-random --arm cassandra/cas --seed 9",
	}
	undecided := Finding{Arm: "cassandra/cas", Property: "linearizable", Kind: "unknown", Count: 3, Seed: 11,
		Sentence: "too many orders",
		Again:    "chaos run overlap-random --arm cassandra/cas --seed 11"}
	search := func(broken string, findings ...Finding) Search {
		return Search{
			Scenario: "overlap-random", Arms: []string{"cassandra/lww", "cassandra/cas"},
			On: []string{"sim", "sim pct"}, From: 1, Runs: 400, Of: 400, Took: 2 * time.Second, Findings: findings,
			Broken: broken,
		}
	}
	for name, s := range map[string]Search{
		"explore-nothing":     search(""),
		"explore-allowed":     search("", stale),
		"explore-found":       search("", hole, broken, undecided, stale),
		"explore-interrupted": search("seed 17 was not begun: interrupted", stale),
	} {
		var b strings.Builder
		Explored(&b, s)
		t.Run(name, func(t *testing.T) { golden(t, name, b.String()) })
	}
}
