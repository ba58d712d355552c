package scenarios

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// wiresMine is a scenario in which things are armed on the wire of a worker; tests break its plan in one place.
const wiresMine = `name: wires
about: Messages get lost.
input: {partitions: 1, keys: 1, stages: [{events: 1-6}]}
plan:
  - {start: a}
  - {delay-message: {worker: a, message: persist, by: 2s, nth: 3}}
  - {drop-message: {worker: a, message: OffsetCommit, way: answer, chance: 0.25}}
  - {cut-off: {worker: a, from: kafka, silently: true}}
  - {lift: a}
expect:
  cassandra/cas: {holds: all}
`

func TestWiresInAPlan(t *testing.T) {
	s, err := Parse("wires.yaml", []byte(wiresMine), catalogueVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	want := []nemesis.Action{
		{Fault: "start", Target: "a"},
		{Fault: "delay-message", Target: "a", Rule: &workload.Rule{Message: "persist", Way: workload.Request, Do: workload.Delay, By: 2 * time.Second, Nth: 3}},
		{Fault: "drop-message", Target: "a", Rule: &workload.Rule{Message: "OffsetCommit", Way: workload.Answer, Do: workload.Drop, Draw: &workload.Draw{Chance: 0.25}}},
		{Fault: "cut-off", Target: "a", Wall: &workload.Wall{From: "kafka", Silently: true}},
		{Fault: "lift", Target: "a"},
	}
	again, err := Parse("again.yaml", s.YAML(), catalogueVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range want {
		if !reflect.DeepEqual(s.Plan[i].Do[0], a) || !reflect.DeepEqual(again.Plan[i].Do[0], a) {
			t.Errorf("step %d is %+v, written and read again %+v", i+1, s.Plan[i].Do[0], again.Plan[i].Do[0])
		}
		if r := a.Rule; r != nil && r.Check() != nil {
			t.Errorf("step %d: %v", i+1, r.Check())
		}
	}
}

func TestMistakesWithWires(t *testing.T) {
	for _, m := range []struct{ is, instead, want string }{
		{"message: persist", "message: persits", `wires.yaml:6:42: no message is called "persits"; did you mean "persist"?`},
		{"message: persist, ", "", `wires.yaml:6:21: "delay-message" needs "message"`},
		{"worker: a, message: persist", "message: persist", `wires.yaml:6:21: "delay-message" needs "worker"`},
		{"worker: a, message: persist", "worker: z, message: persist", `wires.yaml:6:30: no worker is called "z"`},
		{"by: 2s, ", "", `wires.yaml:6:21: "delay-message" needs "by"`},
		{"by: 2s", "by: 2h", `wires.yaml:6:55: a message is at most 10m late, and not 2h`},
		{"by: 2s", "by: 2", `wires.yaml:6:55: "by" takes a duration, and 2 has no unit; did you mean "2s"?`},
		{"nth: 3", "nth: 0", `wires.yaml:6:64: "nth" takes a number from 1 to 1000000, not 0`},
		{"nth: 3", "chance: 0.1, nth: 3", `wires.yaml:6:59: it is message 3, or each by a chance, not both`},
		{"chance: 0.25", "chance: 1.25", `wires.yaml:7:76: "chance" takes a chance from 0 to 1, not 1.25`},
		{"chance: 0.25", "by: 2s", `wires.yaml:7:68: "drop-message" has no key "by"`},
		{"way: answer", "way: back", `wires.yaml:7:60: no way is called "back"`},
		{"from: kafka", "from: kafka-1", `wires.yaml:8:33: no kind of server is called "kafka-1"; did you mean "kafka"?`},
		{"silently: true", "silently: yes", `wires.yaml:8:50: "silently" takes true or false, not the text "yes"`},
		{"{lift: a}", "{start: b}\n  - {lift: b}", `wires.yaml:10:12: nothing was armed on the wire of b`},
		{"{drop-message: {worker: a, message: OffsetCommit, way: answer, chance: 0.25}}", "{drop-message: a}",
			`wires.yaml:7:20: "drop-message" is a mapping, not the text "a"`},
	} {
		_, err := Parse("wires.yaml", []byte(strings.Replace(wiresMine, m.is, m.instead, 1)), catalogueVocabulary())
		if err == nil {
			t.Errorf("%q: no error", m.instead)
			continue
		}
		if first, _, _ := strings.Cut(err.Error(), "\n"); first != m.want || strings.Count(err.Error(), "wires.yaml:") > 1 {
			t.Errorf("%q:\n%s\nnot\n%s", m.instead, err, m.want)
		}
	}
}

// What is drawn on the wire is one message, or one wall at a time, which is lifted before the next.
func TestDrawWires(t *testing.T) {
	s := parsedWith(t, strings.Replace(drawn, "of: {hold: 5, kill: 2, probe: 1}", "of: {cut-off: 3, drop-message: 2, delay-message: 1}", 1))
	drawn := map[string]int{}
	for seed := range int64(100) {
		walled := ""
		for _, st := range s.Draw(seed).Plan {
			for _, a := range st.Do {
				drawn[a.Fault]++
				switch {
				case a.Wall != nil && walled != "":
					t.Fatalf("seed %d: a second wall", seed)
				case a.Wall != nil:
					walled = a.Target
				case a.Fault == "lift" && a.Target != walled:
					t.Fatalf("seed %d lifts %s, and walled is %q", seed, a.Target, walled)
				case a.Fault == "lift":
					walled = ""
				case a.Rule != nil && (a.Rule.Check() != nil || a.Rule.Nth != 1):
					t.Fatalf("seed %d: %+v, %v", seed, a.Rule, a.Rule.Check())
				}
			}
		}
		if walled != "" {
			t.Fatalf("seed %d leaves a wall before %s", seed, walled)
		}
	}
	for _, f := range []string{"cut-off", "lift", "drop-message", "delay-message"} {
		if drawn[f] == 0 {
			t.Errorf("no seed draws %s: %v", f, drawn)
		}
	}
}

func parsedWith(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := Parse("drawn.yaml", []byte(text), catalogueVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	return s
}
