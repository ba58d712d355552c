package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/conformance"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/reports"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// made makes all generated parts, by name.
func made() (map[string]string, error) {
	all, err := scenarios.Catalogue(controller.Vocabulary())
	if err != nil {
		return nil, err
	}
	drawn, err := scenarios.Controls(controller.Vocabulary())
	if err != nil {
		return nil, err
	}
	parts, err := shown()
	if err != nil {
		return nil, err
	}
	maps.Copy(parts, map[string]string{
		"arms": arms(), "guards": guards(), "scenarios": catalogue(all), "property-table": propertyTable(),
		"properties": properties(), "notation": checker.Notation(), "settings": settings(),
		"document": document(), "requires": requires(), "faults": faults(),
		"searched": searched(drawn), "controls": controlsTable(), "controls-tried": triedTable(),
		"facts-cassandra": facts(conformance.Cassandra), "facts-kafka": facts(conformance.Kafka),
		"facts-replicated": replicated(), "facts-harmed": harmed(), "facts-not-modelled": notModelled(),
	})
	return parts, nil
}

func table(head []string, rows [][]string) string {
	var b strings.Builder
	reports.MarkdownTable(&b, head, rows)
	return b.String()
}

func code(s string) string { return "`" + s + "`" }

// arms says what each arm is, and which guards it has.
func arms() string {
	var rows [][]string
	for _, a := range persistence.Arms() {
		rows = append(rows, []string{code(a.Name), a.About})
	}
	return table([]string{"arm", "what it is"}, rows)
}

// guards says of each guard what it prevents, which arms have it, and which scenario shows it: what fails there without it.
func guards() string {
	var rows [][]string
	for _, g := range persistence.Guards() {
		rows = append(rows, []string{code(g.Name), g.Prevents, "`" + strings.Join(g.Arms, "`, `") + "`", shownBy(g.Name)})
	}
	return table([]string{"guard", "what it prevents", "arms that have it", "what fails without it, and where"}, rows)
}

// shownBy names the scenarios that show a guard at work, and the property that fails in each.
func shownBy(guard string) string {
	var out []string
	for _, c := range controller.Demonstrations() {
		if c.Guard != guard {
			continue
		}
		s := fmt.Sprintf("[%s](properties.md#%s) in `%s` under `%s`", c.Property, c.Property, c.Scenario, c.Arm)
		if len(c.Also) > 0 {
			s += ", in both runs without " + strings.Join(c.Also, ", ")
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return "cannot be taken away"
	}
	return strings.Join(out, "<br>")
}

// catalogue says what each scenario is about and what it must show of each arm. Arms of which it states the same are named
// together.
func catalogue(all []*scenarios.Scenario) string {
	var rows [][]string
	for _, s := range all {
		var says, of []string
		for _, e := range s.Expect {
			i := slices.Index(says, e.Says())
			if i < 0 {
				says, of = append(says, e.Says()), append(of, code(e.Arm))
				continue
			}
			of[i] += ", " + code(e.Arm)
		}
		for i := range of {
			of[i] += ": " + says[i]
		}
		rows = append(rows, []string{fmt.Sprintf("[%s](../scenarios/catalogue/%s.yaml)", s.Name, s.Name),
			strings.TrimSpace(s.About), strings.Join(of, "<br>")})
	}
	return table([]string{"scenario", "what happens", "what it must show of each arm"}, rows)
}

// searched says what each scenario that is there for searches is about.
func searched(all []*scenarios.Scenario) string {
	var rows [][]string
	for _, s := range all {
		rows = append(rows, []string{searchedIn(s.Name), strings.TrimSpace(s.About)})
	}
	return table([]string{"scenario", "what happens"}, rows)
}

func propertyTable() string {
	var rows [][]string
	for _, p := range checker.Properties() {
		rows = append(rows, []string{fmt.Sprintf("[%s](#%s)", p.Name, p.Name), p.Brief})
	}
	return table([]string{"property", "in a word"}, rows)
}

// properties are the pages of the properties, one after another.
func properties() string {
	var b strings.Builder
	for _, p := range checker.Properties() {
		fmt.Fprintf(&b, "## %s\n\n%s\n", p.Name, strings.ReplaceAll(p.Page(), "\n## ", "\n### "))
	}
	return b.String()
}

// facts says what each fact of a system is, where it comes from, and which wrong simulator its script is seen to notice.
func facts(of conformance.System) string {
	version := map[conformance.System]string{conformance.Cassandra: images.CassandraVersion, conformance.Kafka: images.KafkaVersion}[of]
	all := slices.DeleteFunc(conformance.Facts(), func(f conformance.Fact) bool { return f.Of != of })
	return shownOn(fmt.Sprintf("%s %s", of, version), all)
}

// replicated are the facts that take several nodes.
func replicated() string {
	return shownOn("three nodes of Cassandra "+images.CassandraVersion, conformance.Replicated())
}

// harmed are those of servers in trouble.
func harmed() string {
	return shownOn(fmt.Sprintf("Kafka %s and Cassandra %s", images.KafkaVersion, images.CassandraVersion), conformance.Harmed())
}

func shownOn(servers string, facts []conformance.Fact) string {
	var rows [][]string
	for _, f := range facts {
		rows = append(rows, []string{code(f.Name), f.Says, f.Source, f.Otherwise})
	}
	return fmt.Sprintf("%d facts, each shown in the simulator and on %s.\n\n", len(rows), servers) + factTable(rows)
}

func factTable(rows [][]string) string {
	return table([]string{"test", "fact", "source", "seen to fail in a simulator in which"}, rows)
}

func notModelled() string {
	var rows [][]string
	for _, u := range conformance.NotModelled() {
		rows = append(rows, []string{string(u.Of), u.Says, u.Why})
	}
	return table([]string{"of", "fact", "why not"}, rows)
}

// document says which words a scenario's file has, mapping by mapping.
func document() string {
	var rows [][]string
	of := ""
	for _, k := range scenarios.Keys() {
		what := ""
		if k.Of != of {
			what, of = k.Of, k.Of
		}
		rows = append(rows, []string{what, code(k.Name), k.Meaning})
	}
	return table([]string{"in", "key", "what it says"}, rows)
}

// requires says what each word of a scenario's requires asks for; an arrow marks those that must be met in their order.
func requires() string {
	var rows [][]string
	for _, w := range checker.RequirementWords() {
		form := code(w.Form)
		if w.Ordered {
			form = "→ " + form
		}
		rows = append(rows, []string{form, w.Meaning})
	}
	return table([]string{"word", "it is met when"}, rows)
}

// faults says of each fault what it is done to, what it does, what proves it and how it is healed.
func faults() string {
	var rows [][]string
	for _, f := range nemesis.Faults() {
		does := f.Does
		if f.Real != "" {
			does += "<br>real: " + f.Real
		}
		to := strings.Join(f.Targets(), ", ")
		for _, p := range f.With {
			to += fmt.Sprintf("<br>`%s`: %s", p.Name, p.Meaning)
		}
		rows = append(rows, []string{code(f.Name), to, does, f.Proof, f.Heal, f.Needs()})
	}
	return table([]string{"fault", "done to, and with", "what it does", "proof", "heal", "needs"}, rows)
}

func settings() string {
	var rows [][]string
	for _, s := range scenarios.Settings() {
		rows = append(rows, []string{code(s.Name), s.Meaning, s.Default})
	}
	return table([]string{"setting", "what it is", "where the file says nothing"}, rows)
}
