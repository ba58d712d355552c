package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/replay"
	"github.com/single-writer/chaos/reports"
)

// replayFlags are those of `chaos replay`.
type replayFlags struct {
	clusterFlags
	times    int
	slower   int
	property string
	out      string
}

func (c *cli) replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay RUN",
		Short: "Do a recorded run again, and say whether it comes out the same",
		Long: "Does the run in a folder again in the simulator, from the scenario, the seed and the settings that were\n" +
			"recorded, and compares every line of its history; says which is the first that differs, and what that\n" +
			"means. With --cluster containers the run is done on real servers in the recorded order, as far as workers,\n" +
			"plan and producer can be kept until it is their turn: says what came first otherwise, and whether the\n" +
			"failure is confirmed.\n" +
			"Exit: 0 the same, or confirmed, 1 not, 64 the folder is no run that fits this version, 70 the rig failed.",
		Example: "  chaos replay runs/20261130T081500.000/overlap-random.cassandra-lww.sim.seed-51\n" +
			"  chaos replay runs/20261130T081500.000/overlap-random.cassandra-lww.sim.seed-51 --times 100\n" +
			"  chaos replay runs/20261130T081500.000/overlap-random.cassandra-lww.sim.seed-51 --cluster containers",
		Args: oneRun,
		RunE: func(cmd *cobra.Command, args []string) error { return c.replay(cmd.Context(), args[0], f) },
	}
	flags := cmd.Flags()
	f.addServers(flags)
	flags.IntVar(&f.times, "times", 1, "do it `N` times in the simulator")
	flags.IntVar(&f.slower, "slower", slower, "on real servers: make all times of the scenario `N` times as long, since these take longer to answer")
	flags.StringVar(&f.property, "property", "", "on real servers: the `PROPERTY` whose failure is to be confirmed (default: the first)")
	flags.StringVar(&f.out, "out", "", "on real servers: `DIR` to put the run's folder into (default: runs/ and the time)")
	return cmd
}

// slower is how many times as long a real cluster takes to answer, about, as the simulated one.
const slower = 5

func (c *cli) replay(ctx context.Context, folder string, f replayFlags) error {
	sim, plain := f.cluster == "sim", replayFlags{clusterFlags: f.clusterFlags, times: f.times, slower: slower}
	switch {
	case f.times < 1:
		return mistake("--times takes a number from 1 on, not %d", f.times)
	case f.slower < 1:
		return mistake("--slower takes a number from 1 on, not %d", f.slower)
	case sim && f != plain:
		return mistake("--slower, --property and --out are about real servers: add --cluster containers")
	case !sim && f.times > 1:
		return mistake("--times is about the simulator, in which a run is the same every time: on real servers it is done once")
	}
	if !sim {
		return c.redrive(ctx, folder, f)
	}
	r, err := replay.Open(folder)
	if err != nil {
		return err
	}
	if _, err := c.opener(f.clusterFlags); err != nil {
		return err
	}
	on, err := simulatorOf(r)
	if err != nil {
		return err
	}
	began := time.Now()
	done, err := replay.Replay(ctx, r, on, f.times)
	if err != nil {
		return err
	}
	c.exit = done.Exit()
	if c.json {
		c.print(replayDocument{
			Schema: 1, Folder: r.Folder, Scenario: r.Job.Scenario.Name, Arm: r.Job.Arm.Name, Without: append([]string{}, r.Job.Arm.Without...),
			Seed: r.Job.Seed, Same: done.Difference == nil, Lines: done.Lines, Whole: r.History.Ended(), Times: done.Times,
			Difference: done.Difference, Judged: append([]replay.Judged{}, done.Said...), Exit: c.exit,
		})
		return nil
	}
	reports.Replayed(c.out, toldReplay(done, time.Since(began)))
	return c.finish(nil)
}

// simulatorOf makes the simulator that a run was recorded in.
func simulatorOf(r *replay.Recorded) (sim.Cluster, error) {
	on, err := sim.Scheduled(r.History.Header.Cluster.Schedule)
	if err != nil {
		return on, &controller.Usage{Err: fmt.Errorf("%s: %w", r.Folder, err)}
	}
	return on, nil
}

// replayDocument is what `chaos replay --json` prints.
type replayDocument struct {
	Schema   int      `json:"schema"`
	Folder   string   `json:"folder"`
	Scenario string   `json:"scenario"`
	Arm      string   `json:"arm"`
	Without  []string `json:"without"`
	Seed     int64    `json:"seed"`
	Same     bool     `json:"same"`
	// Lines are those that were recorded; Whole tells that the run came to its end.
	Lines      int                `json:"lines"`
	Whole      bool               `json:"whole"`
	Times      int                `json:"times"`
	Difference *replay.Difference `json:"difference,omitempty"`
	// Judged are properties whose verdict on the same bytes is another than was recorded.
	Judged []replay.Judged `json:"judged"`
	Exit   int             `json:"exit"`
}

func toldReplay(done *replay.Replayed, took time.Duration) reports.Replay {
	told := reports.Replay{
		What: described(done.Recorded), Folder: done.Folder, Lines: done.Lines, Whole: done.History.Ended(), Times: done.Times, Took: took,
	}
	if d := done.Difference; d != nil {
		told.Differs, told.Recorded, told.Here, told.In, told.Means = d.Line, d.Recorded, d.Here, d.In, d.Means
		return told
	}
	for _, s := range done.Said {
		told.Said = append(told.Said, fmt.Sprintf("%s was %s and is %s", s.Property, s.Recorded, s.Here))
	}
	if v := done.Verdict; v != nil && v.Verdict == checker.Fail {
		told.Shows = []string{v.Summary}
		told.Next = []string{"chaos shrink " + reports.Word(done.Folder)}
	}
	if done.Failure != nil {
		told.Shows = append(told.Shows, "the rig failed: "+done.Failure.Error())
	}
	told.Next = append(told.Next, "chaos replay "+reports.Word(done.Folder)+" --cluster containers")
	return told
}

// described is a run in a few words.
func described(r *replay.Recorded) string {
	arm := reports.Run{Arm: r.Job.Arm.Name, Without: r.Job.Arm.Without}
	return fmt.Sprintf("%s · %s · %s · seed %d", r.Job.Scenario.Name, arm.Label(), reports.ClusterLabel(r.History.Header.Cluster), r.Job.Seed)
}
