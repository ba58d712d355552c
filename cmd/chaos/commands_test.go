package main

import (
	"io"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// every is each command of the program.
func every(t *testing.T) (out []*cobra.Command) {
	t.Helper()
	c := &cli{out: io.Discard, errs: io.Discard}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		out = append(out, cmd)
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(c.root())
	return out
}

// The commands that an interrupt ends at once are those that start nothing.
func TestWhatStartsNothing(t *testing.T) {
	var names []string
	for _, cmd := range every(t) {
		if cmd.Annotations[startsNothing] != "" && cmd.Parent().Name() != "list" {
			names = append(names, cmd.Name())
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"check", "explain", "faults", "list"}) {
		t.Errorf("an interrupt cleans up nothing in %v", names)
	}
}

// A flag that was given no value is answered with one.
func TestEveryFlagHasASample(t *testing.T) {
	for _, cmd := range every(t) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "bool" && examples[f.Name] == "" {
				t.Errorf("%s --%s has no sample value in examples", cmd.CommandPath(), f.Name)
			}
		})
	}
}

// What was asked of a run on real servers is in the command that asks it again.
func TestReplayAgain(t *testing.T) {
	f := replayFlags{clusterFlags: clusterFlags{cluster: "containers"}, slower: slower}
	if got := f.again(); got != " --cluster containers" {
		t.Errorf("%q", got)
	}
	f.slower, f.property = 9, "durable-fold"
	if got := f.again(); got != " --cluster containers --slower 9 --property durable-fold" {
		t.Errorf("%q", got)
	}
}
