package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/reports"
)

func (c *cli) doctorCommand() *cobra.Command {
	var f containerFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what real servers need: engine, images, machine, leftovers, warm cluster",
		Long: "Looks, one by one, at all that a run on real servers needs of this machine, and says what to do about what is\n" +
			"missing. It changes nothing. Exit: 0 all is well, 70 something is broken.",
		Args: nothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.sayExamined(cmd.Context(), containers.Examine(cmd.Context(), c.containerOptions(f, cluster.Size{})))
		},
	}
	f.addImages(cmd.Flags())
	return cmd
}

// doctorDocument is what `chaos doctor --json` prints.
type doctorDocument struct {
	Schema int                `json:"schema"`
	Exit   int                `json:"exit"`
	Checks []containers.Check `json:"checks"`
}

func (c *cli) sayExamined(ctx context.Context, checks []containers.Check) error {
	problems := 0
	for _, k := range checks {
		if k.State == containers.Problem {
			problems++
		}
	}
	first := "WELL: real servers can run here"
	if problems > 0 {
		c.exit = controller.ExitRig
		first = fmt.Sprintf("BROKEN: %d of %d checks found a problem", problems, len(checks))
	}
	if c.json {
		c.print(doctorDocument{Schema: 1, Exit: c.exit, Checks: checks})
		return ctx.Err()
	}
	fmt.Fprintf(c.out, "%s\n\n", first)
	for _, k := range checks {
		reports.Hanging(c.out, fmt.Sprintf("  %-13s  %-11s  ", k.Name, k.State), k.Found)
		if k.Do != "" {
			reports.Hanging(c.out, fmt.Sprintf("  %-13s  %-11s  ", "", "to do:"), k.Do)
		}
	}
	return c.finish(ctx.Err())
}
