package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/reports"
)

// runFlags are those of `chaos run`.
type runFlags struct {
	clusterFlags
	arms    []string
	without []string
	seed    int64
	out     string
}

func (c *cli) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "Run a scenario under each arm and say what broke, when and why",
		Long: "Runs a scenario of the catalogue, or the file at a path, under each arm that it states something of,\n" +
			"and says whether each run came out as stated.\n" +
			"Exit: 0 as stated, 1 not, 3 vacuous, 4 unknown, 64 wrong usage, 70 the rig failed.",
		Example: "  chaos run stale-periodic-flush\n" +
			"  chaos run stale-periodic-flush --cluster containers\n" +
			"  chaos run stale-periodic-flush --arm cassandra/cas --without persist-condition\n" +
			"  chaos run ./mine.yaml --seed 7",
		Args: oneScenario,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args[0], f) },
	}
	flags := cmd.Flags()
	f.add(flags)
	flags.StringSliceVar(&f.arms, "arm", nil, "the `ARM` to run (repeatable; default: all that the scenario speaks of)")
	flags.StringSliceVar(&f.without, "without", nil, "a `GUARD` to take from the arm (repeatable)")
	flags.Int64Var(&f.seed, "seed", 1, "seed `N` of the amounts, and in the simulator of every decision")
	flags.StringVar(&f.out, "out", "", "`DIR` to put the runs' folders into (default: runs/ and the time)")
	return cmd
}

// progress prints what is going on, on the error stream: the output is the answer's alone.
func (c *cli) progress(line string) {
	if !c.json {
		fmt.Fprintln(c.errs, line)
	}
}

// progressOn is progress on a cluster: in the simulator all is over before anybody could read it.
func (c *cli) progressOn(f clusterFlags) func(string) {
	if f.cluster == "sim" {
		return func(string) {}
	}
	return c.progress
}

func (c *cli) run(ctx context.Context, scenario string, f runFlags) error {
	q, err := c.request(scenario, f.clusterFlags)
	if err != nil {
		return err
	}
	q.Arms, q.Without, q.Seed, q.Out = f.arms, f.without, f.seed, f.out
	b, err := controller.Do(ctx, q)
	if err != nil && (b == nil || len(b.Runs) == 0) {
		return missingFile(err, scenario)
	}
	// Runs that were done before the rig failed have their verdicts all the same.
	c.exit = b.Exit()
	if c.json {
		d := document(b)
		if err != nil {
			c.exit = exitOf(err)
			d.Exit, d.Error = c.exit, err.Error()
		}
		c.print(d)
		return nil
	}
	told := b.Told()
	told.Next = f.next(scenario, b)
	if err != nil {
		told.Broken, told.Interrupted = err.Error(), ctx.Err() != nil
	}
	reports.Terminal(c.out, told)
	return c.finish(err)
}

// request is what the controller is asked to do, but for arms and seeds.
func (c *cli) request(scenario string, f clusterFlags) (controller.Request, error) {
	open, err := c.opener(f)
	return controller.Request{
		Scenario: scenario, Kind: f.cluster, Open: open, Progress: c.progressOn(f), Command: append([]string{"chaos"}, c.args...),
		Again: "chaos run " + reports.Word(scenario) + f.again(),
	}, err
}

// missingFile says of an error about a scenario's file that is not there what to do.
func missingFile(err error, scenario string) error {
	var usage *controller.Usage
	if errors.As(err, &usage) && errors.Is(err, fs.ErrNotExist) {
		return mistake("there is no file %s\n  chaos list shows the scenarios that need none", scenario)
	}
	return err
}

// runDocument is what `chaos run --json` prints.
type runDocument struct {
	Schema   int     `json:"schema"`
	Scenario string  `json:"scenario"`
	Seed     int64   `json:"seed"`
	Seconds  float64 `json:"seconds"`
	Exit     int     `json:"exit"`
	// Error is the rig's own, after the runs that are listed.
	Error string        `json:"error,omitempty"`
	Runs  []runInFolder `json:"runs"`
}

type runInFolder struct {
	Folder  string             `json:"folder"`
	Seconds float64            `json:"seconds"`
	Verdict controller.Verdict `json:"verdict"`
}

func document(b *controller.Batch) runDocument {
	d := runDocument{
		Schema: controller.VerdictSchema, Scenario: b.Scenario.Name, Seed: b.Seed, Seconds: b.Took.Seconds(), Exit: b.Exit(),
		Runs: []runInFolder{},
	}
	for _, r := range b.Runs {
		d.Runs = append(d.Runs, runInFolder{Folder: r.Folder, Seconds: r.Took.Seconds(), Verdict: r.Verdict})
	}
	return d
}

// next are commands worth trying after a run that came out as stated: about the same arms and the same seed.
func (f runFlags) next(scenario string, b *controller.Batch) []string {
	var out []string
	if len(b.Runs) > 1 && len(f.without) == 0 {
		out = append(out, "chaos compare "+reports.Word(scenario)+same("--arms", f.arms, f.seed, 1)+f.again())
	}
	if f.cluster == "sim" {
		out = append(out, "chaos run "+reports.Word(scenario)+same("--arm", f.arms, f.seed, 1)+flagged("--without", f.without)+" --cluster containers")
	}
	return append(out, "chaos check "+reports.Word(b.Folder+"/")+"*/history.jsonl")
}

// same are the flags that ask for the same arms and seeds; flag is how the command calls an arm.
func same(flag string, arms []string, seed int64, seeds int) (text string) {
	text = flagged(flag, arms)
	if seed != 1 {
		text += fmt.Sprintf(" --seed %d", seed)
	}
	if seeds != 1 {
		text += fmt.Sprintf(" --seeds %d", seeds)
	}
	return text
}

// flagged is a flag that is given with each of the values.
func flagged(flag string, values []string) (text string) {
	for _, v := range values {
		text += " " + flag + " " + v
	}
	return text
}
