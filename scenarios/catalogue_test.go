package scenarios

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/single-writer/chaos/nemesis"
)

// catalogueVocabulary is what the catalogue uses: it grows with the rig, and the mistakes of the other tests do not.
func catalogueVocabulary() Vocabulary {
	v := testVocabulary()
	v.Faults = nemesis.FaultNames()
	v.Arms = append(v.Arms, "cassandra/cas-persist")
	v.Properties = append(v.Properties, "offset-monotonic", "loud")
	known := v.Requirement
	v.Requirement = func(text string) error {
		if word, _, _ := strings.Cut(text, " "); slices.Contains([]string{"lost-first-write", "lost-answer", "lost-write", "lost-commit", "lost-commit-answer", "kept", "write-in-doubt", "commit-in-doubt"}, word) {
			return nil
		}
		return known(text)
	}
	return v
}

func TestCatalogue(t *testing.T) {
	all, err := Catalogue(catalogueVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for i, s := range all {
		got[s.Name] = fmt.Sprint(s.Events(), " ", len(s.Plan), " ", s.Arms())
		if i > 0 && all[i-1].Name >= s.Name {
			t.Errorf("%s comes behind %s", s.Name, all[i-1].Name)
		}
	}
	for name, want := range map[string]string{
		"calm":                 "11 4 [cassandra/lww cassandra/cas-persist cassandra/cas]",
		"stale-periodic-flush": "12 5 [cassandra/lww cassandra/cas-persist cassandra/cas]",
	} {
		if got[name] != want {
			t.Errorf("%s: %s, not %s", name, got[name], want)
		}
	}
}

func TestFind(t *testing.T) {
	v := catalogueVocabulary()
	t.Chdir(t.TempDir())
	for _, file := range []string{"mine.yaml", "calm", "bare"} {
		if err := os.WriteFile(file, []byte(mine), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for ask, want := range map[string]string{
		"calm": "catalogue/calm.yaml", "mine.yaml": "mine.yaml", "./mine.yaml": "mine.yaml", "./calm": "calm", "bare": "bare",
	} {
		if s, err := Find(ask, v); err != nil || filepath.ToSlash(s.File) != want {
			t.Errorf("Find(%q): %v", ask, err)
		}
	}
	if s, err := Find("one-owner", v); err != nil || s.File != "controls/one-owner.yaml" {
		t.Errorf("Find(one-owner): %v", err)
	}
	_, err := Find("clam", v)
	if err == nil || !strings.HasPrefix(err.Error(), "no scenario is called \"clam\"; did you mean \"calm\"?\nscenarios: calm ") ||
		!strings.HasSuffix(err.Error(), "\na file of your own is given by its path: ./mine.yaml") {
		t.Errorf("Find(clam):\n%v", err)
	}
	if _, err := Find("gone.yml", v); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Find(gone.yml): %v", err)
	}
}

// Each key and each name of the catalogue, misspelt one after another, gives an error at its very place.
func TestMisspelt(t *testing.T) {
	v := catalogueVocabulary()
	key := regexp.MustCompile(`[a-z][a-z/-]*:( |$)`)
	// What is left out: text that may be anything, and the first start of a worker, which gives it its name.
	value := regexp.MustCompile(`\b(worker|point|kind|evicted|hold|stop|release|probe|holds): [a-z-]+`)
	for _, name := range names(catalogue) {
		data, err := embedded.ReadFile("catalogue/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		tried, prose := 0, false
		misspell := func(line, from, to int) {
			tried++
			changed := append([]string{}, lines...)
			changed[line] = changed[line][:to] + "x" + changed[line][to:]
			_, err := Parse("mine.yaml", []byte(strings.Join(changed, "\n")), v)
			at := fmt.Sprintf("mine.yaml:%d:%d: ", line+1, from+1)
			if err == nil || !strings.Contains("\n"+err.Error(), "\n"+at) {
				t.Errorf("%s, misspelt as %q: no error at %s\n%v", name, changed[line], at, err)
			}
		}
		for i, line := range lines {
			code, _, _ := strings.Cut(line, "# ")
			switch {
			case strings.HasPrefix(code, "about: >"):
				prose = true
			case line == "":
				prose = false
			}
			if prose && line != "about: >" || strings.HasPrefix(code, "source:") {
				continue
			}
			for _, at := range key.FindAllStringIndex(code, -1) {
				misspell(i, at[0], at[0]+strings.Index(code[at[0]:], ":"))
			}
			for _, at := range value.FindAllStringIndex(code, -1) {
				misspell(i, at[0]+strings.Index(code[at[0]:], ": ")+2, at[1])
			}
		}
		if tried < 50 {
			t.Errorf("%s: only %d places tried", name, tried)
		}
	}
}
