package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller/search"
	"github.com/single-writer/chaos/reports"
)

// exploreFlags are those of `chaos explore`.
type exploreFlags struct {
	arms    []string
	without []string
	from    int64
	seeds   int
	workers int
	out     string
	simFlags
}

// both asks for every strategy.
const both = "both"

func (c *cli) exploreCommand() *cobra.Command {
	var f exploreFlags
	cmd := &cobra.Command{
		Use:   "explore SCENARIO",
		Short: "Run a scenario with many seeds in the simulator, and group what fails",
		Long: "Runs a scenario with one seed after another in the simulator, on all cores, and keeps nothing but what\n" +
			"came out otherwise than stated, or as it may and need not. Failures are grouped by the property and the\n" +
			"shape of its witness; the first seed of each group is recorded as chaos run would.\n" +
			"Exit: 0 nothing that is not stated, 1 something, 3 vacuous, 4 unknown, 64 wrong usage, 70 the rig failed.",
		Example: "  chaos explore overlap-random --seeds 10000\n" +
			"  chaos explore overlap-random --arm cassandra/cas --without persist-condition --seeds 500\n" +
			"  chaos explore stale-periodic-flush --from 1000 --seeds 5000",
		Args: oneScenario,
		RunE: func(cmd *cobra.Command, args []string) error { return c.explore(cmd.Context(), args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.arms, "arm", nil, "the `ARM` to run (repeatable; default: all that the scenario speaks of)")
	flags.StringSliceVar(&f.without, "without", nil, "a `GUARD` to take from the arm (repeatable)")
	flags.IntVar(&f.seeds, "seeds", 1000, "run `N` seeds")
	flags.Int64Var(&f.from, "from", 1, "begin with seed `N`")
	flags.StringVar(&f.strategy, "strategy", sim.Walk, "`HOW` to draw schedules: walk (a random walk), pct (by priorities), both")
	f.addFaults(flags)
	flags.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "do `N` runs at a time (what is found does not depend on it)")
	flags.StringVar(&f.out, "out", "", "`DIR` to put the folders of failed runs into (default: runs/ and the time)")
	return cmd
}

// exploring is how much memory may grow before it is collected, in percent of what lives: a run's history is garbage when it
// is judged, and little else lives.
const exploring = 800

func (c *cli) explore(ctx context.Context, scenario string, f exploreFlags) error {
	switch {
	case f.seeds < 1:
		return mistake("--seeds takes a number from 1 on, not %d", f.seeds)
	case f.workers < 1:
		return mistake("--workers takes a number from 1 on, not %d", f.workers)
	}
	if err := seedsFrom(f.from, f.seeds); err != nil {
		return err
	}
	on, err := f.places(scenario)
	if err != nil {
		return err
	}
	q, err := c.request(scenario, clusterFlags{cluster: "sim", simFlags: plainSim})
	if err != nil {
		return err
	}
	q.Arms, q.Without, q.Seed, q.Seeds, q.Out = f.arms, f.without, f.from, f.seeds, f.out
	if q.Out == "" {
		q.Out = filepath.Join("runs", time.Now().UTC().Format("20060102T150405.000"))
	}
	defer debug.SetGCPercent(debug.SetGCPercent(exploring))
	look, end := c.looking(searched)
	found, err := search.Explore(ctx, search.Exploring{Request: q, On: on, Workers: f.workers, Look: look})
	end()
	if found == nil {
		return missingFile(err, scenario)
	}
	c.exit = found.Exit()
	if err != nil {
		c.exit = exitOf(err)
	}
	if c.json {
		d := exploredDocument{
			Schema: 1, Scenario: found.Scenario.Name, Arms: found.Arms, From: found.From, Seeds: f.seeds, Runs: found.Runs, Seconds: found.Took.Seconds(),
			Exit: c.exit, Findings: append([]*search.Finding{}, found.Findings...),
		}
		if err != nil {
			d.Error = err.Error()
		}
		c.print(d)
		return nil
	}
	told := found.Told()
	if err != nil {
		told.Broken = err.Error()
	}
	reports.Explored(c.out, told)
	return c.finish(err)
}

// places are the simulators to search, one for each strategy that was asked for.
func (f exploreFlags) places(scenario string) ([]search.Place, error) {
	all := []string{f.strategy}
	if f.strategy == both {
		all = sim.Strategies()
	}
	var out []search.Place
	for _, name := range all {
		s := f.simFlags
		s.strategy = name
		c, err := s.simulated()
		if err != nil {
			return nil, err
		}
		out = append(out, search.Place{Cluster: c, Again: "chaos run " + reports.Word(scenario) + s.again()})
	}
	return out, nil
}

// exploredDocument is what `chaos explore --json` prints.
type exploredDocument struct {
	Schema   int      `json:"schema"`
	Scenario string   `json:"scenario"`
	Arms     []string `json:"arms"`
	From     int64    `json:"from"`
	Seeds    int      `json:"seeds"`
	Runs     int      `json:"runs"`
	Seconds  float64  `json:"seconds"`
	Exit     int      `json:"exit"`
	// Error is why it ended early.
	Error    string            `json:"error,omitempty"`
	Findings []*search.Finding `json:"findings"`
}

// looking prints how far a search is: on a terminal in one line that is written over, elsewhere a line now and then.
func (c *cli) looking(told func(search.Tally) string) (look func(search.Tally), end func()) {
	every, before, after := 10*time.Second, "", "\n"
	if file, ok := c.errs.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			every, before, after = 200*time.Millisecond, "\r", "\033[K"
		}
	}
	last, said := time.Now(), false
	look = func(s search.Tally) {
		if c.json || time.Since(last) < every {
			return
		}
		last, said = time.Now(), true
		fmt.Fprintf(c.errs, "%s%s%s", before, told(s), after)
	}
	return look, func() {
		if said && before != "" {
			fmt.Fprint(c.errs, "\r\033[K")
		}
	}
}

// searched is how far a search is that knows how far it has to go.
func searched(s search.Tally) string {
	return fmt.Sprintf("%d of %d runs, %d failed, %.0f a second", s.Runs, s.Of, s.Failures, float64(s.Runs)/s.Took.Seconds())
}
