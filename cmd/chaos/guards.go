package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/reports"
)

func (c *cli) guardsCommand() *cobra.Command {
	var f clusterFlags
	cmd := &cobra.Command{
		Use:   "guards",
		Short: "Show each guard at work: what holds with it and fails without it",
		Long: "Runs, for each guard of the arms, a scenario with the guard, which must come out as stated, and without\n" +
			"it, when a property must fail. Nothing is recorded; each line names the scenario to run.\n" +
			"Exit: 0 every guard is shown, 1 one is not, 3 vacuous, 4 unknown, 64 wrong usage, 70 the rig failed.",
		Example: "  chaos guards\n" +
			"  chaos guards --cluster containers",
		Args: nothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.guards(cmd.Context(), f) },
	}
	f.add(cmd.Flags())
	return cmd
}

// guardsDocument is what `chaos guards --json` prints.
type guardsDocument struct {
	Schema  int    `json:"schema"`
	Cluster string `json:"cluster"`
	Exit    int    `json:"exit"`
	// Error is the rig's own, after the guards that are listed.
	Error  string     `json:"error,omitempty"`
	Guards []guardRun `json:"guards"`
}

type guardRun struct {
	Guard    string   `json:"guard"`
	Arm      string   `json:"arm"`
	Also     []string `json:"also"`
	Prevents string   `json:"prevents"`
	Scenario string   `json:"scenario"`
	Property string   `json:"property"`
	Held     bool     `json:"held"`
	Failing  []string `json:"failing"`
	Shown    bool     `json:"shown"`
}

func (c *cli) guards(ctx context.Context, f clusterFlags) error {
	open, err := c.opener(f)
	if err != nil {
		return err
	}
	shown, facts, err := controller.ShowAll(ctx, open, 1, c.progressOn(f))
	if err != nil && len(shown) == 0 {
		return err
	}
	var codes []int
	for _, s := range shown {
		codes = append(codes, s.Exit())
	}
	c.exit = controller.Worst(codes...)
	if c.json {
		d := guardsDocument{Schema: 1, Cluster: f.cluster, Exit: c.exit, Guards: []guardRun{}}
		if err != nil {
			c.exit = exitOf(err)
			d.Exit, d.Error = c.exit, err.Error()
		}
		for _, s := range shown {
			d.Guards = append(d.Guards, guardRun{
				Guard: s.Guard, Arm: s.Arm, Also: append([]string{}, s.Also...), Prevents: s.Prevents(), Scenario: s.Scenario,
				Property: s.Property, Held: s.Held(),
				Failing: append([]string{}, s.Without.Failing()...), Shown: s.Shown(),
			})
		}
		c.print(d)
		return nil
	}
	told := make([]reports.Demonstration, len(shown))
	for i, s := range shown {
		told[i] = reports.Demonstration{
			Guard: s.Guard, Arm: s.Arm, Also: s.Also, Prevents: s.Prevents(), Scenario: s.Scenario, Failing: s.Without.Failing(),
			With: reports.Run{Report: s.With.Report()}.Word(), Shown: s.Shown(), Must: s.Property, Again: s.Command(f.cluster),
		}
	}
	reports.Guards(c.out, reports.ClusterLabel(facts), told, len(controller.Demonstrations()), ctx.Err() != nil)
	return c.finish(err)
}
