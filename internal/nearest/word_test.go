package nearest

import (
	"strings"
	"testing"
)

func TestWord(t *testing.T) {
	there := []string{"folded", "before-persist", "persist-sent", "commit-sent", "all"}
	for name, want := range map[string]string{
		"folde": "folded", "fodled": "folded", "FOLDED": "folded", "persist_sent": "persist-sent", "before": "before-persist",
		"al": "all", "xyz": "", "a": "", "": "", strings.Repeat("folded", 20): "",
	} {
		if got, _ := Word(name, there); got != want {
			t.Errorf("Word(%q) = %q, want %q", name, got, want)
		}
	}
}
