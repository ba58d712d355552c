package checker

import (
	"testing"

	"github.com/single-writer/chaos/history"
)

// recoversOnly is a recovery of some keys alone, at their first records or because only they are listed.
func recoversOnly(worker string, start int64, keys ...string) step {
	v := &history.Recovery{Start: start, Keys: append([]string{}, keys...)}
	return op(life(worker), history.Recover, v, history.OK, v)
}

// A recovery counts for the keys that it was of: one of no key is none, and what is persisted of a key that it was not of
// shows nothing. A stale write is alone until the next owner's recovery of its own key.
func TestRequirementsOfLazyRecoveries(t *testing.T) {
	for _, c := range []struct {
		name, requirement string
		h                 *history.History
		met               bool
	}{
		{"of no key", "recovered b", hist(recoversOnly("b", 0)), false},
		{"of one key", "recovered b", hist(recoversOnly("b", 0), recoversOnly("b", 0, "acct-2")), true},
		{"of another key", "persisted b", hist(recoversOnly("b", 0, "acct-2"), ok(P("b", 0))), false},
		{"of the key", "persisted b", hist(recoversOnly("b", 0, "acct-2"), recoversOnly("b", 0, acct), ok(P("b", 0))), true},
		{"a value made of a journal", "recovered-state b", hist(makes("b", 0, P("a", 0).v.State, 0)), true},
		{"nothing made of a journal", "recovered-state b", hist(makes("b", 0, closed, 3)), false},
		{"written again before the key is recovered", "stale-write a", hist(ok(P("b", 9)), commit("b", 10), probe(show(P("b", 9))),
			ok(P("a", 5)), recoversOnly("c", 10, "acct-2"), ok(P("b", 10)), recoversOnly("c", 10, acct)), false},
		{"written again after the key is recovered", "stale-write a", hist(ok(P("b", 9)), commit("b", 10), probe(show(P("b", 9))),
			ok(P("a", 5)), recoversOnly("c", 10, "acct-2"), recoversOnly("c", 10, acct), ok(P("c", 10))), true},
	} {
		if met := NewRun(c.h).Requirements([]string{c.requirement}); met[0].Met != c.met {
			t.Errorf("%s: %s is met: %v (%s)", c.name, c.requirement, met[0].Met, met[0].Missing)
		}
	}
}
