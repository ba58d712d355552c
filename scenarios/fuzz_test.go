package scenarios

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/single-writer/chaos/workload"
)

// FuzzParse looks for text that ends the loader otherwise than with a scenario in order or with errors that show a place.
func FuzzParse(f *testing.F) {
	f.Add([]byte(mine))
	for _, c := range slices.Concat(mistakes, planMistakes) {
		f.Add([]byte(c.broken()))
	}
	for _, name := range names(catalogue) {
		data, err := embedded.ReadFile("catalogue/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	v := testVocabulary()
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("mine.yaml", data, v)
		if err != nil {
			checkErrors(t, err, data)
			return
		}
		checkScenario(t, s)
	})
}

func checkErrors(t *testing.T, err error, data []byte) {
	t.Helper()
	var all Errors
	if !errors.As(err, &all) || len(all) == 0 || len(all) > MostErrors {
		t.Fatalf("not errors of a file: %#v", err)
	}
	for _, e := range all {
		if e.Line == 0 && len(data) > mostBytes {
			continue
		}
		lines := strings.Split(string(data), "\n")
		if e.Line < 1 || e.Line > len(lines) || e.Column < 1 || e.Column > utf8.RuneCountInString(lines[e.Line-1])+1 {
			t.Errorf("no such place: %v", e)
		}
		if e.Problem == "" || strings.Contains(e.Problem, "\n") || !strings.Contains(e.Excerpt, "^") || !utf8.ValidString(e.Error()) {
			t.Errorf("malformed: %q", e.Error())
		}
		for line := range strings.SplitSeq(e.Excerpt, "\n") {
			if utf8.RuneCountInString(line) > lineWidth {
				t.Errorf("too wide: %q", line)
			}
		}
	}
}

func checkScenario(t *testing.T, s *Scenario) {
	t.Helper()
	if s.Name == "" || s.About == "" || len(s.Plan) == 0 || len(s.Expect) == 0 || len(s.Workers) == 0 {
		t.Errorf("something is missing: %+v", s)
	}
	next := int64(1)
	for _, g := range s.Stages {
		if g.First != next || g.Last < g.First || g.Key < 0 || g.Key > s.Keys {
			t.Errorf("stage %+v", g)
		}
		next = g.Last + 1
	}
	named := func(name string) bool {
		return slices.ContainsFunc(s.Workers, func(c workload.Config) bool { return c.Name == name })
	}
	for _, step := range s.Plan {
		w := step.When
		if w.Worker != "" && (w.Evicted != "" || !named(w.Worker)) || w.Evicted != "" && !named(w.Evicted) || w.Event >= next || len(step.Do) == 0 {
			t.Errorf("step %+v", step)
		}
	}
	for _, e := range s.Expect {
		if e.Holds != (len(e.Violates) == 0) {
			t.Errorf("expectation %+v", e)
		}
	}
}

// TestScrambled does what a fuzzer seldom hits on: it keeps the words and marks of a scenario, and mixes them up.
func TestScrambled(t *testing.T) {
	pieces := regexp.MustCompile(`[a-z0-9/-]+|\n *|.`)
	strange := []string{"\n", "\n  ", "\n- ", "- ", ": ", "{", "}", "[", "]", ", ", "\"", "'", "|\n ", ">-\n  ", "&a ", "*a", "!t ", "? ", "%", "@", "`", "#", "~", "null", "true", "0", "-1", "007", "1e9", ".inf", "é", "日本", "\t", "---\n", "...\n", "<<: ", "\r\n", "\\", "  "}
	v := testVocabulary()
	r := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		words := pieces.FindAllString(mine, -1)
		for range 1 + r.IntN(6) {
			i, j := r.IntN(len(words)), r.IntN(len(words))
			switch r.IntN(5) {
			case 0:
				words[i], words[j] = words[j], words[i]
			case 1:
				words = slices.Delete(words, i, min(i+1+r.IntN(3), len(words)))
			case 2:
				words = slices.Insert(words, i, words[j])
			case 3:
				words = slices.Insert(words, i, strange[r.IntN(len(strange))])
			case 4:
				words[i] = strange[r.IntN(len(strange))]
			}
		}
		text := []byte(strings.Join(words, ""))
		s, err := Parse("mine.yaml", text, v)
		if err != nil {
			checkErrors(t, err, text)
		} else {
			checkScenario(t, s)
		}
		if t.Failed() {
			t.Fatalf("with %q", text)
		}
	}
}
