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
			hist(post(0), op("producer", history.Produce, &history.Produced{Event: event(1)}, history.OK, lacked), ok(P("a", 1)), end(true)), Unknown,
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

// A persist below a close that is committed brings a dead account back, though nothing was ever stored of it.
func TestALateFirstPersistBelowACommittedCloseIsNotHarmless(t *testing.T) {
	h := hist(post(0), closes(1), truth("start", -1), commit("b", 2), ok(P("a", 0)), recover_("c", 2, show(P("a", 0))))
	r := NewRun(h)
	k := r.keys[0]
	if o, words := r.cameOf(k, k.writes[0]); o != LandedHarmful || !strings.Contains(words, "the close at 1 was committed") {
		t.Errorf("%s: %s", o, words)
	}
}
