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

// A row in doubt is settled by whoever reads it; removals are not.
func TestJournalInDoubt(t *testing.T) {
	v := &history.JournalWrite{Key: acct, Offset: 0, Event: event(0), Write: "a/1#1"}
	lost := &history.JournalWrite{Key: acct, Offset: 1, Event: event(1), Write: "a/1#2"}
	u := Check(hist(op("a/1", history.Journal, v, history.Info, v), op("a/1", history.Journal, lost, "", nil),
		op("a/1", history.JournalClear, &history.JournalRemoval{Key: acct}, "", nil),
		op("b/1", history.JournalRead, &history.JournalRows{Key: acct}, history.OK,
			&history.JournalRows{Key: acct, Rows: []history.JournalEntry{{Key: acct, Write: "a/1#1"}}}), end(true))).Unknowns
	if u.Operations != 3 || u.Seen != 1 || u.NeverSeen != 1 || u.StillUnknown != 1 || u.Each[0].By != 7 ||
		u.Each[0].Text != "a/1 journal of acct-1 @0 unknown" {
		t.Errorf("%+v", u)
	}
}

// What a journal's row in doubt holds is stored once a read shows it, and not known before.
func TestAJournalsRowThatAReadShows(t *testing.T) {
	v := &history.JournalWrite{Key: acct, Offset: 0, Event: event(0), Write: "a/1#1", Timestamp: 1}
	inDoubt := op("a/1", history.Journal, v, history.Info, v)
	shows := op("b/1", history.JournalRead, &history.JournalRows{Key: acct}, history.OK,
		&history.JournalRows{Key: acct, Rows: []history.JournalEntry{{Key: acct, Write: "a/1#1"}}})
	for want, h := range map[Verdict]*history.History{
		Pass:    hist(truth("start", -1), post(0), inDoubt, shows, commit("b", 1), end(true)),
		Unknown: hist(truth("start", -1), post(0), inDoubt, commit("b", 1), shows, end(true)),
	} {
		if got := verdictOf(h, NoLeap); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Odd values of a journal are no reason to panic, and none to accuse.
func TestOddJournals(t *testing.T) {
	h := hist(
		op("a/1", history.Journal, nil, history.Info, nil), op("a/1", history.Journal, (*history.JournalWrite)(nil), "", nil),
		op("a/1", history.JournalClear, (*history.JournalRemoval)(nil), history.OK, nil),
		op("a/1", history.JournalRead, (*history.JournalRows)(nil), history.OK, (*history.JournalRows)(nil)),
		op("a/1", history.KeyAdd, (*history.KeyWrite)(nil), "", nil), op("a/1", history.KeysRead, nil, history.OK, nil),
		op("a/1", history.Recover, &history.Recovery{}, history.OK,
			&history.Recovery{States: []history.RecoveredKey{{}, {Floor: history.Some(-1)}}}),
	)
	rep := Check(h)
	for i := range h.Events {
		NewRun(h).describe(i)
	}
	if got := verdicts(rep, Fail); len(got) > 0 {
		dump(t, h, rep)
		t.Errorf("fails %q", got)
	}
}
