package controller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/single-writer/chaos/reports"
)

// Compare runs a scenario under two arms or more, with the same seeds, inputs and plan, and puts them side by side. Beside
// the folders of the runs lie compare.md and compare.json. Like Do, it gives what was done before an error.
func Compare(ctx context.Context, q Request) (*Batch, reports.Comparison, error) {
	if err := q.comparable(); err != nil {
		return nil, reports.Comparison{}, &Usage{err}
	}
	q.sum = true
	b, err := Do(ctx, q)
	if b == nil || len(b.Runs) == 0 {
		return nil, reports.Comparison{}, err
	}
	told := b.Told()
	if err != nil {
		told.Broken, told.Interrupted = err.Error(), ctx.Err() != nil
	}
	c := reports.Compare(told)
	c.Exit = b.Exit()
	if err != nil {
		c.Exit = ExitRig
	}
	var page bytes.Buffer
	c.Markdown(&page)
	folder := Folder{b.Folder}
	if unwritten := errors.Join(folder.Put("compare.md", page.Bytes()), folder.Write("compare.json", c)); unwritten != nil {
		err = errors.Join(err, unwritten)
		c.Exit, c.Error = ExitRig, err.Error()
	}
	return b, c, err
}

// comparable finds what cannot be compared, before anything is started.
func (q Request) comparable() error {
	jobs, s, err := q.Jobs()
	if err != nil {
		return err
	}
	if names := armNames(jobs); !slices.ContainsFunc(jobs, func(j Job) bool { return j.Arm.Name != jobs[0].Arm.Name }) {
		return fmt.Errorf("a comparison takes two arms at least, and here is one: %s; %s states something of: %s\n"+
			"  chaos run %[2]s shows one arm; the scenario's \"expect\" is where another is added", names, s.Name, strings.Join(s.Arms(), ", "))
	}
	if _, err := os.Lstat(filepath.Join(q.Out, "compare.json")); q.Out != "" && !errors.Is(err, fs.ErrNotExist) {
		return &FolderExists{filepath.Join(q.Out, "compare.json")}
	}
	return nil
}
