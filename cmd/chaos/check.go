package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/reports"
)

func (c *cli) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Check recorded histories",
		Long: "Reads histories and gives the verdict of each property. A history that was cut is read as far as it\n" +
			"goes. Exit: 0 nothing is violated, 1 something is, 4 undecided, 64 a history is malformed.",
		Example:     "  chaos check runs/*/*/history.jsonl",
		Annotations: withoutStarts(), Args: someHistories,
		RunE: func(_ *cobra.Command, files []string) error { return c.check(files) },
	}
}

// checked is a checked history as --json prints it.
type checked struct {
	File   string          `json:"file"`
	Events int             `json:"events"`
	Ended  bool            `json:"ended"`
	Report *checker.Report `json:"report,omitempty"`
	Error  string          `json:"error,omitempty"`
	Exit   int             `json:"exit"`

	history *history.History
}

// check checks every file, also behind one that cannot be read.
func (c *cli) check(files []string) error {
	all := []checked{}
	var codes []int
	var told bytes.Buffer
	for _, file := range files {
		k := checkFile(file)
		all, codes = append(all, k), append(codes, k.Exit)
		if c.json {
			continue
		}
		if k.Error != "" {
			printError(c.errs, k.Error)
			continue
		}
		if len(files) > 1 {
			fmt.Fprintln(&told)
		}
		reports.Check(&told, file, k.history, *k.Report)
	}
	c.exit = controller.Worst(codes...)
	if c.json {
		c.print(map[string]any{"schema": controller.VerdictSchema, "exit": c.exit, "histories": all})
		return nil
	}
	if len(files) > 1 {
		fmt.Fprintln(c.out, summary(codes))
	}
	if _, err := told.WriteTo(c.out); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return c.finish(nil)
}

// summary is the first line about several histories: the worst of them, and how many of each kind there are.
func summary(codes []int) string {
	kinds := []struct {
		exits      []int
		head, text string
	}{
		{[]int{controller.ExitRig, controller.ExitUsage}, "NOT ALL READ", "not read"},
		{[]int{controller.ExitDeviates}, "VIOLATED", "violated"},
		{[]int{controller.ExitUnknown}, "UNKNOWN", "undecided"},
		{[]int{controller.ExitExpected}, "HOLDS", "without a violation"},
	}
	head, parts := "", []string{}
	for _, k := range kinds {
		n := 0
		for _, code := range codes {
			if slices.Contains(k.exits, code) {
				n++
			}
		}
		if n > 0 {
			head = cmp.Or(head, k.head)
			parts = append(parts, fmt.Sprintf("%d %s", n, k.text))
		}
	}
	return fmt.Sprintf("%s: %d histories: %s", head, len(codes), strings.Join(parts, ", "))
}

// inFolder says which histories lie in a folder that was given for one: a run's own, or those of the runs in it.
func inFolder(dir string) string {
	for _, inside := range []string{"history.jsonl", "*/history.jsonl", "*/*/history.jsonl"} {
		if found, err := filepath.Glob(filepath.Join(dir, inside)); err == nil && len(found) > 0 {
			return fmt.Sprintf("%s is a folder; what is recorded in it:\n  chaos check %s%s", dir, reports.Word(strings.TrimRight(dir, "/")+"/"), inside)
		}
	}
	return dir + " is a folder, and there is no history in it"
}

func checkFile(file string) checked {
	h, err := history.ReadFile(file)
	if err != nil {
		code := controller.ExitRig
		text := err.Error()
		var malformed *history.Malformed
		switch {
		case errors.As(err, &malformed):
			code = controller.ExitUsage
		case errors.Is(err, fs.ErrNotExist):
			code, text = controller.ExitUsage, "there is no file "+file
		case errors.Is(err, syscall.EISDIR):
			code, text = controller.ExitUsage, inFolder(file)
		}
		return checked{File: file, Error: text, Exit: code}
	}
	report := checker.Check(h)
	k := checked{File: file, Events: len(h.Events), Ended: h.Ended(), Report: &report, Exit: controller.ExitExpected, history: h}
	switch report.Verdict {
	case checker.Fail:
		k.Exit = controller.ExitDeviates
	case checker.Unknown:
		k.Exit = controller.ExitUnknown
	}
	return k
}
