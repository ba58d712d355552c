// Command chaos runs chaos scenarios against a stateful stream worker and says whether a stale owner could corrupt it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/controller"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run runs the command line and gives the exit code. The first Ctrl-C, or SIGTERM, ends what is running and cleans up; a
// second one ends the program at once.
func run(args []string, out, errs io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	c := &cli{out: out, errs: errs, args: args}
	root := c.root()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	if err := root.ExecuteContext(ctx); err != nil {
		return c.failed(err)
	}
	return c.exit
}

// cli is one call of the program.
type cli struct {
	out, errs io.Writer
	args      []string
	json      bool
	// exit is the exit code of a call that did what it was asked to.
	exit int
}

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "chaos",
		Short: "Can a stale owner corrupt your stream processor, and does its fence hold?",
		Long: "chaos runs scenarios in which an owner of a partition goes on after it has lost it, against workers that keep their\n" +
			"snapshots with or without a fence, and says what broke and why. In a deterministic simulator, or on real servers.",
		Version:       controller.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.PersistentFlags().BoolVar(&c.json, "json", false, "print one JSON document and nothing else")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &controller.Usage{Err: err} })
	root.AddCommand(c.runCommand(), c.listCommand(), c.checkCommand(), c.imagesCommand())
	for _, sub := range root.Commands() {
		usageErrors(sub)
	}
	return root
}

// usageErrors makes wrong arguments of a command the user's mistake, not the rig's.
func usageErrors(c *cobra.Command) {
	check := c.Args
	if check != nil {
		c.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return &controller.Usage{Err: fmt.Errorf("%w\n  %s", err, cmd.UseLine())}
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		usageErrors(sub)
	}
}

// failed prints an error, and gives its exit code: 64 for a mistake of whoever asked, 70 for all else.
func (c *cli) failed(err error) int {
	code := controller.ExitRig
	var usage *controller.Usage
	if errors.As(err, &usage) || isCobraUsage(err) {
		code = controller.ExitUsage
	}
	if c.json {
		c.print(map[string]any{"error": err.Error(), "exit": code})
	} else {
		fmt.Fprintln(c.errs, err)
		fmt.Fprintf(c.errs, "exit %d\n", code)
	}
	return code
}

// isCobraUsage tells the errors that cobra itself makes, before any command runs: they have no type.
func isCobraUsage(err error) bool {
	var unknown interface{ Unwrap() error }
	return err != nil && !errors.As(err, &unknown) && len(err.Error()) > 15 && err.Error()[:15] == "unknown command"
}
