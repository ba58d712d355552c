package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/internal/nearest"
	"github.com/single-writer/chaos/reports"
)

// compareFlags are those of `chaos compare`.
type compareFlags struct {
	clusterFlags
	arms   []string
	seed   int64
	seeds  int
	out    string
	format string
}

// formats are what a comparison and a soak can be printed in.
var formats = []string{"terminal", "markdown"}

func (c *cli) compareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare SCENARIO",
		Short: "Run a scenario under several arms and put side by side what each saved and cost",
		Long: "Runs a scenario with the same seeds, inputs and plan under each arm that it states something of, or\n" +
			"under those that are named, and puts them side by side: properties, losses, latencies, throughput.\n" +
			"Exit: as of run; of several the first of 70, 1, 4, 3.",
		Example: "  chaos compare stale-periodic-flush\n" +
			"  chaos compare stale-periodic-flush --cluster containers --seeds 3\n" +
			"  chaos compare stale-delete --arms cassandra/cas-persist,cassandra/cas --format markdown",
		Args: oneScenario,
		RunE: func(cmd *cobra.Command, args []string) error { return c.compare(cmd.Context(), args[0], f) },
	}
	flags := cmd.Flags()
	f.add(flags)
	flags.StringSliceVar(&f.arms, "arms", nil, "the `ARMS` to compare, with commas between (default: all that the scenario speaks of)")
	flags.IntVar(&f.seeds, "seeds", 1, "run `N` seeds, from --seed on, under each arm")
	flags.Int64Var(&f.seed, "seed", 1, "seed `N` of the amounts, and in the simulator of every decision")
	flags.StringVar(&f.out, "out", "", "`DIR` to put the runs' folders into (default: runs/ and the time)")
	flags.StringVar(&f.format, "format", "terminal", "print it as `FORMAT`: terminal, markdown")
	return cmd
}

func (c *cli) compare(ctx context.Context, scenario string, f compareFlags) error {
	if f.seeds < 1 {
		return mistake("--seeds takes how many seeds to run, 1 at least; not %d", f.seeds)
	}
	if err := cmp.Or(c.wrongFormat(f.format), seedsFrom(f.seed, f.seeds)); err != nil {
		return err
	}
	q, err := c.request(scenario, f.clusterFlags)
	if err != nil {
		return err
	}
	q.Arms, q.Seed, q.Seeds, q.Out = f.arms, f.seed, f.seeds, f.out
	o, compared, err := controller.Compare(ctx, q)
	if o == nil {
		return missingFile(err, scenario)
	}
	c.exit = compared.Exit
	switch {
	case c.json:
		c.print(compared)
		return nil
	case f.format == "markdown":
		compared.Markdown(c.out)
	default:
		compared.Terminal(c.out, f.next(scenario, compared))
	}
	return c.finish(err)
}

// wrongFormat says what is wrong with the format that was asked for.
func (c *cli) wrongFormat(format string) error {
	switch {
	case c.json && format == "markdown":
		return mistake("--json prints JSON, and --format markdown something else: leave out one of the two")
	case !slices.Contains(formats, format):
		return mistake("no format is called %q%s; there are: terminal (the default), markdown; --json prints JSON", format,
			nearest.Hint(format, formats))
	}
	return nil
}

// next are commands worth trying after a comparison.
func (f compareFlags) next(scenario string, compared reports.Comparison) []string {
	var out []string
	if f.cluster == "sim" {
		out = append(out, "chaos compare "+reports.Word(scenario)+same("--arms", f.arms, f.seed, f.seeds)+" --cluster containers")
	}
	for _, p := range checker.PropertyNames() {
		for _, a := range compared.Arms {
			if a.Properties[p][checker.Fail] > 0 {
				return append(out, "chaos explain "+p)
			}
		}
	}
	return out
}
