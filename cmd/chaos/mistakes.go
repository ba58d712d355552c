package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/internal/nearest"
)

// What the parsers of the command line say of a mistake speaks of arguments received and of strconv. These say it in the
// words of this program, with what to write instead.

// mistake is one of whoever asked.
func mistake(format string, args ...any) error {
	return &controller.Usage{Err: fmt.Errorf(format, args...)}
}

// cobraUnknown gives the name in cobra's error about a command that there is none of; the error has no type.
func cobraUnknown(err error) (string, bool) {
	var name string
	_, scan := fmt.Sscanf(err.Error(), "unknown command %q for", &name)
	return name, scan == nil
}

// unknownCommand says that a command has no command of that name.
func unknownCommand(of *cobra.Command, name string) error {
	return mistake("%s has no command %q%s\n  %s", of.CommandPath(), name, nearest.Hint(name, commandNames(of)), commandsOf(of))
}

func commandNames(of *cobra.Command) []string {
	var names []string
	for _, sub := range of.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}

func commandsOf(of *cobra.Command) string {
	return fmt.Sprintf("commands: %s (%s --help)", strings.Join(commandNames(of), " "), of.CommandPath())
}

// onlyCommands is for a command whose arguments can only be names of its own commands, mistyped.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return nil
}

// nothing is for a command that takes no arguments.
func nothing(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return mistake("%s takes no arguments, and here is %q\n  %s", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	return nil
}

// oneScenario is for the commands that take a scenario.
func oneScenario(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return mistake("%s needs a scenario: a name of the catalogue, or the path of a file of your own\n"+
			"  %s\n  chaos list shows the catalogue", cmd.CommandPath(), example(cmd))
	case 1:
		return nil
	}
	return mistake("%[1]s takes one scenario, and here are %[2]d: %[3]s\n  %[1]s %[4]s", cmd.CommandPath(), len(args),
		strings.Join(args, " "), args[0])
}

// oneRun is for the commands that take the folder of a run.
func oneRun(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return mistake("%s needs a run: the folder that chaos run, or chaos explore, has recorded\n  %s", cmd.CommandPath(), example(cmd))
	case 1:
		return nil
	}
	return mistake("%[1]s takes one run, and here are %[2]d: %[3]s\n  %[1]s %[4]s", cmd.CommandPath(), len(args),
		strings.Join(args, " "), args[0])
}

// someHistories is for `chaos check`.
func someHistories(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return mistake("chaos check needs a history: the history.jsonl in the folder of a run\n"+
		"  %s\n  chaos run says where it recorded", example(cmd))
}

// examples are a value of each flag that takes one.
var examples = map[string]string{
	"cluster": "containers", "arm": "cassandra/cas", "without": "persist-condition", "seed": "7", "out": "runs/mine",
	"kafka-image": "apache/kafka:4.3.1", "cassandra-image": "cassandra:5.0.5",
	"kafka": "3", "cassandra": "3", "keyspace": "mine", "arms": "cassandra/lww,cassandra/cas", "seeds": "3", "format": "markdown",
	"from": "1000", "only": "cassandra_notomb", "strategy": "pct", "loss": "0.01", "replicas": "3", "skew": "20ms",
	"workers": "2", "driver": "gocql1", "retries": "2", "retry-pause": "1500ms",
	"for":   "10m",
	"times": "100", "property": "durable-fold", "most": "1000", "slower": "10", "decisions": "3-40,77",
}

// mostSeeds is more than anybody runs: a year of them, at a hundred a second.
const mostSeeds = 1_000_000_000

// seedsFrom says what is wrong with so many seeds from the first on.
func seedsFrom(first int64, seeds int) error {
	switch {
	case seeds > mostSeeds:
		return mistake("--seeds takes a number up to %d, not %d", mostSeeds, seeds)
	case first > math.MaxInt64-int64(seeds-1):
		return mistake("%d seeds from %d on go beyond the largest, %d", seeds, first, math.MaxInt64)
	}
	return nil
}

// noEmpty refuses a flag that was given nothing: it would be taken for one that was not given.
func noEmpty(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.Type() == "string" && f.Value.String() == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			empty = len(list.GetSlice()) == 0 || slices.Contains(list.GetSlice(), "")
		}
		if empty && err == nil {
			err = mistake("--%s needs a value\n  %s --%s %s", f.Name, example(cmd), f.Name, examples[f.Name])
		}
	})
	return err
}

// wrongFlag says what is wrong with a flag.
func wrongFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		name := "--" + unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			name = "-" + unknown.GetSpecifiedName()
		}
		return noFlag(cmd, name)
	case errors.As(err, &empty):
		name := empty.GetSpecifiedName()
		return mistake("--%s needs a value\n  %s --%s %s", name, example(cmd), name, examples[name])
	case errors.As(err, &value):
		return wrongValue(cmd, value)
	}
	return &controller.Usage{Err: fmt.Errorf("%w\n  %s --help", err, cmd.CommandPath())}
}

func noFlag(cmd *cobra.Command, name string) error {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return mistake("%s has no flag %s%s\n  flags: %s (%s --help)", cmd.CommandPath(), name, nearest.Hint(name, names),
		strings.Join(names, " "), cmd.CommandPath())
}

func wrongValue(cmd *cobra.Command, e *pflag.InvalidValueError) error {
	f := e.GetFlag()
	due := "something else"
	switch f.Value.Type() {
	case "duration":
		due = "a time as 1500ms or 2s"
	case "int", "int64":
		due = "a whole number"
		if errors.Is(e, strconv.ErrRange) {
			due = "a number that fits into 64 bits"
		}
	case "bool":
		return mistake("--%s takes no value, or =true or =false; not %q\n  %s --%s", f.Name, e.GetValue(), example(cmd), f.Name)
	case "stringSlice":
		due = "a name, or several with commas between"
	}
	return mistake("--%s takes %s, not %q\n  %s --%s %s", f.Name, due, e.GetValue(), example(cmd), f.Name, examples[f.Name])
}

// example is a call of the command that works: the first of its own examples, but for flags.
func example(cmd *cobra.Command) string {
	first, _, _ := strings.Cut(cmd.Example, "\n")
	call, _, _ := strings.Cut(strings.TrimSpace(first), " --")
	if call == "" {
		return cmd.CommandPath()
	}
	return call
}
