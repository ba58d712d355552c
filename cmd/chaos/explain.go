package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/internal/nearest"
	"github.com/single-writer/chaos/reports"
	"github.com/single-writer/chaos/workload/persistence"
)

func (c *cli) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [PROPERTY | GUARD]",
		Short: "Explain a property or a guard: what it means, and what shows it",
		Long: "Says what a property means, with the smallest histories that break it, those that look alike and are\n" +
			"lawful, and the usual causes; or what a guard prevents, and the runs that show it. Without a name it\n" +
			"lists the properties.",
		Example: "  chaos explain no-leap\n" +
			"  chaos explain persist-condition",
		Annotations: withoutStarts(),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.listNames(propertyList())
			}
			return c.explain(args)
		},
	}
}

func (c *cli) explain(args []string) error {
	if len(args) > 1 {
		return mistake("chaos explain takes one name, and here are %d: %s\n  chaos explain %s", len(args),
			strings.Join(args, " "), args[0])
	}
	if p, ok := checker.FindProperty(args[0]); ok {
		if c.json {
			c.print(map[string]any{"schema": 1, "exit": controller.ExitExpected, "name": p.Name, "brief": p.Brief, "explanation": p.Explain()})
			return nil
		}
		reports.Explain(c.out, p)
		return nil
	}
	if g, ok := findGuard(args[0]); ok {
		if c.json {
			c.print(g)
			return nil
		}
		g.explain(c.out)
		return nil
	}
	properties, guards := checker.PropertyNames(), guardNames()
	return mistake("there is no property and no guard %q%s\n  properties: %s\n  guards: %s", args[0],
		nearest.Hint(args[0], slices.Concat(properties, guards)), strings.Join(properties, " "), strings.Join(guards, " "))
}

// guard is a guard as `chaos explain` tells of it.
type guard struct {
	Schema   int      `json:"schema"`
	Exit     int      `json:"exit"`
	Name     string   `json:"name"`
	Prevents string   `json:"prevents"`
	Arms     []string `json:"arms"`
	// Shown are the runs that show it.
	Shown []guardShown `json:"shown"`
}

// guardShown is a run in which a property fails without the guard; others may fail with it.
type guardShown struct {
	Property string `json:"property"`
	// Also are guards that are off in both runs, since each would do this one's work there.
	Also    []string `json:"also"`
	Command string   `json:"command"`
}

// findGuard gathers what there is to say of the guard of that name.
func findGuard(name string) (guard, bool) {
	is, ok := persistence.FindGuard(name)
	g := guard{Schema: 1, Name: name, Prevents: is.Prevents, Arms: is.Arms, Shown: []guardShown{}}
	for _, ctl := range controller.Demonstrations() {
		if ctl.Guard == name {
			g.Shown = append(g.Shown, guardShown{ctl.Property, append([]string{}, ctl.Also...), ctl.Command("sim")})
		}
	}
	return g, ok
}

func guardNames() []string {
	var names []string
	for _, g := range persistence.Guards() {
		names = append(names, g.Name)
	}
	return names
}

func (g guard) explain(w io.Writer) {
	reports.Hanging(w, g.Name+": ", "prevents "+g.Prevents)
	reports.Hanging(w, "  arms that have it: ", strings.Join(g.Arms, ", "))
	for _, s := range g.Shown {
		reports.Hanging(w, "  without it fails: ", s.Property)
		if len(s.Also) > 0 {
			reports.Hanging(w, "  off in both: ", strings.Join(s.Also, ", ")+", which would do its work here")
		}
		reports.Command(w, "    ", s.Command)
	}
	reports.Hanging(w, "  ", "Others may fail with them; chaos guards names all that do.")
}
