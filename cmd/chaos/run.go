package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/reports"
	"github.com/single-writer/chaos/workload/persistence"
)

// runFlags are those of `chaos run`.
type runFlags struct {
	cluster   string
	arms      []string
	without   []string
	seed      int64
	out       string
	kafka     string
	cassandra string
}

func (c *cli) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "Run a scenario under each arm and say what broke, when and why",
		Long: "Runs a scenario of the catalogue, or the file at a path, under each arm that it states something of, and says whether\n" +
			"each run came out as stated. Exit: 0 as stated, 1 not, 3 vacuous, 4 unknown, 64 wrong usage, 70 the rig failed.",
		Example: "  chaos run stale-periodic-flush\n" +
			"  chaos run stale-periodic-flush --cluster containers\n" +
			"  chaos run stale-periodic-flush --arm cassandra/cas --without persist-condition\n" +
			"  chaos run ./mine.yaml --seed 7",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.cluster, "cluster", "sim", "what to run on: sim, containers")
	flags.StringSliceVar(&f.arms, "arm", nil, "the arm to run (repeatable; default: each that the scenario states something of)")
	flags.StringSliceVar(&f.without, "without", nil, "a guard to take from the arm (repeatable)")
	flags.Int64Var(&f.seed, "seed", 1, "seed of the input's amounts, and in the simulator of every decision")
	flags.StringVar(&f.out, "out", "", "folder for the runs' folders (default runs/ and the time)")
	flags.StringVar(&f.kafka, "kafka-image", "", "image of Kafka for --cluster containers")
	flags.StringVar(&f.cassandra, "cassandra-image", "", "image of Cassandra for --cluster containers")
	return cmd
}

// opener gives what starts the cluster.
func (c *cli) opener(f runFlags) (func(context.Context) (cluster.Cluster, error), error) {
	switch f.cluster {
	case "sim":
		return func(context.Context) (cluster.Cluster, error) { return sim.Cluster{}, nil }, nil
	case "containers":
		return func(ctx context.Context) (cluster.Cluster, error) {
			return containers.Open(ctx, containers.Options{KafkaImage: f.kafka, CassandraImage: f.cassandra, Log: c.progress})
		}, nil
	}
	return nil, &controller.Usage{Err: fmt.Errorf("no cluster is called %q; there are: sim, containers", f.cluster)}
}

// progress prints what is going on, on the error stream: the output is the answer's alone.
func (c *cli) progress(line string) {
	if !c.json {
		fmt.Fprintln(c.errs, line)
	}
}

func (c *cli) run(ctx context.Context, scenario string, f runFlags) error {
	open, err := c.opener(f)
	if err != nil {
		return err
	}
	progress := c.progress
	if f.cluster == "sim" {
		progress = func(string) {}
	}
	o, err := controller.Do(ctx, controller.Request{
		Scenario: scenario, Arms: f.arms, Without: f.without, Seed: f.seed, Out: f.out,
		Command: append([]string{"chaos"}, c.args...), Open: open, Progress: progress,
	})
	if err != nil {
		return err
	}
	c.exit = o.Exit()
	if c.json {
		c.print(document(o))
		return nil
	}
	reports.Terminal(c.out, batch(o, scenario, f))
	if c.exit != controller.ExitExpected {
		fmt.Fprintf(c.out, "exit %d\n", c.exit)
	}
	return nil
}

// runDocument is what `chaos run --json` prints.
type runDocument struct {
	Schema   int           `json:"schema"`
	Scenario string        `json:"scenario"`
	Seed     int64         `json:"seed"`
	Seconds  float64       `json:"seconds"`
	Exit     int           `json:"exit"`
	Runs     []runInFolder `json:"runs"`
}

type runInFolder struct {
	Folder  string             `json:"folder"`
	Seconds float64            `json:"seconds"`
	Verdict controller.Verdict `json:"verdict"`
}

func document(o *controller.Outcome) runDocument {
	d := runDocument{
		Schema: controller.VerdictSchema, Scenario: o.Scenario.Name, Seed: o.Seed, Seconds: o.Took.Seconds(), Exit: o.Exit(),
		Runs: []runInFolder{},
	}
	for _, r := range o.Runs {
		d.Runs = append(d.Runs, runInFolder{Folder: r.Folder, Seconds: r.Took.Seconds(), Verdict: r.Verdict})
	}
	return d
}

// batch is the outcome as the report wants it.
func batch(o *controller.Outcome, scenario string, f runFlags) reports.Batch {
	again := "chaos run " + scenario
	if f.cluster != "sim" {
		again += " --cluster " + f.cluster
	}
	again += fmt.Sprintf(" --seed %d", f.seed)
	b := reports.Batch{
		Scenario: o.Scenario.Name, About: o.Scenario.About, Cluster: clusterLabel(o), Seed: o.Seed, Took: o.Took, Again: again,
	}
	for _, r := range o.Runs {
		b.Runs = append(b.Runs, reports.Run{
			Arm: r.Arm, About: armAbout(r.Arm), Without: r.Without, History: r.History, Report: r.Verdict.Report(),
			Expected: r.Verdict.Expected, Deviations: r.Verdict.Deviations,
		})
	}
	if f.cluster == "sim" {
		b.Next = append(b.Next, "chaos run "+scenario+" --cluster containers")
	}
	if len(o.Runs) > 0 {
		b.Folder = filepath.Dir(o.Runs[0].Folder) + "/"
		b.Next = append(b.Next, "chaos check "+b.Folder+"*/history.jsonl")
	}
	return b
}

func armAbout(name string) string {
	for _, a := range persistence.Arms() {
		if a.Name == name {
			return a.Name + " is " + a.About
		}
	}
	return name
}

func clusterLabel(o *controller.Outcome) string {
	if o.Cluster.Kind == "sim" {
		return "sim"
	}
	return fmt.Sprintf("%s (Kafka %s, Cassandra %s)", o.Cluster.Kind, o.Cluster.Kafka, o.Cluster.Cassandra)
}
