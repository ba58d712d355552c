// Command chaos runs chaos scenarios against a stateful stream worker and says whether a stale owner could corrupt it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/reports"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run runs the command line and gives the exit code. The first Ctrl-C, SIGTERM or SIGHUP ends what is running and cleans up, and
// a second one ends the program at once. A command that starts nothing is ended by the first.
func run(args []string, out, errs io.Writer) int {
	// A flag that is wrong ends the reading of flags, maybe before --json; the answer must be JSON then too.
	answer := &answer{to: out}
	c := &cli{out: answer, errs: errs, args: args, json: asksJSON(args)}
	if c.json && closed(out) {
		printError(errs, "--json prints a document on the standard output, and that is closed\n  redirect it: chaos ... --json > answer.json")
		c.sayExit(controller.ExitUsage)
		return controller.ExitUsage
	}
	root := c.root()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if cmd, _, err := root.Find(args); err == nil && cmd.Annotations[startsNothing] != "" {
		stop()
		ctx, stop = context.WithCancel(context.Background())
	}
	defer stop()
	noticed := context.AfterFunc(ctx, func() {
		stop()
		c.progress("interrupted: ending what runs, healing and removing what was started; once more ends the program at once: what it leaves " +
			"then, chaos down removes, and the next run heals or removes")
	})
	defer noticed()
	root.SetArgs(args)
	root.SetOut(answer)
	root.SetErr(errs)
	exit := c.execute(ctx, root)
	if answer.lost != nil {
		fmt.Fprintf(errs, "the answer could not be written: %v\n", answer.lost)
		c.sayExit(controller.ExitRig)
		return controller.ExitRig
	}
	return exit
}

func (c *cli) execute(ctx context.Context, root *cobra.Command) int {
	if err := root.ExecuteContext(ctx); err != nil {
		if ctx.Err() != nil {
			err = &interruptedError{err}
		}
		return c.failed(err)
	}
	return c.exit
}

// answer is where the answer is written to. What prints it looks at no error: the first is kept, since an exit code of 0
// must not stand for an answer that nobody got.
type answer struct {
	to   io.Writer
	lost error
}

func (a *answer) Write(b []byte) (int, error) {
	n, err := a.to.Write(b)
	if a.lost == nil {
		a.lost = err
	}
	return n, err
}

// startsNothing annotates a command that leaves nothing to be cleaned up, and looks at no context. Whoever forgets it of a new
// command has to press Ctrl-C twice; the other way round, a server would be left.
const startsNothing = "starts nothing"

func withoutStarts() map[string]string { return map[string]string{startsNothing: "yes"} }

// asksJSON tells whether --json is among the arguments.
func asksJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.ContainsFunc(args, func(a string) bool {
		value, ok := strings.CutPrefix(a, "--json=")
		on, err := strconv.ParseBool(value)
		return a == "--json" || ok && on && err == nil
	})
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
		Long: "chaos runs scenarios in which an owner of a partition goes on after it has lost it, against workers\n" +
			"that keep their snapshots with or without a fence, and says what broke and why. In a deterministic\n" +
			"simulator, or on real servers.",
		Example: "  chaos run stale-periodic-flush\n" +
			"  chaos list",
		Version:       controller.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return c.help(cmd) },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().BoolVar(&c.json, "json", c.json, "print one JSON document and nothing else")
	// The default is not the flag's but how it was given.
	root.PersistentFlags().Lookup("json").DefValue = "false"
	root.SetFlagErrorFunc(wrongFlag)
	root.PersistentPreRunE = noEmpty
	usage := strings.NewReplacer(".LocalFlags.FlagUsages", wrapped(".LocalFlags"), ".InheritedFlags.FlagUsages", wrapped(".InheritedFlags"))
	root.SetUsageTemplate(usage.Replace(root.UsageTemplate()))
	root.AddCommand(c.runCommand(), c.compareCommand(), c.listCommand(), c.checkCommand(), c.explainCommand(), c.faultsCommand(), c.guardsCommand(),
		c.controlsCommand(), c.exploreCommand(), c.soakCommand(), c.replayCommand(), c.shrinkCommand(),
		c.imagesCommand(), c.upCommand(), c.downCommand(), c.doctorCommand())
	root.SetHelpCommand(c.helpCommand())
	if c.json {
		c.speakJSON(root)
	}
	return root
}

func wrapped(flags string) string {
	return fmt.Sprintf("(%s.FlagUsagesWrapped %d)", flags, reports.Width)
}

// help is what a command that only holds others does by itself.
func (c *cli) help(cmd *cobra.Command) error {
	if c.json {
		return mistake("%s needs a command\n  %s", cmd.CommandPath(), commandsOf(cmd))
	}
	return cmd.Help()
}

// helpCommand is `chaos help`. Cobra's own takes a command that there is none of for no mistake.
func (c *cli) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			about, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(about, slices.Concat(rest, args)[0])
			}
			return about.Help()
		},
	}
}
