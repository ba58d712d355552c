package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller/controls"
)

// What came of the controls takes a minute or two to find out, so that a page says what was found once: it is kept in a file,
// and a test looks whether it still is so.

// triedFile is that file, in the project's folder.
const triedFile = "internal/docs/controls.json"

//go:embed controls.json
var triedBefore []byte

// tried is what came of the controls with the seeds of each base.
type tried struct {
	Bases []int64     `json:"bases"`
	Of    []triedCase `json:"of"`
}

// triedCase is one control: by base, how many seeds were run, and in how many of the runs its danger was seen.
type triedCase struct {
	Case string `json:"case"`
	Runs []int  `json:"runs"`
	Seen []int  `json:"seen"`
}

// readTried reads what was found.
func readTried() (tried, error) {
	var out tried
	if err := json.Unmarshal(triedBefore, &out); err != nil {
		return out, fmt.Errorf("%s: %w", triedFile, err)
	}
	return out, nil
}

// tryControls tries all controls anew, with the bases that the file names, and writes it. One that does not come out as it
// must is an error: a page of what works cannot be made then.
func tryControls(project string) error {
	out, err := readTried()
	if err != nil {
		return err
	}
	out.Of = nil
	for _, c := range controls.All() {
		row := triedCase{Case: c.Case}
		for _, base := range out.Bases {
			t, err := c.Try(context.Background(), sim.Cluster{}, base, runtime.GOMAXPROCS(0))
			if err != nil {
				return fmt.Errorf("base %d: %w", base, err)
			}
			if !t.AsExpected() {
				return fmt.Errorf("%s with base %d is not as expected: chaos controls --seed %[2]d --only %[1]s", c.Case, base)
			}
			row.Runs, row.Seen = append(row.Runs, t.Tried), append(row.Seen, t.Seen)
		}
		fmt.Println(row.Case, row.Runs)
		out.Of = append(out.Of, row)
	}
	if triedBefore, err = json.Marshal(out); err != nil {
		return fmt.Errorf("write what came of the controls: %w", err)
	}
	// A line a case, so that a change shows which.
	triedBefore = append(bytes.ReplaceAll(triedBefore, []byte(`{"case"`), []byte("\n"+`{"case"`)), '\n')
	if err := os.WriteFile(filepath.Join(project, triedFile), triedBefore, 0o644); err != nil {
		return fmt.Errorf("write what came of the controls: %w", err)
	}
	return nil
}

// controlsTable says of each what the models declare, what must come of it here, and why.
func controlsTable() string {
	var rows [][]string
	for _, c := range controls.All() {
		without := "nothing"
		if off := c.Off(); len(off) > 0 {
			without = "`" + strings.Join(off, "`, `") + "`"
		}
		rows = append(rows, []string{code(c.Case), c.Declared, c.Expects(), without, searchedIn(c.Scenario), c.Why})
	}
	return table([]string{"case", "in the models", "here", "without", "scenario", "why"}, rows)
}

func searchedIn(scenario string) string {
	return fmt.Sprintf("[%s](../scenarios/controls/%[1]s.yaml)", scenario)
}

// triedTable says how many seeds each took.
func triedTable() string {
	all, err := readTried()
	if err != nil {
		panic(err) // the file is the program's own
	}
	head := []string{"case"}
	for _, base := range all.Bases {
		head = append(head, fmt.Sprintf("base %d", base))
	}
	var rows [][]string
	for _, c := range all.Of {
		row := []string{code(c.Case)}
		for i, n := range c.Runs {
			cell := fmt.Sprint(n)
			if is, ok := controlOf(c.Case); ok && !is.Searches() {
				cell = fmt.Sprintf("none in %d, %d seen", n, c.Seen[i])
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return table(head, rows)
}

func controlOf(name string) (controls.Control, bool) {
	for _, c := range controls.All() {
		if c.Case == name {
			return c, true
		}
	}
	return controls.Control{}, false
}
