package controller

import (
	"crypto/sha256"
	"fmt"
	"runtime/debug"
)

// Build is the commit that this program was built from; it is empty where the compiler did not know (go run, tests).
func Build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		}
	}
	if commit == "" {
		return ""
	}
	return commit[:min(12, len(commit))] + changed
}

// Digest names a text by its contents.
func Digest(text []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(text)) }
