package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/reports"
)

func (c *cli) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [PROPERTY]",
		Short: "Explain a property: what it means, the smallest history that breaks it, usual causes",
		Long: "Says what a property means, with the smallest histories that break it, those that look alike and are\n" +
			"lawful, and the usual causes. Without a property it lists them.",
		Example: "  chaos explain no-leap",
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
		return mistake("chaos explain takes one property, and here are %d: %s\n  chaos explain %s", len(args),
			strings.Join(args, " "), args[0])
	}
	p, ok := checker.FindProperty(args[0])
	if !ok {
		return mistake("no property is called %q%s\n  properties: %s", args[0], meant(args[0], checker.PropertyNames()),
			strings.Join(checker.PropertyNames(), " "))
	}
	if c.json {
		c.print(map[string]any{"schema": 1, "name": p.Name, "brief": p.Brief, "explanation": p.Explain()})
		return nil
	}
	reports.Explain(c.out, p)
	return nil
}
