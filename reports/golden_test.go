package reports

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares text with a file. No line may be wider than a terminal, but for a single word.
func golden(t *testing.T, name, got string) {
	t.Helper()
	for i, line := range strings.Split(got, "\n") {
		if runes(line) > Width && len(strings.Fields(line)) > 1 {
			t.Errorf("line %d has %d columns: %s", i+1, runes(line), line)
		}
		if strings.TrimRight(line, " ") != line {
			t.Errorf("line %d ends in spaces: %q", i+1, line)
		}
	}
	compareWith(t, name+".txt", got)
}

// compareWith compares text with a file of testdata.
func compareWith(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./reports -update writes it)", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s is another (go test ./reports -update accepts it):\n%s", path, d)
	}
}

// the six that a stale flush breaks.
var six = []string{
	checker.NoStaleOverwrite, checker.DurableFold, checker.RecoveryCut, checker.RecoveryComplete, checker.NoLeap,
	checker.SingleWriter,
}

// ran makes a run of a history, judged by what its scenario states of its arm.
func ran(t *testing.T, h *history.History, e checker.Expectation) Run {
	t.Helper()
	if err := history.Validate(h); err != nil {
		t.Fatal(err)
	}
	rep := checker.Check(h)
	deviations := rep.Deviations(e)
	return Run{
		Arm: h.Header.Arm, About: h.Header.Arm + " is what it is", Without: h.Header.Without, Folder: "runs/1/" +
			strings.ReplaceAll(h.Header.Arm, "/", "-"), History: h, Report: rep, Expected: len(deviations) == 0,
		Deviations: deviations,
	}
}

func terminal(runs ...Run) string {
	var b strings.Builder
	Terminal(&b, Batch{
		Scenario: "late-flush", About: "An owner is evicted, and its next flush lands late.", Cluster: "sim", Seed: 1, Runs: runs,
		Took: 60 * time.Millisecond, Folder: "runs/1", Again: "chaos run late-flush",
		Next: []string{"chaos run late-flush --cluster containers", "chaos check runs/1/*/history.jsonl"},
	})
	return b.String()
}

var (
	lww = history.Header{Arm: "cassandra/lww"}
	cas = history.Header{Arm: "cassandra/cas", Requires: []string{"evicted a"}}
)

// TestTerminal has a golden file for each way in which a run can come out.
func TestTerminal(t *testing.T) {
	violates, holds := checker.Expectation{Violates: six}, checker.Expectation{}
	without := cas
	without.Without = []string{"persist-condition"}
	demanding := lww
	demanding.Requires = []string{"evicted a", "deleted"}
	for name, runs := range map[string][]Run{
		"expected-corruption":  {ran(t, corrupted(lww, false), violates), ran(t, fended(cas), holds)},
		"held":                 {ran(t, fended(cas), holds)},
		"not-as-expected":      {ran(t, corrupted(without, true), holds)},
		"one-of-two":           {ran(t, corrupted(lww, false), violates), ran(t, corrupted(without, true), holds)},
		"should-be-corrupted":  {ran(t, fended(lww), violates)},
		"waited-in-vain":       {ran(t, waiting(lww), holds)},
		"waited-and-corrupted": {ran(t, waiting(lww), violates)},
		"not-shown":            {ran(t, fended(demanding), holds)},
		"stuck":                {ran(t, stuck(lww), holds)},
		"nobody-free":          {ran(t, held(lww), holds)},
		"unknown":              {ran(t, cut(cas), holds)},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, terminal(runs...)) })
	}
}

// TestStoryPage has one for a run that broke as it should, for one that should have held, and for one that was cut.
func TestStoryPage(t *testing.T) {
	without := cas
	without.Without = []string{"persist-condition"}
	violates, holds := checker.Expectation{Violates: six}, checker.Expectation{}
	for name, r := range map[string]Run{
		"page-corrupted": ran(t, corrupted(lww, false), violates), "page-not-as-expected": ran(t, corrupted(without, true), holds),
		"page-held": ran(t, fended(cas), holds), "page-unknown": ran(t, cut(cas), holds),
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			StoryPage(&b, Batch{
				Scenario: "late-flush", About: "An owner is evicted, and its next flush\nlands late.", Cluster: "sim", Seed: 1,
				Again: "chaos run late-flush",
			}, r)
			compareWith(t, name+".md", b.String())
		})
	}
}

// TestCell: whatever a text holds, it stays one cell of one row.
func TestCell(t *testing.T) {
	for text, want := range map[string]string{"a\n  b": "a b", "a|b": `a\|b`, "": "", "a `|` b": "a `\\|` b"} {
		if got := cell(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
	if got := raw("a`b"); got != "`` a`b ``" {
		t.Errorf("raw: %s", got)
	}
}

// TestCheck has one for each answer of `chaos check`.
func TestCheck(t *testing.T) {
	for name, h := range map[string]*history.History{
		"check-holds": fended(cas), "check-violated": corrupted(lww, false), "check-unknown": cut(cas), "check-vacuous": waiting(lww),
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			Check(&b, "runs/1/history.jsonl", h, checker.Check(h))
			golden(t, name, b.String())
		})
	}
}
