package checker

import (
	"strings"
	"testing"

	"github.com/single-writer/chaos/history"
)

// What is said of a failure, or of what could not be judged, is what there is: which record, and whose life.
func TestWhatIsSaidIsWhatThereIs(t *testing.T) {
	lacked := &history.Produced{Event: event(1), Offset: history.Some(1)}
	for _, c := range []struct {
		name, property string
		h              *history.History
		verdict        Verdict
		says           string
	}{
		{"a newer life is lost, not a close", RecoveryCut,
			hist(post(0), closes(1), post(2), recovering("b", 3, show(P("a", 0)))), Fail,
			"event 3, worth 30.00, is missing from it, of the life after the close at 1"},
		{"the close is undone", RecoveryCut,
			hist(post(0), closes(1), recovering("b", 2, show(P("a", 0)))), Fail, "the close at 1 is undone"},
		{"the log lacks what the producer was told", DurableFold,
			hist(post(0), op("producer", history.Produce, &history.Produced{Event: event(1)}, history.OK, lacked),
				ok(P("a", 1)), end(true)), Unknown,
			"lacks record 1 of partition 0, which was acknowledged (line 4)"},
		{"the commit that cannot be judged", NoLeap,
			hist(truth("start", -1), post(0), call(P("a", 0)), commit("a", 1), end(true)), Unknown,
			"of record 0 of acct-1 when 1 was committed"},
		{"the acknowledged delete is read again", RecoveryComplete,
			hist(post(0), closes(1), now(P("a", 0)), now(D("a", 1)), makes("b", 1, P("a", 0).v.State, 0)), Fail,
			"the close at 1 is undone until it is read again from 1"},
	} {
		p, _ := Check(c.h).Property(c.property)
		if p.Verdict != c.verdict || !strings.Contains(p.Summary, c.says) {
			t.Errorf("%s: %s: %s", c.name, p.Verdict, p.Summary)
		}
		if c.property == NoLeap && len(p.Witness) == 0 {
			t.Errorf("%s: no event shows where", c.name)
		}
	}
}

// The write that an older one replaced is the one that was there, not the one of all newer ones that had come furthest.
func TestTheVictimIsWhatWasThere(t *testing.T) {
	for name, c := range map[string]struct {
		h     *history.History
		after string
	}{
		"a delete came between":   {hist(ok(P("b", 5).at(1)), ok(D("c", 4).at(2)), ok(P("a", 0).at(3))), "c/1 (generation 4) had deleted it @4"},
		"and by its clock before": {hist(ok(P("b", 5).at(2)), ok(D("c", 4).at(1)), ok(P("a", 0).at(3))), "b/1 (generation 3) had stored @5"},
		"of the same owner":       {hist(ok(P("b", 5).at(1)), ok(D("b", 4).at(2)), ok(P("a", 0).at(3))), "b/1 (generation 3) had deleted it @4"},
		"at its own offset": {hist(ok(P("b", 5).at(1)), ok(D("c", 4).at(2)), ok(P("a", 4).at(3))),
			"c/1 (generation 4) had deleted it @4"},
		"what is below it is no victim": {hist(ok(P("b", 5).at(1)), ok(D("c", 3).at(2)), ok(P("a", 4).at(3))), "b/1 (generation 3) had stored @5"},
	} {
		p, _ := Check(c.h).Property(SingleWriter)
		if p.Verdict != Fail || !strings.Contains(p.Summary, " changed acct-1 by its persist @") ||
			!strings.Contains(p.Summary, c.after+":") {
			t.Errorf("%s: %s: %s", name, p.Verdict, p.Summary)
		}
		if len(p.Witness) != 2 {
			t.Errorf("%s: %d events prove it", name, len(p.Witness))
		}
	}
}

// A persist below a close that is committed brings a dead account back, though nothing was ever stored of it.
func TestALateFirstPersistBelowACommittedCloseIsNotHarmless(t *testing.T) {
	h := hist(post(0), closes(1), truth("start", -1), commit("b", 2), ok(P("a", 0)), recover_("c", 2, show(P("a", 0))))
	r := NewRun(h)
	k := r.keys[0]
	if o, words := r.cameOf(k, k.writes[0]); o != LandedHarmful || !strings.Contains(words, "the close at 1 was committed") {
		t.Errorf("%s: %s", o, words)
	}
}
