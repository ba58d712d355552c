package controller_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/history"
)

// TestPlanFacts: what comes to its end is found by what it is, whatever was begun and done meanwhile.
func TestPlanFacts(t *testing.T) {
	m := history.NewMemory(history.Header{Seed: 7})
	at := int64(0)
	note := func(fault, target, life, phase, proof string) {
		at++
		m.Record(history.Event{Time: at, Process: "nemesis", Type: history.Note, F: history.Fault,
			Value: &history.FaultDone{Fault: fault, Target: target, Life: life, Phase: phase, Proof: proof}})
	}
	note("start", "a", "", "begin", "")
	note("start", "a", "a/1", "done", "begun")
	note("lose-answer", "a", "a/1", "begin", "")
	note("probe", "all", "", "begin", "")
	note("lose-answer", "b", "b/1", "begin", "")
	note("probe", "all", "", "done", "read")
	note("lose-answer", "a", "a/1", "done", "first held back")
	note("lose-answer", "a", "a/1", "begin", "")
	note("lose-answer", "a", "a/2", "begin", "")
	note("release", "a", "a/2", "begin", "")
	note("lose-answer", "a", "a/2", "done", "third held back")
	note("release", "a", "a/2", "done", "released")
	want := []controller.PlanAction{
		{"start", "a", "a/1", "", "", 1, 2, "begun", 3},
		{"lose-answer", "a", "a/1", "", "", 3, 7, "first held back", 8},
		{"probe", "all", "", "", "", 4, 6, "read", 7},
		{"lose-answer", "b", "b/1", "", "", 5, 0, "", 6},
		{"lose-answer", "a", "a/1", "", "", 8, 0, "", 9},
		{"lose-answer", "a", "a/2", "", "", 9, 11, "third held back", 12},
		{"release", "a", "a/2", "", "", 10, 12, "released", 13},
	}
	if got := controller.PlanOf(&m.History); got.Seed != 7 {
		t.Errorf("seed %d", got.Seed)
	} else if diff := cmp.Diff(want, got.Done); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
