package nearest

import (
	"fmt"
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

func TestHint(t *testing.T) {
	names := []string{"offset", "op", "index", "persist"}
	for name, want := range map[string]string{
		"ofset": "offset", "Index": "index", "pesrist": "persist", "OP": "op", "x": "", "": "", "colour": "", strings.Repeat("offset", 1<<18): "",
	} {
		hint := ""
		if want != "" {
			hint = fmt.Sprintf("; did you mean %q?", want)
		}
		if got := Hint(name, names); got != hint {
			t.Errorf("%.20q: %q, want %q", name, got, hint)
		}
	}
}
