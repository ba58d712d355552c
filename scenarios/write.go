package scenarios

import (
	"fmt"
	"strings"

	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// YAML writes a scenario that leaves nothing to the seed as a file that is read as the same scenario: what a seed drew can be
// looked at, changed, and run again.
func (s *Scenario) YAML() []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("name: %s\nabout: %q", s.Name, s.About)
	for _, optional := range [][2]string{{"source", s.Source}, {"race", s.Race}} {
		if optional[1] != "" {
			line("%s: %q", optional[0], optional[1])
		}
	}
	line("cluster: {kafka: %d, cassandra: %d}", s.Cluster.Kafka, s.Cluster.Cassandra)
	line("\ninput:\n  partitions: %d\n  keys: %d\n  stages:", s.Partitions, s.Keys)
	for _, t := range s.Stages {
		line("    - {%s}", stageText(t))
	}
	line("\nworkers:")
	for _, c := range s.Workers {
		line("  %s: {%s}", c.Name, settingsText(c))
	}
	line("\nplan:")
	for _, step := range s.Plan {
		line("  - {%s}", stepText(step))
	}
	if len(s.Requires) > 0 {
		line("\nrequires: [%s]", strings.Join(s.Requires, ", "))
	}
	line("\nexpect:")
	for _, e := range s.Expect {
		line("  %s: {%s}", e.Arm, e.text())
	}
	return []byte(b.String())
}

func stageText(s workload.Stage) string {
	parts := []string{fmt.Sprintf("events: %d-%d, kind: %s", s.First, s.Last, s.Kind)}
	if s.Key > 0 {
		parts = append(parts, fmt.Sprintf("key: %d", s.Key))
	}
	if !s.When.IsZero() {
		parts = append(parts, "when: "+triggerText(s.When))
	}
	if s.After > 0 {
		parts = append(parts, "after: "+short(s.After))
	}
	return strings.Join(parts, ", ")
}

// settingsText writes the settings that differ from what a worker has by itself.
func settingsText(c workload.Config) string {
	var parts []string
	plain := workload.DefaultConfig("")
	for _, s := range settings {
		if text := s.text(&c); text != s.text(&plain) {
			parts = append(parts, s.key+": "+text)
		}
	}
	return strings.Join(parts, ", ")
}

func stepText(s nemesis.Step) string {
	var parts, do []string
	if s.After > 0 {
		parts = append(parts, "after: "+short(s.After))
	}
	if s.Maybe {
		parts = append(parts, "maybe: true")
	}
	switch {
	case s.When.IsZero():
	case len(s.And) == 0:
		parts = append(parts, "when: "+triggerText(s.When))
	default:
		moments := []string{triggerText(s.When)}
		for _, t := range s.And {
			moments = append(moments, triggerText(t))
		}
		parts = append(parts, "when: ["+strings.Join(moments, ", ")+"]")
	}
	for _, a := range s.Do {
		do = append(do, actionText(a))
	}
	return strings.Join(append(parts, "do: ["+strings.Join(do, ", ")+"]"), ", ")
}

func triggerText(t workload.Trigger) string {
	var parts []string
	add := func(key, value string) {
		if value != "" {
			parts = append(parts, key+": "+value)
		}
	}
	add("evicted", t.Evicted)
	add("worker", t.Worker)
	add("point", t.Point)
	if t.Event > 0 {
		add("event", fmt.Sprint(t.Event))
	}
	add("answer", t.Answer)
	if t.Within > 0 {
		add("within", short(t.Within))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (e Expectation) text() string {
	var parts []string
	if e.Holds {
		parts = append(parts, "holds: all")
	}
	for _, list := range []struct {
		key   string
		words []string
	}{{"violates", e.Violates}, {"may", e.May}, {"requires", e.Requires}} {
		if len(list.words) > 0 {
			parts = append(parts, fmt.Sprintf("%s: [%s]", list.key, strings.Join(list.words, ", ")))
		}
	}
	return strings.Join(parts, ", ")
}
