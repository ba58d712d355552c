package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/reports"
)

func (c *cli) faultsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "faults",
		Short: "Show what the nemesis can do: to what, with what proof, and how it is healed",
		Long: "Shows the registry of faults: what a plan can do, to which targets, what that does in each world where they\n" +
			"differ, what proves that it took effect, how it is healed, and how many servers it needs.",
		Args: nothing, Annotations: withoutStarts(),
		RunE: func(*cobra.Command, []string) error { return c.sayFaults() },
	}
}

// parameterTold is a word that a fault takes besides its target.
type parameterTold struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	Needed  bool   `json:"needed"`
}

// faultTold is a fault as --json prints it.
type faultTold struct {
	Name    string   `json:"name"`
	Targets []string `json:"targets"`
	// With are the words that it takes besides its target.
	With  []parameterTold `json:"with,omitempty"`
	Does  string          `json:"does"`
	Real  string          `json:"real,omitempty"`
	Proof string          `json:"proof"`
	Heal  string          `json:"heal,omitempty"`
	// Kafka and Cassandra are how many servers there must be for it to be done to one of them; 0 where it never is.
	Kafka     int `json:"kafka"`
	Cassandra int `json:"cassandra"`
}

func (c *cli) sayFaults() error {
	if c.json {
		told := []faultTold{}
		for _, f := range nemesis.Faults() {
			var with []parameterTold
			for _, p := range f.With {
				with = append(with, parameterTold(p))
			}
			told = append(told, faultTold{
				Name: f.Name, Targets: f.Targets(), With: with, Does: f.Does, Real: f.Real, Proof: f.Proof, Heal: f.Heal,
				Kafka: f.Brokers, Cassandra: f.Nodes,
			})
		}
		c.print(map[string]any{"schema": 1, "exit": controller.ExitExpected, "faults": told})
		return nil
	}
	for i, f := range nemesis.Faults() {
		if i > 0 {
			fmt.Fprintln(c.out)
		}
		fmt.Fprintln(c.out, f.Name)
		for _, line := range [][2]string{
			{"to", strings.Join(f.Targets(), ", ")}, {"with", f.Parameters()}, {"does", f.Does}, {"real", f.Real},
			{"proof", f.Proof}, {"heal", f.Heal}, {"needs", f.Needs()},
		} {
			if line[1] != "" {
				reports.Hanging(c.out, fmt.Sprintf("  %-9s  ", line[0]), strings.ReplaceAll(line[1], "`", ""))
			}
		}
	}
	return nil
}
