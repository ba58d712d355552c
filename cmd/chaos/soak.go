package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/controller/search"
	"github.com/single-writer/chaos/reports"
)

// soakFlags are those of `chaos soak`.
type soakFlags struct {
	clusterFlags
	duration time.Duration
	seed     int64
	workers  int
	out      string
	format   string
}

func (c *cli) soakCommand() *cobra.Command {
	var f soakFlags
	cmd := &cobra.Command{
		Use:   "soak [SCENARIO...] --for TIME",
		Short: "Run the whole catalogue with new seeds until the time is up, and group what fails",
		Long: "Runs scenarios (the whole catalogue, unless some are named) under each arm that they state something of, with one\n" +
			"new seed after another until the time is up: in the simulator on all cores, on real servers one run after\n" +
			"another on one cluster. What does not come out as stated is grouped by the property and the shape of its\n" +
			"witness; the first run of each group stays, beside soak.md and soak.json. Ctrl-C ends it with what was done.\n" +
			"Exit: 0 all as stated, 1 not, 3 vacuous, 4 unknown, 64 wrong usage, 70 the rig failed or it was interrupted.",
		Example: "  chaos soak --for 10m\n" +
			"  chaos soak overlap-random calm --for 1h --strategy pct --loss 0.01\n" +
			"  chaos soak --for 8h --cluster containers --out nightly/2026-01-31",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("seed") {
				f.seed = newSeed(time.Now())
			}
			return c.soak(cmd.Context(), args, f)
		},
	}
	flags := cmd.Flags()
	f.add(flags)
	flags.DurationVar(&f.duration, "for", 0, "begin new runs for this `TIME`, counted from the first")
	flags.Int64Var(&f.seed, "seed", 0, "begin with seed `N` (default: one that is drawn from the time)")
	flags.Lookup("seed").DefValue = "" // it has none that could be shown
	flags.IntVar(&f.workers, "workers", 0, "do `N` runs at a time in the simulator (default: as many as there are cores)")
	flags.Lookup("workers").DefValue = ""
	flags.StringVar(&f.out, "out", "", "`DIR` to put the summary and the folders of failed runs into (default: runs/ and the time)")
	flags.StringVar(&f.format, "format", "terminal", "print it as `FORMAT`: terminal, markdown")
	return cmd
}

// newSeed draws the first seed of a soak from the time: no machine does a thousand rounds of the catalogue a second, so that
// the seeds of this soak are behind those of the next.
func newSeed(now time.Time) int64 { return now.UnixMilli() }

func (c *cli) soak(ctx context.Context, names []string, f soakFlags) error {
	q, err := c.soaking(names, f)
	if err != nil {
		return err
	}
	look, end := c.looking(func(s search.Tally) string {
		return fmt.Sprintf("%s of %s: %d runs, %d failed, %.1f a second", s.Took.Round(time.Second), f.duration, s.Runs, s.Failures,
			float64(s.Runs)/s.Took.Seconds())
	})
	q.Look = look
	defer debug.SetGCPercent(debug.SetGCPercent(exploring))
	soaked, err := search.Soak(ctx, q)
	end()
	if soaked == nil {
		return err
	}
	c.exit = soaked.Exit
	switch {
	case c.json:
		c.print(soaked)
		return nil
	case f.format == "markdown":
		soaked.Told().Markdown(c.out)
	default:
		soaked.Told().Terminal(c.out)
	}
	return c.finish(err)
}

// soaking is what the controller is asked to do.
func (c *cli) soaking(names []string, f soakFlags) (search.Soaking, error) {
	switch {
	case f.duration <= 0:
		return search.Soaking{}, mistake("chaos soak needs a time above 0 to run for\n  chaos soak --for %s", examples["for"])
	case f.workers < 0:
		return search.Soaking{}, mistake("--workers takes a number from 1 on, not %d", f.workers)
	case f.workers > 1 && f.cluster != "sim":
		return search.Soaking{}, mistake("--workers is about the simulator: real servers do one run at a time, as one would disturb the other's time-outs")
	}
	for _, wrong := range []error{c.wrongFormat(f.format), seedsFrom(f.seed, mostSeeds)} {
		if wrong != nil {
			return search.Soaking{}, wrong
		}
	}
	q, err := c.request("", f.clusterFlags)
	if err != nil {
		return search.Soaking{}, err
	}
	q.Seed, q.Out, q.Progress = f.seed, f.out, c.progress
	if q.Out == "" {
		q.Out = filepath.Join("runs", time.Now().UTC().Format("20060102T150405.000"))
	}
	q.Again = "chaos soak"
	for _, name := range names {
		q.Again += " " + reports.Word(name)
	}
	q.Again += fmt.Sprintf("%s --for %s --seed %d", f.again(), f.duration, f.seed)
	workers := 1
	if f.cluster == "sim" {
		workers = cores(f.workers)
	}
	return search.Soaking{
		Request: q, Scenarios: names, For: f.duration, Workers: workers,
		Repeat: func(scenario string) string { return "chaos run " + reports.Word(scenario) + f.again() },
	}, nil
}

// cores is how many runs there are at a time: all cores, unless somebody asks for another number.
func cores(asked int) int {
	if asked > 0 {
		return asked
	}
	return runtime.GOMAXPROCS(0)
}
