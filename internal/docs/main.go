// Command docs writes those parts of README.md and of the pages in docs/ that are made from the code: what a scenario states,
// what a guard prevents, what a property means, what a command prints. They stand between two marks; the rest is by hand.
//
// It is run in the project's folder: make docs. With the argument "controls" it tries them first: make controls. TestDocsAreGenerated fails when a page is not what it would write.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	err := tries(os.Args[1:])
	if err == nil {
		err = write(".")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tries tries the controls anew, before the pages are written, where that is asked for: make controls.
func tries(args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case len(args) == 1 && args[0] == "controls":
		return tryControls(".")
	}
	return fmt.Errorf("it takes nothing, or \"controls\", and not %q", args)
}

// write writes all pages of the project anew.
func write(project string) error {
	files, err := pages(project)
	if err != nil {
		return err
	}
	parts, err := made()
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read a page: %w", err)
		}
		fresh, err := filled(string(text), parts)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(file, []byte(fresh), 0o644); err != nil {
			return fmt.Errorf("write a page: %w", err)
		}
	}
	return nil
}

// pages are the project's README and the files of its docs.
func pages(project string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(project, "docs", "*.md"))
	if err == nil && len(files) == 0 {
		err = errors.New("there are no pages in " + filepath.Join(project, "docs") + ": it is run in the project's folder")
	}
	return append(files, filepath.Join(project, "README.md")), err
}
