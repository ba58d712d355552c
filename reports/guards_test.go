package reports

import (
	"strings"
	"testing"

	"github.com/single-writer/chaos/checker"
)

func TestGuards(t *testing.T) {
	condition := Demonstration{
		Guard: "persist-condition", Arm: "cassandra/cas-persist", Scenario: "stale-revoke-flush", With: "held",
		Failing: six, Shown: true,
		Prevents: "a stale owner's flush from replacing newer state", Must: checker.NoStaleOverwrite,
	}
	subsumed := Demonstration{
		Guard: "never-persisted-tombstone", Arm: "cassandra/cas", Scenario: "zombie-revives-never-persisted",
		With: "held", Shown: true,
		Failing: []string{checker.Progress}, Prevents: "a stale owner's flush from bringing back a key that was deleted before it was ever stored",
		Also: []string{"replay-filter"}, Must: checker.Progress,
	}
	broken := condition
	broken.Shown, broken.Failing, broken.Again = false, nil,
		"chaos run stale-revoke-flush --arm cassandra/cas-persist --without persist-condition"
	for name, c := range map[string]struct {
		all []Demonstration
		of  int
	}{
		"guards":           {[]Demonstration{condition, subsumed}, 2},
		"guards-not-shown": {[]Demonstration{condition, broken}, 2},
		"guards-broken":    {[]Demonstration{condition}, 2},
	} {
		var b strings.Builder
		Guards(&b, "sim", c.all, c.of, false)
		golden(t, name, b.String())
	}
}
