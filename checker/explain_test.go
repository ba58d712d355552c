package checker

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/single-writer/chaos/history"
)

// TestEveryPropertyIsExplained: each property has a page with all its parts, and each page a property.
func TestEveryPropertyIsExplained(t *testing.T) {
	for _, p := range Properties() {
		e := p.Explain()
		want := []string{"## " + HeadingBreaks, "## " + HeadingLawful, "## " + HeadingCauses}
		if p.Name == FenceAudit { // nothing breaks it
			want = want[1:]
		}
		if e.Definition == "" || e.Causes == "" || len(e.Breaks) == 0 && len(want) == 3 || len(e.Lawful) == 0 {
			t.Errorf("checker/explained/%s.md lacks a definition, usual causes, a history that breaks it or one that does not", p.Name)
		}
		for _, x := range slices.Concat(e.Breaks, e.Lawful) {
			if x.About == "" {
				t.Errorf("checker/explained/%s.md does not say what this history is about:\n%s", p.Name, x.History)
			}
		}
		headings := slices.DeleteFunc(strings.Split(p.Page(), "\n"), func(l string) bool { return !strings.HasPrefix(l, "#") })
		if !slices.Equal(headings, want) {
			t.Errorf("checker/explained/%s.md has the headings %q", p.Name, headings)
		}
	}
	pages, err := fs.Glob(explained, "explained/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range pages {
		if _, ok := FindProperty(strings.TrimSuffix(path.Base(file), ".md")); !ok {
			t.Errorf("checker/%s is about no property", file)
		}
	}
}

// TestExplanationsAreTrue runs the histories that the pages show: what is said to break the property does, by all of its
// events, and what is said to be lawful does not.
func TestExplanationsAreTrue(t *testing.T) {
	for _, p := range Properties() {
		e := p.Explain()
		for _, x := range e.Breaks {
			t.Run(p.Name+"/breaks/"+x.About, func(t *testing.T) { breaks(t, p.Name, written(t, x.History)) })
		}
		for _, x := range e.Lawful {
			t.Run(p.Name+"/lawful/"+x.About, func(t *testing.T) { holds(t, p.Name, written(t, x.History)) })
		}
	}
}

// breaks fails the test unless the history breaks the property, and does not without any one of its events.
func breaks(t *testing.T, property string, h *history.History) {
	t.Helper()
	if err := history.Validate(h); err != nil {
		t.Fatal(err)
	}
	rep := Check(h)
	if p, _ := rep.Property(property); p.Verdict != Fail || len(p.Witness) == 0 || p.Summary == "" {
		dump(t, h, rep)
		t.Fatalf("the broken one: %s", p.Verdict)
	}
	for i := range h.Events {
		less := without(h, i)
		if history.Validate(less) == nil && verdictOf(less, property) == Fail {
			t.Errorf("it still fails without line %d (%s)", i+2, NewRun(h).describe(i))
		}
	}
}

// holds fails the test when the history breaks the property.
func holds(t *testing.T, property string, h *history.History) {
	t.Helper()
	if err := history.Validate(h); err != nil {
		t.Fatal(err)
	}
	if rep := Check(h); verdictOf(h, property) == Fail {
		dump(t, h, rep)
		t.Error("the whole one fails")
	}
}
