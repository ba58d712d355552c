package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/search"
	"github.com/single-writer/chaos/reports"
)

// sample is a command of which a page shows what it prints. The simulator prints the same on every machine.
type sample struct {
	name, command string
	ask           controller.Request
	tell          func(*strings.Builder, controller.Request) error
	// paragraphs is how many of its output are shown; of those, hidden lines are left out.
	paragraphs int
	hidden     *regexp.Regexp
}

func samples() []sample {
	const scenario = "stale-periodic-flush"
	return []sample{
		{
			name: "sample-run", command: "chaos run " + scenario, ask: controller.Request{Scenario: scenario, Seed: 1},
			tell: tellRun, paragraphs: 2,
		},
		{
			name: "sample-without", command: "chaos run " + scenario + " --arm cassandra/cas --without persist-condition",
			ask: controller.Request{
				Scenario: scenario, Seed: 1, Arms: []string{"cassandra/cas"}, Without: []string{"persist-condition"},
			},
			tell: tellRun, paragraphs: 3, hidden: regexp.MustCompile(`^  (stale-periodic|An owner|replaces)`),
		},
		{
			name: "sample-compare", command: "chaos compare " + scenario + " --seeds 3",
			ask:  controller.Request{Scenario: scenario, Seed: 1, Seeds: 3},
			tell: tellCompared, paragraphs: 2,
			// Of the properties the first speaks for all; times are shown of real servers.
			hidden: regexp.MustCompile(`^  (stale-periodic|An owner|replaces)|^    ([^n ]|no-[^s])\S+ +(FAIL|pass|n/a)|p50|median|throughput|statements|timed|longest`),
		},
		{
			name: "sample-explore", command: "chaos explore overlap-random --arm cassandra/lww --seeds 100",
			ask: controller.Request{
				Scenario: "overlap-random", Seed: 1, Seeds: 100, Arms: []string{"cassandra/lww"}, Again: "chaos run overlap-random",
			},
			tell: tellExplored, paragraphs: 2, hidden: regexp.MustCompile(`recorded in|smaller:`),
		},
	}
}

// shown are the parts with what the samples print, each as a block of a page.
func shown() (map[string]string, error) {
	dir, err := os.MkdirTemp("", "chaos-docs-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the runs: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	out := map[string]string{}
	for _, s := range samples() {
		q := s.ask
		q.Out, q.Kind, q.Progress = filepath.Join(dir, s.name), "sim", func(string) {}
		q.Open = func(context.Context, cluster.Size) (cluster.Cluster, error) { return sim.Cluster{}, nil }
		var text strings.Builder
		if err := s.tell(&text, q); err != nil {
			return nil, fmt.Errorf("%s: %w", s.command, err)
		}
		out[s.name] = fmt.Sprintf("```\n$ %s\n%s\n```\n", s.command, s.excerpt(text.String()))
	}
	return out, nil
}

// excerpt takes the first paragraphs and leaves out the hidden lines; dots say where something is missing.
func (s sample) excerpt(text string) string {
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	more := len(paragraphs) > s.paragraphs
	var lines []string
	dots := func() {
		if len(lines) > 0 && lines[len(lines)-1] != "  ..." {
			lines = append(lines, "  ...")
		}
	}
	for _, line := range strings.Split(strings.Join(paragraphs[:min(s.paragraphs, len(paragraphs))], "\n\n"), "\n") {
		switch {
		case s.hidden == nil || !s.hidden.MatchString(line):
			lines = append(lines, line)
		default:
			dots()
		}
	}
	if more {
		dots()
	}
	return strings.Join(lines, "\n")
}

func tellRun(w *strings.Builder, q controller.Request) error {
	o, err := controller.Do(context.Background(), q)
	if err == nil {
		reports.Terminal(w, o.Told())
	}
	return err
}

func tellCompared(w *strings.Builder, q controller.Request) error {
	_, compared, err := controller.Compare(context.Background(), q)
	if err == nil {
		compared.Terminal(w, nil)
	}
	return err
}

func tellExplored(w *strings.Builder, q controller.Request) error {
	found, err := search.Explore(context.Background(), search.Exploring{
		Request: q, On: []search.Place{{Cluster: sim.Cluster{}, Again: q.Again}}, Workers: 2,
	})
	if err == nil {
		told := found.Told()
		told.Took = 600 * time.Millisecond // on two cores; the only thing that differs from run to run
		reports.Explored(w, told)
	}
	return err
}
