package sim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// subscriptions are those of members that own nothing.
func subscriptions(ids ...string) []subscription {
	var out []subscription
	for _, id := range ids {
		out = append(out, subscription{id: id, generation: noGeneration})
	}
	return out
}

// Consecutive partitions by the order of ids, the first of them one more when they do not divide: RangeAssignor.
func TestRangeAssignor(t *testing.T) {
	for _, c := range []struct {
		members    []string
		partitions int
		want       map[string][]int32
	}{
		{nil, 2, nil},
		{[]string{"b", "a"}, 4, map[string][]int32{"a": {0, 1}, "b": {2, 3}}},
		{[]string{"c", "b", "a"}, 4, map[string][]int32{"a": {0, 1}, "b": {2}, "c": {3}}},
		{[]string{"b", "a"}, 1, map[string][]int32{"a": {0}}},
	} {
		if d := cmp.Diff(c.want, assignRange(subscriptions(c.members...), c.partitions)); d != "" {
			t.Errorf("%v over %d: %s", c.members, c.partitions, d)
		}
	}
}

// Everybody keeps what it owns, and what moves is given to nobody until its owner has given it back: CooperativeStickyAssignor.
func TestCooperativeAssignor(t *testing.T) {
	owns := func(id string, generation int32, owned ...int32) subscription {
		return subscription{id, owned, generation}
	}
	for _, c := range []struct {
		name       string
		members    []subscription
		partitions int
		want       map[string][]int32
	}{
		{"nobody", nil, 2, nil},
		{"all are new", subscriptions("b", "a"), 3, map[string][]int32{"a": {0}, "b": {1, 2}}},
		{"a second member: what it is to get is withheld", append(subscriptions("b"), owns("a", 1, 0, 1)), 2,
			map[string][]int32{"a": {0}}},
		{"it was given back", []subscription{owns("b", 2), owns("a", 2, 0)}, 2, map[string][]int32{"a": {0}, "b": {1}}},
		{"one left: the others keep theirs, also out of order", []subscription{owns("a", 3, 2), owns("b", 3, 0)}, 3,
			map[string][]int32{"a": {1, 2}, "b": {0}}},
		{"balanced, however it came about", []subscription{owns("a", 3, 1), owns("b", 3, 0)}, 2, map[string][]int32{"a": {1}, "b": {0}}},
		{"a claim of an older generation gives way", []subscription{owns("a", 3, 0), owns("b", 5, 0, 1)}, 2,
			map[string][]int32{"b": {0}}},
	} {
		if d := cmp.Diff(c.want, assignCooperative(c.members, c.partitions)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
