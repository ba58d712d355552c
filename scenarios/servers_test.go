package scenarios

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/nemesis"
)

// serversMine is a scenario in which things are done to servers; tests break its plan in one place.
const serversMine = `name: servers
about: Servers come and go.
cluster: {kafka: 3, cassandra: 1}
input: {partitions: 1, keys: 1, stages: [{events: 1-6}]}
plan:
  - {start: a}
  - {pause-server: cassandra-1}
  - {heal-server: cassandra-1}
  - {kill-server: coordinator}
  - {move-coordinator: another}
  - {heal-server: coordinator}
  - {isolate-server: kafka-2}
  - {heal-server: all}
expect:
  cassandra/cas: {holds: all}
`

func TestServersInAPlan(t *testing.T) {
	s, err := Parse("servers.yaml", []byte(serversMine), catalogueVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Plan[3].Do[0], (nemesis.Action{Fault: "kill-server", Target: "coordinator"}); got != want {
		t.Errorf("%v", got)
	}
	// What may be passed over says nothing of what comes after it; a role is another broker's when that is struck again.
	for _, more := range []string{
		"  - {maybe: true, do: [{kill-server: kafka-1}]}\n  - {kill-server: kafka-1}\n",
		"  - {kill-server: leader}\n  - {kill-server: leader}\n  - {heal-server: leader}\n",
		"  - {kill-server: leader}\n  - {heal-server: kafka-3}\n",
		"  - {isolate-server: kafka-2}\n  - {elect-unclean: kafka-2}\n  - {kill-server: kafka-2}\n",
	} {
		if _, err := Parse("servers.yaml", []byte(strings.Replace(serversMine, "expect:", more+"expect:", 1)), catalogueVocabulary()); err != nil {
			t.Errorf("%s: %v", more, err)
		}
	}
}

func TestMistakesWithServers(t *testing.T) {
	for _, m := range []struct{ is, instead, want string }{
		{"{isolate-server: kafka-2}", "{isolate-server: kafka-4}", `servers.yaml:12:22: no target of isolate-server is called "kafka-4"; did you mean "kafka-1"?`},
		{"{isolate-server: kafka-2}", "{isolate-server: cassandra-1}", `servers.yaml:12:22: "isolate-server" needs 3 nodes, and this cluster has 1`},
		{"kafka: 3", "kafka: 1", `servers.yaml:10:24: "move-coordinator" needs 3 brokers, and this cluster has 1`},
		{"{pause-server: cassandra-1}", "{pause-server: cassandra-2}", `servers.yaml:7:20: no server is called "cassandra-2": this cluster has 1 node`},
		{"{move-coordinator: another}", "{move-coordinator: cassandra-1}", `servers.yaml:10:24: "move-coordinator" is done to brokers`},
		{"{move-coordinator: another}", "{move-coordinator: leader}", `servers.yaml:10:24: no target of move-coordinator is called "leader"`},
		{"{kill-server: coordinator}", "{kill-server: coordinater}", `servers.yaml:9:19: no target of kill-server is called "coordinater"; did you mean "coordinator"?`},
		{"{kill-server: coordinator}", "{kill-server: all}", `servers.yaml:9:19: no target of kill-server is called "all"`},
		{"{kill-server: coordinator}", "{kill-server: [kafka-1]}", `servers.yaml:9:19: "kill-server" takes text, not a list`},
		{"  - {heal-server: cassandra-1}\n", "  - {kill-server: cassandra-1}\n", `servers.yaml:8:19: cassandra-1 is not well already: line 7 strikes it`},
		{"  - {pause-server: cassandra-1}\n", "", `servers.yaml:7:19: nothing is the matter with cassandra-1 here`},
		{"{isolate-server: kafka-2}\n  - {heal-server: all}", "{elect-unclean: kafka-2}", `servers.yaml:12:21: nothing is the matter with kafka-2 here`},
		{"  - {isolate-server: kafka-2}\n", "", `servers.yaml:12:19: nothing is the matter with all here`},
		{"kafka: 3", "kafka: 2", `servers.yaml:3:18: "kafka" takes 1 or 3, not 2`},
	} {
		_, err := Parse("servers.yaml", []byte(strings.Replace(serversMine, m.is, m.instead, 1)), catalogueVocabulary())
		if err == nil {
			t.Errorf("%q: no error", m.instead)
			continue
		}
		if first, _, _ := strings.Cut(err.Error(), "\n"); first != m.want || strings.Count(err.Error(), "servers.yaml:") > 1 && m.is != "kafka: 3" {
			t.Errorf("%q:\n%s\nnot\n%s", m.instead, err, m.want)
		}
	}
}

// stormy is what a seed draws for servers too.
var stormy = strings.NewReplacer("input:", "cluster: {kafka: 3, cassandra: 3}\ninput:",
	"of: {hold: 5, kill: 2, probe: 1}", "of: {hold: 2, kill-server: 2, pause-server: 2, move-leader: 1, isolate-server: 0}, at-most: {kill-server: 2}, healthy: 700ms").Replace(drawn)

// One server is not well at a time; it is healed before the next, and all are well for a while between; limits are kept.
func TestDrawServers(t *testing.T) {
	s, err := Parse("drawn.yaml", []byte(stormy), catalogueVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	targets, drawn := map[string]bool{}, map[string]int{}
	for seed := range int64(200) {
		d := s.Draw(seed)
		struck, kills, healed, lasts := "", 0, false, 0
		for _, st := range d.Plan {
			if lasts++; struck != "" && lasts > longestTrouble+1 {
				t.Fatalf("seed %d: a trouble of %d steps", seed, lasts)
			}
			for _, a := range st.Do {
				fault, _ := nemesis.Named(a.Fault)
				drawn[a.Fault]++
				if a.Fault == "kill-server" {
					kills++
				}
				switch {
				case !fault.OnServers():
					continue
				case a.Fault == "heal-server":
					if struck != a.Target {
						t.Fatalf("seed %d heals %s, and struck is %q", seed, a.Target, struck)
					}
					struck, healed = "", true
					continue
				case struck != "":
					t.Fatalf("seed %d: %s %s while %s is not well", seed, a.Fault, a.Target, struck)
				case healed && st.After < 700*time.Millisecond:
					t.Fatalf("seed %d: the next comes %s after a heal", seed, st.After)
				}
				healed, targets[a.Target] = false, true
				if fault.Strikes() {
					struck, lasts = a.Target, 0
				}
			}
		}
		if struck != "" || kills > 2 {
			t.Fatalf("seed %d: left is %q, %d kills", seed, struck, kills)
		}
		healedAndStarted(t, seed, d.Plan)
		if seed%10 != 0 {
			continue
		}
		again, err := Parse("again.yaml", d.YAML(), catalogueVocabulary())
		if err != nil || !reflect.DeepEqual(again.Placeless().Plan, d.Plan) {
			t.Fatalf("seed %d is read otherwise than it is written: %v", seed, err)
		}
	}
	for _, want := range []string{"kafka-1", "cassandra-3", "coordinator", "leader", "controller", "another"} {
		if !targets[want] {
			t.Errorf("nothing is ever done to %s", want)
		}
	}
	if drawn["isolate-server"] > 0 || drawn["move-leader"] == 0 || drawn["pause-server"] <= drawn["kill-server"] {
		t.Errorf("drawn %v", drawn)
	}
}

// A fault with the weight 0 changes nothing, and neither does a limit that is not reached.
func TestWeightOfNothing(t *testing.T) {
	s := parsed(t, drawn)
	for _, of := range []string{"of: {hold: 5, kill: 2, stop: 0, probe: 1}", "of: {hold: 5, kill: 2, probe: 1}, at-most: {kill: 900}, healthy: 9s"} {
		with := parsed(t, strings.Replace(drawn, "of: {hold: 5, kill: 2, probe: 1}", of, 1))
		for seed := range int64(50) {
			if !slices.Equal(s.Draw(seed).YAML(), with.Draw(seed).YAML()) {
				t.Fatalf("%s: seed %d draws another plan", of, seed)
			}
		}
	}
}

// A plan whose faults were all drawn as often as they may goes on with what workers need.
func TestLimitsReached(t *testing.T) {
	s := parsed(t, strings.Replace(drawn, "of: {hold: 5, kill: 2, probe: 1}", "of: {kill: 5}, at-most: {kill: 1}", 1))
	for seed := range int64(50) {
		kills := 0
		for _, st := range s.Draw(seed).Plan {
			for _, a := range st.Do {
				if a.Fault == "kill" {
					kills++
				}
			}
		}
		if kills != 1 {
			t.Fatalf("seed %d kills %d times", seed, kills)
		}
	}
}
