package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// testVocabulary is close to the real one.
func testVocabulary() Vocabulary {
	v := Vocabulary{
		Properties: []string{"no-stale-overwrite", "durable-fold", "recovery-cut", "recovery-complete", "no-leap", "no-resurrection", "single-writer", "progress"},
		Faults:     []string{"start", "stop", "kill", "hold", "release", "probe"},
		Arms:       []string{"cassandra/lww", "cassandra/cas"},
	}
	for _, p := range history.Points() {
		v.Points = append(v.Points, p.Name)
	}
	words := []string{"evicted", "dirty", "stale-write", "rejected-write", "recovered", "persisted", "recovered-state", "deleted", "reopened", "handovers"}
	v.Requirement = func(text string) error {
		verb, _, _ := strings.Cut(text, " ")
		if slices.Contains(words, verb) {
			return nil
		}
		return fmt.Errorf("no requirement is called %q\n%s", verb, listed("requirements", words))
	}
	return v
}

// mine is a short scenario that is in order; tests break it in one place.
const mine = `name: mine
about: An owner stalls.
cluster: {kafka: 1, cassandra: 3}
input:
  partitions: 2
  keys: 3
  stages:
    - {events: 1-6}
    - {events: 7, kind: close, key: 2, when: {evicted: a, within: 1m}}
    - {events: 8-9, after: 2ms}
workers:
  all: {session-timeout: 3s, heartbeat-interval: 100ms}
  a: {max-poll-interval: 1s, max-poll-records: 1}
plan:
  - {start: a}
  - when: {worker: a, point: folded, event: 6}
    do: [{hold: a}]
  - {when: {evicted: a}, do: [{start: b}, {probe: acct-2}]}
  - {when: {worker: b, point: persist-answered, answer: refused}, do: [{stop: a}]}
requires: [evicted a, handovers 1]
expect:
  cassandra/cas: {holds: all, may: [progress], requires: [rejected-write a]}
  cassandra/lww: {violates: [no-leap, durable-fold]}
`

func TestParse(t *testing.T) {
	got, err := Parse("mine.yaml", []byte(mine), testVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	worker := func(name string) workload.Config {
		c := workload.DefaultConfig(name)
		c.Member.SessionTimeout, c.Member.HeartbeatInterval = 3*time.Second, 100*time.Millisecond
		return c
	}
	a := worker("a")
	a.Member.MaxPollInterval, a.MaxPollRecords = time.Second, 1
	want := &Scenario{
		Name: "mine", About: "An owner stalls.", File: "mine.yaml", Text: []byte(mine),
		Cluster: Cluster{Kafka: 1, Cassandra: 3, Where: "mine.yaml:3:10"}, Partitions: 2, Keys: 3,
		Stages: []workload.Stage{
			{First: 1, Last: 6, Kind: ledger.Post},
			{First: 7, Last: 7, Kind: ledger.Close, Key: 2, When: workload.Trigger{Evicted: "a", Within: time.Minute, Where: "mine.yaml:9:46"}},
			{First: 8, Last: 9, Kind: ledger.Post, After: 2 * time.Millisecond},
		},
		Workers: []workload.Config{a, worker("b")},
		Plan: []nemesis.Step{
			{Do: []nemesis.Action{{Fault: "start", Target: "a"}}, Where: "mine.yaml:15:5"},
			{When: workload.Trigger{Worker: "a", Point: "folded", Event: 6, Where: "mine.yaml:16:11"}, Do: []nemesis.Action{{Fault: "hold", Target: "a"}}, Where: "mine.yaml:16:5"},
			{When: workload.Trigger{Evicted: "a", Where: "mine.yaml:18:12"}, Do: []nemesis.Action{{Fault: "start", Target: "b"}, {Fault: "probe", Target: "acct-2"}}, Where: "mine.yaml:18:5"},
			{When: workload.Trigger{Worker: "b", Point: "persist-answered", Answer: "refused", Where: "mine.yaml:19:12"}, Do: []nemesis.Action{{Fault: "stop", Target: "a"}}, Where: "mine.yaml:19:5"},
		},
		Requires: []string{"evicted a", "handovers 1"},
		Expect: []Expectation{
			{Arm: "cassandra/cas", Holds: true, May: []string{"progress"}, Requires: []string{"rejected-write a"}},
			{Arm: "cassandra/lww", Violates: []string{"no-leap", "durable-fold"}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if e, ok := got.Expectation("cassandra/lww"); !ok || e.Holds {
		t.Errorf("Expectation = %v, %v", e, ok)
	}
	if _, ok := got.Expectation("kafka/txn"); ok {
		t.Error("an expectation for an arm that the scenario does not name")
	}
	if diff := cmp.Diff([]string{"cassandra/cas", "cassandra/lww"}, got.Arms()); diff != "" {
		t.Error(diff)
	}
}

// The same file with the line ends of Windows, with a document mark, in blocks: nothing changes but the places.
func TestParseOtherwiseWritten(t *testing.T) {
	for name, text := range map[string]string{
		"line ends": strings.ReplaceAll(mine, "\n", "\r\n"),
		"marks":     "---\n" + mine + "...\n# the end\n",
		"comments":  "# über allem\n" + strings.ReplaceAll(mine, "\n", " # naïve & *plain <<\n"),
		"blocks":    strings.Replace(mine, "cluster: {kafka: 1, cassandra: 3}", "cluster:\n  kafka: 1\n  cassandra: 3", 1),
		"quotes":    strings.Replace(mine, "point: folded", `point: "folded"`, 1),
		"wrapped":   strings.Replace(mine, "An owner stalls.", ">\n  An owner\n  stalls.", 1),
	} {
		s, err := Parse("mine.yaml", []byte(text), testVocabulary())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if s.About != "An owner stalls." || s.Cluster.Cassandra != 3 || s.Plan[1].When.Point != "folded" {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
