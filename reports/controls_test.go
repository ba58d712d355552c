package reports

import (
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/checker"
)

func TestControls(t *testing.T) {
	found := Control{
		Case: "cassandra_notomb", Expected: "durable-fold fails", Found: "found", As: true, Tried: 63, Of: 3000,
		Took: 310 * time.Millisecond,
		Off:  []string{"tombstone"}, Why: "A delete takes the row away, and the offset with it.",
		Sentence: "What acct-1 has stored @10 is not the fold of its events: events 3 to 5 folded that should not be, balance 118.79 too high.",
		Again:    "chaos run one-key-random --arm cassandra/cas --without tombstone --seed 1000063",
	}
	holds := Control{
		Case: "casfw_reap", Expected: checker.NoStaleOverwrite + " holds", Found: "nothing", As: true, Tried: 300,
		Of: 300, Took: 1700 * time.Millisecond,
		Why: "A row that goes in the middle of a first write is as if nobody had made it.", Seen: 34,
		Shows: "a row was reaped in the middle of a first write",
	}
	vain := found
	vain.As, vain.Found, vain.Tried, vain.Sentence, vain.Again = false, "NOT FOUND", 3000, "", ""
	for name, c := range map[string]struct {
		all         []Control
		of          int
		full, ended bool
	}{
		"controls":              {[]Control{found, holds}, 2, false, false},
		"controls-why":          {[]Control{found, holds}, 2, true, false},
		"controls-not-expected": {[]Control{vain, holds}, 2, false, false},
		"controls-broken":       {[]Control{holds}, 2, false, false},
		"controls-interrupted":  {[]Control{holds}, 2, false, true},
	} {
		var b strings.Builder
		Controls(&b, 1, c.all, c.of, c.full, c.ended)
		golden(t, name, b.String())
	}
}
