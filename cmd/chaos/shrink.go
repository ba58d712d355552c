package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller/replay"
	"github.com/single-writer/chaos/controller/shrink"
	"github.com/single-writer/chaos/reports"
)

// shrinkFlags are those of `chaos shrink`.
type shrinkFlags struct {
	property string
	seeds    int
	most     int
	out      string
}

func (c *cli) shrinkCommand() *cobra.Command {
	var f shrinkFlags
	cmd := &cobra.Command{
		Use:   "shrink RUN",
		Short: "Make the scenario of a failed run smaller as long as it fails in the same way",
		Long: "Leaves out of the scenario of a recorded run what is not needed for its failure: steps and faults of the\n" +
			"plan, then members, partitions and keys, events, settings, moments and pauses, then decisions of the\n" +
			"schedule; each as long as the property fails by a witness of the same shape, and nothing else begins to\n" +
			"fail. What is left is a scenario file that anybody can run, and its run.\n" +
			"Exit: 0 done, 64 the folder is no run that fails, or fails when it is done again, 70 the rig failed.",
		Example: "  chaos shrink runs/20261130T081500.000/overlap-random.cassandra-lww.sim.seed-51\n" +
			"  chaos shrink runs/20261130T081500.000/overlap-random.cassandra-lww.sim.seed-51 --property durable-fold --out small",
		Args: oneRun,
		RunE: func(cmd *cobra.Command, args []string) error { return c.shrink(cmd.Context(), args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.property, "property", "", "the `PROPERTY` whose failure is kept (default: the one that explore tells of first)")
	flags.IntVar(&f.seeds, "seeds", 10, "try `N` seeds with each smaller scenario, the run's own first")
	flags.IntVar(&f.most, "most", 20000, "do `N` runs at most")
	flags.StringVar(&f.out, "out", "", "`DIR` to put the smaller scenario and its run into (default: small/ in the run's folder)")
	return cmd
}

func (c *cli) shrink(ctx context.Context, folder string, f shrinkFlags) error {
	switch {
	case f.seeds < 1:
		return mistake("--seeds takes a number from 1 on, not %d", f.seeds)
	case f.most < 3:
		return mistake("--most takes a number from 3 on, not %d: the run is done again first, and twice in the end", f.most)
	}
	r, err := replay.Open(folder)
	if err != nil {
		return err
	}
	if kind := r.History.Header.Cluster.Kind; kind != "sim" {
		return mistake("%s was recorded on %s: a scenario is made smaller in the simulator, where hundreds of runs take seconds\n"+
			"  chaos explore searches it for the failure there", r.Folder, kind)
	}
	if err := seedsFrom(r.Job.Seed, f.seeds+100); err != nil {
		return err
	}
	done, err := shrink.Do(ctx, shrink.Request{
		Run: r, Property: f.property, Seeds: f.seeds, Most: f.most, Out: f.out, Command: append([]string{"chaos"}, c.args...),
		On: func(schedule string) (cluster.Cluster, error) { return sim.Scheduled(schedule) },
		Look: func(l shrink.Left) {
			c.progress(fmt.Sprintf("%s %d -> %d", l.Of, l.Before, l.After))
		},
	})
	if done == nil {
		return err
	}
	again, broken := c.shrunkAgain(done)
	err = errors.Join(err, broken)
	if c.json {
		d := shrunkDocument{
			Schema: 1, Folder: r.Folder, Property: done.Property, Fingerprint: done.Fingerprint, Left: append([]shrink.Left{}, done.Left...),
			Seed: done.Seed, Schedule: done.Schedule, Runs: done.Runs, Seconds: done.Took.Seconds(), Whole: done.Whole, Often: done.Often, Of: done.Of, Only: done.Only,
			File: done.File, Run: done.Folder, Again: again,
		}
		if err != nil {
			d.Error, d.Exit = err.Error(), exitOf(err)
			c.exit = d.Exit
		}
		c.print(d)
		return nil
	}
	if err != nil {
		return err
	}
	told := reports.Shrink{
		What: described(r), Property: done.Property, Sentence: done.Sentence, Schedule: done.Schedule, Was: done.Was, Runs: done.Runs, Took: done.Took,
		Whole: done.Whole, Often: done.Often, Of: done.Of, Only: done.Only, Decisions: done.Decisions, Bare: done.Bare, Beyond: done.Beyond, Again: again, Folder: done.Folder,
		Next: []string{"chaos replay " + reports.Word(done.Folder) + " --times 100", "chaos replay " + reports.Word(done.Folder) + " --cluster containers"},
	}
	for _, l := range done.Left {
		told.Left = append(told.Left, reports.Left(l))
	}
	reports.Shrunk(c.out, told)
	return c.finish(nil)
}

// shrunkAgain is the command that runs the smaller scenario.
func (c *cli) shrunkAgain(s *shrink.Shrunk) (string, error) {
	on, err := sim.Scheduled(s.Schedule)
	if err != nil {
		return "", err
	}
	flags := simFlags{strategy: sim.Walk, loss: on.Loss, only: on.Only, replicas: on.Replicas, skew: on.Skew}
	if on.Strategy != "" {
		flags.strategy = on.Strategy
	}
	return fmt.Sprintf("chaos run %s --arm %s%s --seed %d%s", reports.Word(s.File), s.Arm.Name, flagged("--without", s.Arm.Without), s.Seed,
		flags.again()), nil
}

// shrunkDocument is what `chaos shrink --json` prints.
type shrunkDocument struct {
	Schema      int           `json:"schema"`
	Folder      string        `json:"folder"`
	Property    string        `json:"property"`
	Fingerprint string        `json:"fingerprint"`
	Left        []shrink.Left `json:"left"`
	Seed        int64         `json:"seed"`
	Schedule    string        `json:"schedule"`
	Runs        int           `json:"runs"`
	Seconds     float64       `json:"seconds"`
	// Whole tells that nothing more can be left out; Often of Of further seeds fail in the same way.
	Whole bool `json:"whole"`
	Often int  `json:"often"`
	Of    int  `json:"of"`
	// Only are the decisions of the schedule that it hangs on; empty where that was not found out.
	Only string `json:"only,omitempty"`
	// File is the smaller scenario, Run the folder of its run, Again the command that runs it.
	File  string `json:"file"`
	Run   string `json:"run"`
	Again string `json:"again"`
	Error string `json:"error,omitempty"`
	Exit  int    `json:"exit"`
}
