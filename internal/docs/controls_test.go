package main

import (
	"runtime"
	"testing"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller/controls"
)

// boundedTo is how many seeds of a control that holds are run here: all of them are run by `make controls` and by the command.
const boundedTo = 60

// TestControls tries each control with the first base: it comes out as it must, and what searches ends with the seed that the
// page says. Of the other bases the page is believed.
func TestControls(t *testing.T) {
	said, err := readTried()
	if err != nil {
		t.Fatal(err)
	}
	all := controls.All()
	if len(all) != 28 || len(said.Of) != len(all) || len(said.Bases) < 6 || said.Bases[0] != 1 {
		t.Fatalf("%d controls; of %d there is said what came of them, with %d bases; this finds it out anew: make controls", len(all),
			len(said.Of), len(said.Bases))
	}
	for i, c := range all {
		t.Run(c.Case, func(t *testing.T) {
			if said.Of[i].Case != c.Case || len(said.Of[i].Runs) != len(said.Bases) {
				t.Fatalf("what is said here is of %s; this says it anew: make controls", said.Of[i].Case)
			}
			for b, runs := range said.Of[i].Runs {
				if c.Searches() && runs > c.Seeds || !c.Searches() && (runs != c.Seeds || said.Of[i].Seen[b] == 0) {
					t.Errorf("base %d: %d runs, seen in %d, is not as expected", said.Bases[b], runs, said.Of[i].Seen[b])
				}
			}
			if !c.Searches() {
				c.Seeds = boundedTo
			}
			came, err := c.Try(t.Context(), sim.Cluster{}, 1, runtime.GOMAXPROCS(0))
			switch {
			case err != nil:
				t.Fatal(err)
			case !came.AsExpected():
				t.Errorf("%s: %d runs, seen in %d, seed %d: %s", c.Expects(), came.Tried, came.Seen, came.Seed, came.Sentence)
			case c.Searches() && came.Tried != said.Of[i].Runs[0]:
				t.Errorf("it took %d seeds, not %d; this says it anew: make controls", came.Tried, said.Of[i].Runs[0])
			}
		})
	}
}
