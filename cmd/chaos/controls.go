package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/controls"
	"github.com/single-writer/chaos/internal/nearest"
	"github.com/single-writer/chaos/reports"
)

// controlsFlags are those of `chaos controls`.
type controlsFlags struct {
	base    int64
	only    []string
	workers int
	why     bool
}

func (c *cli) controlsCommand() *cobra.Command {
	var f controlsFlags
	cmd := &cobra.Command{
		Use:   "controls",
		Short: "Find, without a script, what the published models of the fence must find",
		Long: "Tries each configuration of the TLA+ models of the fence in the simulator: scenarios whose plans are left\n" +
			"to the seed are run until the property fails that must fail without the guard, or so many times that\n" +
			"something would have come up where all must hold. Nothing is recorded; each line names a seed to run.\n" +
			"Exit: 0 all as expected, 1 one is not, 3 vacuous, 64 wrong usage, 70 the rig failed.",
		Example: "  chaos controls\n" +
			"  chaos controls --seed 4711\n" +
			"  chaos controls --only cassandra_notomb --only serial_race",
		Args: nothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.controls(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.Int64Var(&f.base, "seed", 1, "begin with the first seed of `BASE`: those of two bases have none in common")
	flags.StringSliceVar(&f.only, "only", nil, "try the `CASE` alone (repeatable)")
	flags.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "do `N` runs at a time (what is found does not depend on it)")
	flags.BoolVar(&f.why, "why", false, "say of each what it rests on")
	return cmd
}

// chosen are the controls that were asked for, in their order.
func (f controlsFlags) chosen() ([]controls.Control, error) {
	all := controls.All()
	var names []string
	for _, c := range all {
		names = append(names, c.Case)
	}
	for _, name := range f.only {
		if !slices.Contains(names, name) {
			return nil, mistake("no control is called %q%s\n  controls: %s", name, nearest.Hint(name, names), strings.Join(names, " "))
		}
	}
	if len(f.only) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(c controls.Control) bool { return !slices.Contains(f.only, c.Case) }), nil
}

// controlsDocument is what `chaos controls --json` prints.
type controlsDocument struct {
	Schema int   `json:"schema"`
	Base   int64 `json:"base"`
	Exit   int   `json:"exit"`
	// Error is the rig's own, after the controls that are listed.
	Error    string         `json:"error,omitempty"`
	Controls []controlTried `json:"controls"`
}

// controlTried is a control with what came of it.
type controlTried struct {
	Case     string   `json:"case"`
	Declared string   `json:"declared"`
	Expected string   `json:"expected"`
	Found    string   `json:"found"`
	As       bool     `json:"as_expected"`
	Tried    int      `json:"tried"`
	Of       int      `json:"of"`
	Seen     int      `json:"seen"`
	Seconds  float64  `json:"seconds"`
	Scenario string   `json:"scenario"`
	Arm      string   `json:"arm"`
	Without  []string `json:"without"`
	Also     []string `json:"also"`
	Seed     int64    `json:"seed,omitempty"`
	Sentence string   `json:"sentence,omitempty"`
	Again    string   `json:"again,omitempty"`
	Why      string   `json:"why"`
}

func (c *cli) controls(ctx context.Context, f controlsFlags) error {
	switch {
	case f.base < 0 || f.base > controls.MostBase:
		return mistake("--seed takes a number from 0 to %d, not %d", controls.MostBase, f.base)
	case f.workers < 1:
		return mistake("--workers takes a number from 1 on, not %d", f.workers)
	}
	chosen, err := f.chosen()
	if err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(exploring))
	var tried []controls.Trial
	var codes []int
	for _, one := range chosen {
		c.progress(one.Case)
		t, tryErr := one.Try(ctx, sim.Cluster{}, f.base, f.workers)
		if err = tryErr; err != nil {
			break
		}
		tried, codes = append(tried, t), append(codes, t.Exit())
	}
	c.exit = controller.Worst(codes...)
	if err != nil {
		c.exit = exitOf(err)
	}
	if c.json {
		d := controlsDocument{Schema: 1, Base: f.base, Exit: c.exit, Controls: []controlTried{}}
		if err != nil {
			d.Error = err.Error()
		}
		for _, t := range tried {
			d.Controls = append(d.Controls, documentOf(t))
		}
		c.print(d)
		return nil
	}
	told := make([]reports.Control, len(tried))
	for i, t := range tried {
		told[i] = t.Told()
	}
	reports.Controls(c.out, f.base, told, len(chosen), f.why, ctx.Err() != nil)
	return c.finish(err)
}

func documentOf(t controls.Trial) controlTried {
	out := controlTried{
		Case: t.Case, Declared: t.Declared, Expected: t.Expects(), Found: t.Told().Found, As: t.AsExpected(), Tried: t.Tried, Of: t.Seeds, Seen: t.Seen,
		Seconds: t.Took.Seconds(), Scenario: t.Scenario, Arm: t.Arm, Without: append([]string{}, t.Without...),
		Also: append([]string{}, t.Also...), Sentence: t.Sentence, Why: t.Why,
	}
	if t.Found {
		out.Seed, out.Again = t.Seed, t.Command(t.Seed)
	}
	return out
}
