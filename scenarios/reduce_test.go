package scenarios

import (
	"strings"
	"testing"
)

// reducibles are scenarios to leave parts out of: some that somebody wrote, and what seeds make of the random one.
func reducibles(t *testing.T) (out []*Scenario) {
	t.Helper()
	for _, name := range []string{"stale-periodic-flush", "journal-hole", "two-partitions-one-lost-cooperative", "replay-window"} {
		s, err := from(catalogue, name, catalogueVocabulary())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s.Reducible("small", "What is left."))
	}
	s, err := from(catalogue, "overlap-random", catalogueVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	return append(out, s.Draw(1).Reducible("small", "What is left."), s.Draw(2).Reducible("small", "What is left."))
}

// Whatever is left out, what comes out is smaller, or the loader says what it lacks; nothing else of the scenario changes
// hands, and what it was made of stays as it was.
func TestReductions(t *testing.T) {
	v := catalogueVocabulary()
	for _, kind := range Reductions() {
		read := 0
		for _, s := range reducibles(t) {
			before, parts := string(s.YAML()), kind.Parts(s)
			for i := range parts {
				less := kind.Without(s, i, i+1)
				if got := string(s.YAML()); got != before {
					t.Fatalf("%s without one of its %s changes what it is made of", s.Name, kind.Of)
				}
				again, err := Parse("small.yaml", less.YAML(), v)
				if err != nil {
					continue
				}
				read++
				if got := kind.Parts(again); got >= parts {
					t.Fatalf("without %d of %d %s there are %d:\n%s", i, parts, kind.Of, got, less.YAML())
				}
			}
			if less := kind.Without(s, 0, parts); parts > 0 && kind.Parts(less) > 0 {
				t.Errorf("without all %s there are %d", kind.Of, kind.Parts(less))
			}
		}
		if read < 3 {
			t.Errorf("%s: only %d of the smaller ones are scenarios", kind.Of, read)
		}
	}
}

// What is left refers to what it did before.
func TestReductionsKeepTheirSense(t *testing.T) {
	s := parsed(t, mine).Reducible("small", "What is left.")
	for _, c := range []struct {
		of       string
		from, to int
		has, not []string
	}{
		{"events", 1, 3, []string{"events: 1-4, kind: post", "event: 4}", "events: 5-5, kind: close, key: 2, when: {evicted: a"}, []string{"event: 6"}},
		// Event 6 is the last of those up to it that are left; with the stage of the close goes its moment to the next.
		{"events", 5, 7, []string{"events: 1-5, kind: post", "event: 5}", "events: 6-7, kind: post, when: {evicted: a, within: 1m}, after: 2ms"}, []string{"close"}},
		{"members", 0, 1, []string{"{start: b}"}, []string{"start: a", "evicted: a", "  a:"}},
		{"keys", 0, 2, []string{"keys: 1", "key: 1"}, []string{"key: 2"}},
		{"moments", 0, 1, []string{"do: [{hold: a}]", "evicted: a"}, []string{"point: folded"}},
	} {
		for _, kind := range Reductions() {
			if kind.Of != c.of {
				continue
			}
			got := string(kind.Without(s, c.from, c.to).YAML())
			for _, want := range c.has {
				if !strings.Contains(got, want) {
					t.Errorf("without %s %d to %d there is no %q:\n%s", c.of, c.from, c.to, want, got)
				}
			}
			for _, gone := range c.not {
				if strings.Contains(got, gone) {
					t.Errorf("without %s %d to %d there is %q:\n%s", c.of, c.from, c.to, gone, got)
				}
			}
		}
	}
	if strings.Contains(string(s.YAML()), "requires") || strings.Contains(string(s.YAML()), "violates") {
		t.Errorf("it requires, or must fail:\n%s", s.YAML())
	}
}

// A slower scenario has all its times longer, and what it was made of stays as it was.
func TestSlower(t *testing.T) {
	s := parsed(t, strings.Replace(mine, "do: [{hold: a}]", "after: 20ms\n    do: [{hold: a}]", 1))
	before := string(s.YAML())
	got := string(s.Slower(10).YAML())
	for _, want := range []string{"within: 10m", "after: 20ms}", "after: 200ms", "max-poll-interval: 10s", "session-timeout: 30s", "heartbeat-interval: 100ms"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q:\n%s", want, got)
		}
	}
	if string(s.YAML()) != before || s.Slower(1) != s {
		t.Error("what it was made of is another")
	}
}
