package scenarios

import (
	"strings"
	"testing"
)

// TestSeldomCommits: who does not commit within the run is a mistake only where somebody is free to go on and nobody commits.
func TestSeldomCommits(t *testing.T) {
	seldom := strings.Replace(mine, "heartbeat-interval: 100ms}", "heartbeat-interval: 100ms, commit-every: 1h}", 1)
	for name, text := range map[string]string{
		"one of two":       strings.Replace(mine, "max-poll-records: 1}", "commit-every: 1h}", 1),
		"within the run":   strings.Replace(seldom, "1h}", "1m}", 1),
		"progress fails":   strings.Replace(seldom, "violates: [no-leap", "violates: [progress, no-leap", 1),
		"nobody goes on":   strings.Replace(seldom, "{stop: a}", "{stop: a}, {hold: b}", 1),
		"the plan is long": strings.Replace(seldom, "after: 2ms", "after: 2h", 1),
	} {
		if _, err := Parse("mine.yaml", []byte(text), testVocabulary()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Parse("mine.yaml", []byte(seldom), testVocabulary()); err == nil {
		t.Error("nobody commits, and that is no mistake")
	}
}
