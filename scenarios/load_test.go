package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMistakes(t *testing.T) {
	for _, m := range slices.Concat(mistakes, planMistakes) {
		_, err := Parse("mine.yaml", []byte(m.broken()), testVocabulary())
		if err == nil {
			t.Errorf("%q instead of %q: no error", m.instead, m.is)
		} else if diff := cmp.Diff(strings.Trim(m.want, "\n"), err.Error()); diff != "" {
			t.Errorf("%q instead of %q: -want +got\n%s", m.instead, m.is, diff)
		}
	}
}

// What is wrong in several places is reported in one go, in the order of the file, and not without end.
func TestMistakesTogether(t *testing.T) {
	broken := mine
	for _, m := range mistakes[:5] {
		broken = strings.Replace(broken, m.is, m.instead, 1)
	}
	_, err := Parse("mine.yaml", []byte(broken), testVocabulary())
	var places []string
	var all Errors
	if !errors.As(err, &all) {
		t.Fatal(err)
	}
	for _, e := range all {
		places = append(places, fmt.Sprint(e.Line, ":", e.Column))
	}
	if diff := cmp.Diff([]string{"3:18", "5:15", "8:8", "16:30"}, places); diff != "" {
		t.Errorf("%s\n%v", diff, err)
	}
	many := strings.Replace(mine, "keys: 3", "keys: 3"+strings.Repeat("\n  what: 1", 30), 1)
	if _, err = Parse("mine.yaml", []byte(many), testVocabulary()); !errors.As(err, &all) || len(all) != MostErrors {
		t.Errorf("%d errors", len(all))
	}
	if !strings.HasSuffix(err.Error(), "These are the first 10 errors; there may be more.") {
		t.Error(err)
	}
	var one *Error
	if !errors.As(err, &one) || one.Line != 7 {
		t.Errorf("the first error is %v", one)
	}
}

// A file that would cost the parser much, or that is no scenario at all, is refused at once.
func TestHostile(t *testing.T) {
	laughs := "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"
	for name, text := range map[string]string{
		"scenario has no anchors": laughs,
		"a scenario has at most":  strings.Repeat("# much\n", 10_000),
		"nested too deep":         strings.Repeat("- ", 30_000),
		"too deep for a":          strings.Repeat("{a: ", 10_000),
		"UTF-16":                  "\xff\xfen\x00",
	} {
		began := time.Now()
		_, err := Parse("mine.yaml", []byte(text), testVocabulary())
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %.300v", name, err)
		}
		if d := time.Since(began); d > 2*time.Second {
			t.Errorf("%s: took %s", name, d)
		}
	}
}
