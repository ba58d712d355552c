package main

import (
	"errors"
	"fmt"
	"io/fs"

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
		Long: "Reads histories and gives the verdict of each property. A history that was cut is read as far as it goes.\n" +
			"Exit: 0 nothing is violated, 1 something is, 4 undecided, 64 a history is malformed.",
		Args: cobra.MinimumNArgs(1),
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
}

// check checks every file, also behind one that cannot be read.
func (c *cli) check(files []string) error {
	all := []checked{}
	var codes []int
	for _, file := range files {
		k := checkFile(file)
		all, codes = append(all, k), append(codes, k.Exit)
		if c.json {
			continue
		}
		if k.Error != "" {
			fmt.Fprintln(c.errs, k.Error)
			continue
		}
		reports.Check(c.out, file, k.Events, k.Ended, *k.Report)
	}
	c.exit = controller.Worst(codes...)
	if c.json {
		c.print(map[string]any{"schema": controller.VerdictSchema, "exit": c.exit, "histories": all})
	} else if c.exit != controller.ExitExpected {
		fmt.Fprintf(c.out, "exit %d\n", c.exit)
	}
	return nil
}

func checkFile(file string) checked {
	h, err := history.ReadFile(file)
	if err != nil {
		code := controller.ExitRig
		var malformed *history.Malformed
		if errors.As(err, &malformed) || errors.Is(err, fs.ErrNotExist) {
			code = controller.ExitUsage
		}
		return checked{File: file, Error: err.Error(), Exit: code}
	}
	report := checker.Check(h)
	k := checked{File: file, Events: len(h.Events), Ended: h.Ended(), Report: &report, Exit: controller.ExitExpected}
	switch report.Verdict {
	case checker.Fail:
		k.Exit = controller.ExitDeviates
	case checker.Unknown:
		k.Exit = controller.ExitUnknown
	}
	return k
}
