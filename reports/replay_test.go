package reports

import (
	"strings"
	"testing"
	"time"
)

// A replay is told by its answer; where a line differs, by both and what that means.
func TestReplayed(t *testing.T) {
	same := Replay{
		What: "overlap-random · cassandra/lww · sim · seed 51", Folder: "runs/x/a", Lines: 877, Whole: true, Times: 100,
		Took:  time.Second,
		Shows: []string{"no-stale-overwrite: acct-2 had reached @12."}, Next: []string{"chaos shrink runs/x/a"},
	}
	cut, said, differs, ended := same, same, same, same
	cut.Whole, cut.Times, cut.Shows = false, 1, nil
	said.Said = []string{"no-leap was pass and is fail"}
	differs.Differs, differs.In, differs.Means = 7, []string{"time", "value"},
		"it was recorded by another rig (0.0.9) than this one (0.1.0)"
	differs.Recorded, differs.Here = `{"index":5,"time":1}`, `{"index":5,"time":2}`
	ended.Differs, ended.Here, ended.Means = 877, `{"index":875}`, "both are by the same rig (0.1.0)"
	for name, r := range map[string]Replay{
		"replay-same": same, "replay-cut": cut, "replay-judged": said, "replay-different": differs, "replay-ended": ended,
	} {
		var b strings.Builder
		Replayed(&b, r)
		t.Run(name, func(t *testing.T) { golden(t, name, b.String()) })
	}
}

// A smaller scenario is told by what was left out.
func TestShrunk(t *testing.T) {
	small := Shrink{
		What: "overlap-random · cassandra/lww · sim · seed 27", Property: "no-stale-overwrite",
		Sentence: "acct-1 had reached @1.",
		Left:     []Left{{"steps", 12, 5}, {"members", 3, 2}}, Was: "pct loss-0.01", Runs: 1200, Took: 4 * time.Second,
		Whole: true, Often: 95, Of: 100,
		Only: "3-5,9", Decisions: 4, Bare: true,
		Again: "chaos run small/overlap-random-small.yaml --arm cassandra/lww --seed 28", Folder: "small/overlap-random-small",
		Next: []string{"chaos replay small/overlap-random-small --times 100"},
	}
	not := small
	not.Left, not.Was, not.Whole, not.Often = nil, "", false, 3
	beyond := small
	beyond.Only, beyond.Decisions, beyond.Bare, beyond.Beyond, beyond.Schedule = "", 0, false, true, "replicas-3"
	for name, s := range map[string]Shrink{"shrink-beyond": beyond, "shrink": small, "shrink-not": not} {
		var b strings.Builder
		Shrunk(&b, s)
		t.Run(name, func(t *testing.T) { golden(t, name, b.String()) })
	}
}

// A run on other servers is told by whether it is confirmed, and by what came first otherwise.
func TestRedrove(t *testing.T) {
	whole := Redriven{
		What: "overlap-random-small · cassandra/lww · containers · seed 28", Of: "runs/x/a",
		Property: "no-stale-overwrite", Sentence: "acct-1 had reached @1.",
		Confirmed: true, Driven: 180, Events: 180, Slower: 5, Took: 20 * time.Second, Folder: "runs/y/a",
	}
	part, held := whole, whole
	part.Driven, part.Line, part.Recorded, part.Came, part.Why = 97, 214, "b/1 note point polled p1 @7",
		"b/1 note point revoked p1 @7", "the group decided otherwise"
	other := part
	other.Confirmed, other.Came, other.Judged = false, "", []string{"no-stale-overwrite was fail and is pass"}
	held.Property, held.Sentence = "", ""
	unproven := part
	unproven.Property, unproven.Sentence, unproven.Confirmed, unproven.Unproven = "", "", false,
		"the order was not kept to the end"
	for name, r := range map[string]Redriven{"redrive-unproven": unproven, "redrive-whole": whole, "redrive-part": part,
		"redrive-other": other, "redrive-held": held} {
		var b strings.Builder
		Redrove(&b, r)
		t.Run(name, func(t *testing.T) { golden(t, name, b.String()) })
	}
}
