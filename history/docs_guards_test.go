package history_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// The header that docs/history.md shows has the guards that its arm has.
func TestTheSampleHasAllGuards(t *testing.T) {
	page, err := os.ReadFile("../docs/history.md")
	if err != nil {
		t.Fatal(err)
	}
	header := regexp.MustCompile(`(?m)^\{"schema":.*$`).FindString(string(page))
	h, err := history.ReadFrom("docs/history.md", strings.NewReader(header+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	arm, err := persistence.NewArm(h.Header.Arm, h.Header.Without)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(arm.Guards, h.Header.Guards); diff != "" {
		t.Errorf("guards of the sample (-arm +page):\n%s", diff)
	}
}
