package shrink

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/single-writer/chaos/scenarios"
)

// plainer tries plainer ways to draw the schedule: without lost messages, without priorities, with all decisions the seed's.
func (r *reducer) plainer(ctx context.Context, t trial) (trial, bool) {
	words := strings.Fields(t.schedule)
	for i := range words {
		without := strings.Join(append(append([]string{}, words[:i]...), words[i+1:]...), " ")
		if next, ok := r.kept(ctx, t.scenario, trial{t.scenario, t.seed, without}); ok {
			return next, true
		}
	}
	return t, false
}

// mostDecisions is more than a run of a scenario that was made smaller has.
const mostDecisions = 1 << 14

// decisions finds of the decisions of a schedule those that a failure hangs on: where another is not the seed's, who
// has waited longest goes on, a message takes the least time, and nothing is lost. Many are left out at a time first.
// Nothing comes of it where the failure hangs on more than that many, or the search is over.
func (r *reducer) decisions(ctx context.Context, t trial) (only string, count int, ok bool) {
	if strings.Contains(t.schedule, onlyWord) {
		return "", 0, false
	}
	fails := func(kept []int) bool {
		t := t
		t.schedule = strings.TrimSpace(t.schedule + " " + onlyWord + spans(kept))
		return !r.over(ctx) && r.fails(ctx, t)
	}
	kept := make([]int, mostDecisions)
	for i := range kept {
		kept[i] = i
	}
	if !fails(kept) {
		return "", 0, false
	}
	// The end first: behind the end of the run nothing is decided.
	for len(kept) > 1 && fails(kept[:len(kept)/2]) {
		kept = kept[:len(kept)/2]
	}
	for size := len(kept); size > 0; size /= 2 {
		for from := 0; from < len(kept); {
			if rest := append(append([]int{}, kept[:from]...), kept[min(from+size, len(kept)):]...); fails(rest) {
				kept = rest
			} else {
				from += size
			}
		}
	}
	return spans(kept), len(kept), !r.over(ctx)
}

// beyond tells whether the seed also decides what is no decision of the schedule: which message between the nodes of the store is
// lost, who coordinates and stands back, how wrong a clock is, and which of several brokers leads and when another does. With no
// decision left to it, it would decide these.
func beyond(schedule string, s *scenarios.Scenario) bool {
	return s.Cluster.Cassandra > 1 || s.Cluster.Kafka > 1 || slices.ContainsFunc(strings.Fields(schedule), func(word string) bool {
		return strings.HasPrefix(word, "replicas-") || strings.HasPrefix(word, "skew-")
	})
}

// onlyWord begins the word of a schedule that says which of its decisions are the seed's.
const onlyWord = "only-"

// spans tells numbers, which are in order, as 3-40,77.
func spans(of []int) string {
	var out []string
	for i := 0; i < len(of); {
		j := i
		for j+1 < len(of) && of[j+1] == of[j]+1 {
			j++
		}
		span := fmt.Sprint(of[i])
		if j > i {
			span = fmt.Sprintf("%d-%d", of[i], of[j])
		}
		out, i = append(out, span), j+1
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ",")
}
