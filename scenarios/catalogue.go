package scenarios

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

//go:embed catalogue/*.yaml
var catalogue embed.FS

const extension = ".yaml"

// names are the scenarios of the catalogue: a file is called after its scenario, so that one can be found without reading
// the others.
func names() []string {
	files, err := fs.Glob(catalogue, "catalogue/*"+extension)
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), extension)
	}
	slices.Sort(files)
	return files
}

// Catalogue reads all scenarios that come with the program, sorted by name.
func Catalogue(v Vocabulary) ([]*Scenario, error) {
	var all []*Scenario
	for _, name := range names() {
		s, err := fromCatalogue(name, v)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func fromCatalogue(name string, v Vocabulary) (*Scenario, error) {
	file := path.Join("catalogue", name+extension)
	data, err := catalogue.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	s, err := Parse(file, data, v)
	if err != nil {
		return nil, err
	}
	if s.Name != name {
		return nil, &Error{File: file, Problem: fmt.Sprintf("the scenario is called %q, and its file is not", s.Name)}
	}
	return s, nil
}

// Find reads a scenario by its name in the catalogue or by the path of a file. What has a slash in it or ends in .yaml or
// .yml is a path. Of the rest the catalogue comes first, so that a file that happens to lie in the working folder cannot
// take the place of a scenario that a script asks for.
func Find(nameOrPath string, v Vocabulary) (*Scenario, error) {
	there := names()
	switch {
	case strings.ContainsAny(nameOrPath, `/\`), strings.HasSuffix(nameOrPath, ".yaml"), strings.HasSuffix(nameOrPath, ".yml"):
		return Load(nameOrPath, v)
	case slices.Contains(there, nameOrPath):
		return fromCatalogue(nameOrPath, v)
	}
	if info, err := os.Stat(nameOrPath); err == nil && info.Mode().IsRegular() {
		return Load(nameOrPath, v)
	}
	return nil, &Error{
		Problem: unknown("scenario", nameOrPath, there),
		Hint:    listed("scenarios", there) + "\na file of your own is given by its path: ./mine.yaml",
	}
}
