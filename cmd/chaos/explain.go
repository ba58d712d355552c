package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/controller"
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
			c.print(map[string]any{"schema": 1, "name": p.Name, "brief": p.Brief, "explanation": p.Explain()})
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
		meant(args[0], slices.Concat(properties, guards)), strings.Join(properties, " "), strings.Join(guards, " "))
}

// guard is a guard as `chaos explain` tells of it.
type guard struct {
	Schema   int      `json:"schema"`
	Name     string   `json:"name"`
	Prevents string   `json:"prevents"`
	Arms     []string `json:"arms"`
	// Shown are the runs that show it.
	Shown []guardShown `json:"shown"`
}

// guardShown is a run in which a property fails without the guard.
type guardShown struct {
	Property string `json:"property"`
	Command  string `json:"command"`
	Only     string `json:"only,omitempty"`
}

// findGuard gathers what there is to say of the guard of that name.
func findGuard(name string) (guard, bool) {
	g := guard{Schema: 1, Name: name, Shown: []guardShown{}}
	for _, a := range persistence.Arms() {
		for _, has := range a.Guards {
			if has.Name == name {
				g.Prevents, g.Arms = has.Prevents, append(g.Arms, a.Name)
			}
		}
	}
	for _, ctl := range controller.Controls() {
		if ctl.Guard == name {
			kind := "sim"
			if ctl.Only != "" {
				kind = ctl.Only
			}
			g.Shown = append(g.Shown, guardShown{ctl.Property, ctl.Command(kind), ctl.Only})
		}
	}
	return g, len(g.Arms) > 0
}

func guardNames() []string {
	var names []string
	for _, a := range persistence.Arms() {
		for _, g := range a.Guards {
			if !slices.Contains(names, g.Name) {
				names = append(names, g.Name)
			}
		}
	}
	return names
}

func (g guard) explain(w io.Writer) {
	reports.Hanging(w, g.Name+": ", "prevents "+g.Prevents)
	reports.Hanging(w, "  arms that have it: ", strings.Join(g.Arms, ", "))
	for _, s := range g.Shown {
		where := ""
		if s.Only != "" {
			where = " (only " + s.Only + " can show it)"
		}
		reports.Hanging(w, "  without it fails: ", s.Property+where)
		fmt.Fprintf(w, "    %s\n", s.Command)
	}
}
