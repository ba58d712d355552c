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

//go:embed catalogue/*.yaml controls/*.yaml
var embedded embed.FS

// The folders of the scenarios that come with the program. Those of the catalogue are for people, and each is run in every
// world; those of the controls leave their plans to the seed, for searches in the simulator. All are found by name.
const (
	catalogue = "catalogue"
	controls  = "controls"
	extension = ".yaml"
)

// names are the scenarios of a folder: a file is called after its scenario, so that one can be found without reading the
// others.
func names(folder string) []string {
	files, err := fs.Glob(embedded, folder+"/*"+extension)
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), extension)
	}
	slices.Sort(files)
	return files
}

// Catalogue reads all scenarios of the catalogue, sorted by name.
func Catalogue(v Vocabulary) ([]*Scenario, error) { return all(catalogue, v) }

// Controls reads those that `chaos controls` searches.
func Controls(v Vocabulary) ([]*Scenario, error) { return all(controls, v) }

func all(folder string, v Vocabulary) ([]*Scenario, error) {
	var all []*Scenario
	for _, name := range names(folder) {
		s, err := from(folder, name, v)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func from(folder, name string, v Vocabulary) (*Scenario, error) {
	file := path.Join(folder, name+extension)
	data, err := embedded.ReadFile(file)
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

// Find reads a scenario by its name in the catalogue, or among the controls, or by the path of a file. What has a slash in it or ends in .yaml or
// .yml is a path. Of the rest the catalogue comes first, so that a file that happens to lie in the working folder cannot
// take the place of a scenario that a script asks for.
func Find(nameOrPath string, v Vocabulary) (*Scenario, error) {
	there := names(catalogue)
	switch {
	case strings.ContainsAny(nameOrPath, `/\`), strings.HasSuffix(nameOrPath, ".yaml"), strings.HasSuffix(nameOrPath, ".yml"):
		return Load(nameOrPath, v)
	case slices.Contains(there, nameOrPath):
		return from(catalogue, nameOrPath, v)
	case slices.Contains(names(controls), nameOrPath):
		return from(controls, nameOrPath, v)
	}
	if info, err := os.Stat(nameOrPath); err == nil && info.Mode().IsRegular() {
		return Load(nameOrPath, v)
	}
	return nil, &Error{
		Problem: unknown("scenario", nameOrPath, there),
		Hint:    listed("scenarios", there) + "\na file of your own is given by its path: ./mine.yaml",
	}
}
