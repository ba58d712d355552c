package reports

import (
	"os/exec"
	"testing"
)

// TestWord: a shell reads a word back as it was.
func TestWord(t *testing.T) {
	for _, s := range []string{"", "runs/1", "./my file.yaml", "it's", `a"b`, "$HOME", "a\nb", "*", "~x", `\`} {
		out, err := exec.Command("sh", "-c", "printf %s "+Word(s)).Output()
		if err != nil || string(out) != s {
			t.Errorf("%q is written %s, which a shell reads as %q (%v)", s, Word(s), out, err)
		}
	}
}
