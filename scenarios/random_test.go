package scenarios

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

const drawn = `name: drawn
about: Nobody's script.
input: {partitions: 2, keys: 3, random: {events: 30, closes: 5, pause: 20ms}}
workers:
  all: {session-timeout: 3s, heartbeat-interval: 100ms}
  random: {max-poll-records: [1, 9], restore: [snapshots, events], persist-every: [0s, 2ms, 3s]}
plan:
  random: {workers: 3, faults: 20, pause: 30ms, of: {hold: 5, kill: 2, probe: 1}}
expect:
  cassandra/cas: {holds: all}
`

func parsed(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := Parse("drawn.yaml", []byte(text), testVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What a seed draws is always the same, is within what the scenario says, and leaves nothing to the seed.
func TestDraw(t *testing.T) {
	s := parsed(t, drawn)
	plans, faults := map[string]bool{}, map[string]int{}
	together, apart := map[bool]bool{}, false
	for seed := range int64(200) {
		d := s.Draw(seed)
		if !reflect.DeepEqual(d, s.Draw(seed)) {
			t.Fatalf("seed %d draws two scenarios", seed)
		}
		if !d.Random.None() || d.Draw(seed+1) != d {
			t.Fatalf("seed %d leaves something open", seed)
		}
		plans[string(d.YAML())] = true
		next, closes := int64(1), 0
		for _, st := range d.Stages {
			if st.First != next || st.Last < st.First || st.After > s.Random.Input.Pause {
				t.Fatalf("seed %d: stage %+v", seed, st)
			}
			if next = st.Last + 1; st.Kind == ledger.Close {
				closes++
			}
		}
		if next != 31 || closes > 5 || d.Events() != 30 {
			t.Fatalf("seed %d: %d events, %d closes", seed, next-1, closes)
		}
		for _, st := range d.Plan {
			for _, a := range st.Do {
				faults[a.Fault]++
			}
			if !st.Maybe {
				t.Fatalf("seed %d: a step that must come about: %+v", seed, st)
			}
		}
		healedAndStarted(t, seed, d.Plan)
		for _, w := range d.Workers {
			if w.RestoreEvents != d.Workers[0].RestoreEvents {
				t.Fatalf("seed %d: a group of which some keep journals", seed)
			}
			apart = apart || w.MaxPollRecords != d.Workers[0].MaxPollRecords
		}
		together[d.Workers[0].RestoreEvents] = true
	}
	if len(plans) != 200 || len(together) != 2 || !apart {
		t.Errorf("200 seeds draw %d plans; events and snapshots %v, workers that differ %v", len(plans), together, apart)
	}
	for _, f := range []string{"hold", "kill", "probe", "start", "release", "fail", "stop"} {
		if faults[f] == 0 {
			t.Errorf("no seed draws %s: %v", f, faults)
		}
	}
	if faults["evict"] > 0 || faults["hold"] < faults["kill"] {
		t.Errorf("not by the weights: %v", faults)
	}
}

// A plan may be kept to some points, and may take rows away: of the accounts that there are.
func TestDrawKeptToPoints(t *testing.T) {
	v := catalogueVocabulary()
	text := strings.Replace(drawn, "of: {hold: 5, kill: 2, probe: 1}", "of: {hold: 2, reap: 1}, points: [folded, before-delete]", 1)
	s, err := Parse("drawn.yaml", []byte(text), v)
	if err != nil {
		t.Fatal(err)
	}
	points, reaped := map[string]int{}, map[string]int{}
	for seed := range int64(100) {
		for _, st := range s.Draw(seed).Plan {
			points[st.When.Point]++
			for _, a := range st.Do {
				if a.Fault == history.FaultReap {
					reaped[a.Target]++
				}
			}
		}
	}
	if len(points) != 3 || points[""] == 0 || points["folded"] == 0 || points["before-delete"] == 0 {
		t.Errorf("points %v", points)
	}
	if len(reaped) != 3 || reaped["acct-1"] == 0 || reaped["acct-2"] == 0 || reaped["acct-3"] == 0 {
		t.Errorf("rows taken away: %v", reaped)
	}
}

// healedAndStarted fails unless the plan ends with everybody released and started: what is left of the input could not be judged.
func healedAndStarted(t *testing.T, seed int64, plan []nemesis.Step) {
	t.Helper()
	var last []string
	for _, a := range plan[len(plan)-1].Do {
		last = append(last, a.Fault+" "+a.Target)
	}
	if want := []string{"release a", "start a", "release b", "start b", "release c", "start c"}; !slices.Equal(last, want) {
		t.Fatalf("seed %d ends with %v", seed, last)
	}
}

// What is written is read as the same scenario: the drawn ones, and those that somebody wrote.
func TestWriteAndRead(t *testing.T) {
	all, err := Catalogue(catalogueVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	searched, err := Controls(catalogueVocabulary())
	if err != nil || len(searched) == 0 {
		t.Fatalf("%d scenarios for searches: %v", len(searched), err)
	}
	all = append(append(all, searched...), parsed(t, drawn), parsed(t, strings.Replace(mine, "- when: {worker: a, point: folded, event: 6}",
		"- when: [{worker: a, point: folded, event: 6}]", 1)))
	places := cmpopts.IgnoreFields(workload.Trigger{}, "Where")
	steps := cmpopts.IgnoreFields(nemesis.Step{}, "Where")
	clusters := cmpopts.IgnoreFields(Cluster{}, "Where")
	for _, s := range all {
		for seed := range int64(20) {
			want := *s.Draw(seed)
			got, err := Parse("again.yaml", want.YAML(), catalogueVocabulary())
			if err != nil {
				t.Fatalf("%s, seed %d: %v\n%s", s.Name, seed, err, want.YAML())
			}
			want.File, want.Text, want.Source, want.Race = got.File, got.Text, strings.TrimSpace(want.Source), strings.TrimSpace(want.Race)
			if diff := cmp.Diff(&want, got, places, steps, clusters, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s, seed %d: -want +got\n%s\n%s", s.Name, seed, diff, want.YAML())
			}
			if s.Random.None() {
				break
			}
		}
	}
}

// Mistakes of a scenario that leaves something to the seed.
func TestRandomMistakes(t *testing.T) {
	for _, m := range []struct{ is, instead, want string }{
		{"closes: 5", "closes: 31", `drawn.yaml:3:62: 31 of 30 events cannot be closes`},
		{"events: 30, ", "", `drawn.yaml:3:41: a random input needs "events"`},
		{"random: {events: 30, closes: 5, pause: 20ms}", "stages: [{events: 1-3}], random: {events: 30}",
			`drawn.yaml:3:33: the stages are written or drawn: it has "random", so no "stages"`},
		{"workers: 3", "workers: 27", `drawn.yaml:8:21: "workers" takes a number from 1 to 26, not 27`},
		{"hold: 5", "hold: -1", `drawn.yaml:8:60: "hold" takes a number from 0 to 1000, not -1`},
		{"hold: 5, kill: 2, probe: 1", "hold: 0", `drawn.yaml:8:53: "of" gives no fault a weight, so that none could be drawn`},
		{"probe: 1}", "probe: 1}, at-most: {stop: 1}", `drawn.yaml:8:93: no fault under "of" is called "stop"`},
		{"probe: 1}", "move-leader: 1}", `drawn.yaml:8:72: "move-leader" needs 3 brokers, and this cluster has fewer`},
		{"hold: 5", "start: 5", `drawn.yaml:8:54: no fault that can be drawn is called "start"`},
		{"of: {hold: 5, kill: 2, probe: 1}", "of: {}", `drawn.yaml:8:53: "of" names no fault`},
		{"pause: 30ms, of", "pause: 30ms, points: [foldd], of", `drawn.yaml:8:58: no point is called "foldd"; did you mean "folded"?`},
		{"pause: 30ms, of", "pause: 30ms, points: [], of", `drawn.yaml:8:57: "points" names none`},
		{"  random: {workers", "  rondom: {workers", `drawn.yaml:8:3: a plan that is not a list has no key "rondom"; did you mean "random"?`},
		{"[1, 9]", "[1]", `drawn.yaml:6:30: "max-poll-records" needs two values to choose from`},
		{"[1, 9]", "[1, 0]", `drawn.yaml:6:34: "max-poll-records" takes a number from 1 to 1000000, not 0`},
		{"[1, 9]", "7", `drawn.yaml:6:30: "max-poll-records" takes a list, not 7`},
		{"max-poll-records: [1, 9]", "backoff: [1ms, 9ms]", `drawn.yaml:6:12: the random settings has no key "backoff"`},
	} {
		_, err := Parse("drawn.yaml", []byte(strings.Replace(drawn, m.is, m.instead, 1)), catalogueVocabulary())
		if err == nil {
			t.Errorf("%q: no error", m.instead)
			continue
		}
		if first, _, _ := strings.Cut(err.Error(), "\n"); first != m.want {
			t.Errorf("%q:\n%s\nnot\n%s", m.instead, first, m.want)
		}
	}
	mixed := strings.Replace(mine, "- when: {worker: a, point: folded, event: 6}\n    do: [{hold: a}]", "- {maybe: true, after: 3, do: [{hold: a}]}", 1)
	if _, err := Parse("mine.yaml", []byte(mixed), testVocabulary()); err == nil || !strings.Contains(err.Error(), `"after" takes a duration`) {
		t.Errorf("%v", err)
	}
}
