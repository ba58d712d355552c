package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/internal/nearest"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/reports"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// listable is one kind of thing that can be listed.
type listable struct {
	name  string
	about string
	rows  func() [][2]string
}

func listables() []listable {
	return []listable{
		{"arms", "the persistence arms", func() (out [][2]string) {
			for _, a := range persistence.Arms() {
				out = append(out, [2]string{a.Name, a.About})
			}
			return out
		}},
		{"guards", "the guards of the arms, and what each prevents", func() (out [][2]string) {
			for _, a := range persistence.Arms() {
				for _, g := range a.Guards {
					out = append(out, [2]string{a.Name + " " + g.Name, fmt.Sprintf("prevents %s (--without %s)", g.Prevents, g.Name)})
				}
			}
			return out
		}},
		{"points", "the points at which a worker can be stopped", func() (out [][2]string) {
			for _, p := range history.Points() {
				out = append(out, [2]string{p.Name, p.Meaning})
			}
			return out
		}},
		{"faults", "what the nemesis can do", func() (out [][2]string) {
			for _, f := range nemesis.Faults() {
				out = append(out, [2]string{f.Name, f.Does + "; proof: " + f.Proof})
			}
			return out
		}},
		{"settings", "the settings of a worker in a scenario", func() (out [][2]string) {
			for _, s := range scenarios.Settings() {
				out = append(out, [2]string{s.Name, fmt.Sprintf("%s (default: %s)", strings.ReplaceAll(s.Meaning, "`", ""), s.Default)})
			}
			return out
		}},
		propertyList(),
		{"requires", "the words of a scenario's requires", func() (out [][2]string) {
			for _, w := range checker.RequirementWords() {
				out = append(out, [2]string{w.Form, w.Meaning})
			}
			return out
		}},
	}
}

// fields are a row as --json prints it. A guard is named with the arm that has it.
func (l listable) fields(row [2]string) map[string]string {
	if arm, guard, ok := strings.Cut(row[0], " "); ok && l.name == "guards" {
		return map[string]string{"arm": arm, "guard": guard, "about": row[1]}
	}
	return map[string]string{"name": row[0], "about": row[1]}
}

func propertyList() listable {
	return listable{"properties", "what is checked", func() (out [][2]string) {
		for _, p := range checker.Properties() {
			out = append(out, [2]string{p.Name, p.Brief})
		}
		return out
	}}
}

func (c *cli) listCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the scenarios, and what each expects of each arm",
		Args:  onlyLists, Annotations: withoutStarts(),
		RunE: func(*cobra.Command, []string) error { return c.listScenarios() },
	}
	for _, l := range listables() {
		cmd.AddCommand(&cobra.Command{
			Use: l.name, Short: "List " + l.about, Args: nothing, Annotations: withoutStarts(),
			RunE: func(*cobra.Command, []string) error { return c.listNames(l) },
		})
	}
	return cmd
}

// onlyLists is for `chaos list`, whose arguments can only be names of lists, mistyped.
func onlyLists(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return mistake("chaos list has no list %q%s\n  lists: %s; chaos list by itself lists the scenarios", args[0],
		nearest.Hint(args[0], commandNames(cmd)), strings.Join(commandNames(cmd), " "))
}

func (c *cli) listNames(l listable) error {
	if c.json {
		out := []map[string]string{}
		for _, r := range l.rows() {
			out = append(out, l.fields(r))
		}
		c.print(map[string]any{"schema": 1, "exit": controller.ExitExpected, l.name: out})
		return nil
	}
	wide := 0
	for _, r := range l.rows() {
		wide = max(wide, len(r[0]))
	}
	for _, r := range l.rows() {
		reports.Hanging(c.out, fmt.Sprintf("%-*s  ", wide, r[0]), r[1])
	}
	return nil
}

// listed is a scenario as --json prints it.
type listed struct {
	Name   string        `json:"name"`
	About  string        `json:"about"`
	Source string        `json:"source,omitempty"`
	Expect []expectation `json:"expect"`
}

type expectation struct {
	Arm      string   `json:"arm"`
	Violates []string `json:"violates"`
	May      []string `json:"may"`
}

func (c *cli) listScenarios() error {
	all, err := scenarios.Catalogue(controller.Vocabulary())
	if err != nil {
		return err
	}
	if c.json {
		out := []listed{}
		for _, s := range all {
			l := listed{Name: s.Name, About: strings.TrimSpace(s.About), Source: s.Source, Expect: []expectation{}}
			for _, e := range s.Expect {
				l.Expect = append(l.Expect, expectation{e.Arm, append([]string{}, e.Violates...), append([]string{}, e.May...)})
			}
			out = append(out, l)
		}
		c.print(map[string]any{"schema": 1, "exit": controller.ExitExpected, "scenarios": out})
		return nil
	}
	wide := 0
	for _, arm := range persistence.ArmNames() {
		wide = max(wide, len(arm))
	}
	for _, s := range all {
		fmt.Fprintln(c.out, s.Name)
		reports.Hanging(c.out, "    ", s.About)
		for _, e := range s.Expect {
			reports.Hanging(c.out, fmt.Sprintf("    %-*s ", wide, e.Arm), e.Says())
		}
	}
	return nil
}
