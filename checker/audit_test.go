package checker

import (
	"strings"
	"testing"

	"github.com/single-writer/chaos/history"
)

// What comes of late writes, each told by one line of the audit.
func TestFenceAudit(t *testing.T) {
	input := all(post(upTo(11)...), truth("start", -1))
	taken := all(point("b", "assigned", 5), ok(P("b", 9)), commit("b", 10))
	plainly := all(point("b", "assigned", 5), ok(P("b", 9).at(9)), commit("b", 10))
	refusedCommit := func(code string) step {
		v := commitValue("a", 6)
		v.Member = life("a")
		answer := *v
		answer.Code = code
		return op("a/1", history.Commit, v, history.Fail, &answer)
	}
	drop := func(worker, by string) step {
		return note(life(worker), history.Dropped, &history.DroppedHere{Key: acct, Offset: 5, Floor: 9, By: by,
			Owner: history.Owner{Member: life(worker), Generation: generations[worker]}})
	}
	for _, c := range []struct {
		name  string
		steps step
		want  string
	}{
		{"an owner's own write", all(ok(P("a", 5)), commit("a", 6)), ""},
		{"refused by the row", all(taken, no(P("a", 5), 9)), "refused-by-condition: the row held @9"},
		{"refused by the row, after an eviction", all(evicted("a"), no(P("a", 5), 9)), "refused-by-condition: the row held @9"},
		{"the evicted one is another", all(evicted("b"), no(P("a", 5), 9)), ""},
		{"called before", all(call(P("a", 5)), taken), ""},
		{"told that it is lost", all(point("a", "lost", 6), no(P("a", 5), 9)), "refused-by-condition: the row held @9"},
		{"replaced, and recovered", all(plainly, ok(P("a", 5).at(10)), recover_("c", 10, show(P("a", 5)))),
			"landed-harmful: @9 was stored: events 7 to 10, worth 340.00, are missing from it, and c/1 went on from there"},
		{"replaced, and still there", all(plainly, ok(P("a", 5).at(10)), probe(show(P("a", 5)))),
			"landed-harmful: @9 was stored: events 7 to 10, worth 340.00, are missing from it"},
		{"replaced, and nobody looked", all(taken, ok(P("a", 5))),
			"landed-harmful: @9 was stored: events 7 to 10, worth 340.00, are missing from it"},
		{"overwritten before it was recovered", all(plainly, ok(P("a", 5).at(10)), ok(P("b", 10).at(11)), recover_("c", 11, show(P("b", 10)))),
			"harmless-by-luck: @9 was stored: events 7 to 10, worth 340.00, are missing from it, but it was overwritten before c/1 recovered"},
		{"somebody went on from it, and stored that", all(plainly, ok(P("a", 5).at(10)), ok(P("b", 10).of(0, 1, 2, 3, 4, 5, 10).at(11)),
			recover_("c", 11, show(P("b", 10).of(0, 1, 2, 3, 4, 5, 10)))),
			"landed-harmful: @9 was stored: events 7 to 10, worth 340.00, are missing from it, and c/1 went on from there"},
		{"lost by its clock", all(plainly, ok(P("a", 5).at(5)), probe(show(P("b", 9)))),
			"harmless-by-luck: a greater timestamp had been acknowledged, and it lost by its clock"},
		{"ahead", all(point("b", "assigned", 5), ok(P("b", 5)), ok(P("a", 7))), "landed-harmless: it is the fold of its records, and @5 was stored"},
		{"equal", all(taken, ok(P("a", 9))), "landed-harmless: it is the fold of its records, and @9 was stored"},
		{"the first", all(point("b", "assigned", 0), ok(P("a", 2))), "landed-harmless: it is the fold of its records, and nothing was stored"},
		{"ahead, and wrong", all(point("b", "assigned", 5), ok(P("b", 5)), ok(P("a", 7).of(7))), "landed-harmful: it is not the fold of its records"},
		{"a delete of what lives", all(taken, ok(D("a", 5).at(99)), recover_("c", 10, none)),
			"landed-harmful: @9 was stored: events 7 to 10, worth 340.00, are missing from it, and c/1 went on from there"},
		{"in doubt", all(taken, info(P("a", 5))), "in-doubt: it was not answered, and no read showed it"},
		{"in doubt, and seen", all(taken, info(P("a", 5)), probe(show(P("a", 5)))),
			"landed-harmful: @9 was stored: events 7 to 10, worth 340.00, are missing from it"},
		{"it did nothing", all(taken, nothing(D("a", 5))), "no-effect: none of its statements was applied"},
		{"a commit refused", all(taken, refusedCommit("UNKNOWN_MEMBER_ID")), "refused-by-generation: UNKNOWN_MEMBER_ID"},
		{"a commit refused by its epoch", all(taken, refusedCommit("PRODUCER_FENCED")), "refused-by-epoch: PRODUCER_FENCED"},
		{"a commit that went nowhere", all(taken, refusedCommit("not-sent")), "no-effect: not-sent"},
		{"its own buffer", all(taken, drop("a", "monotone-buffer")), "stopped-by-monotone-buffer: it compared @5 with its floor @9"},
		{"its own filter", all(taken, drop("a", "replay-filter")), "stopped-by-replay-filter: it compared @5 with its floor @9"},
		{"an owner's own filter", all(taken, drop("b", "replay-filter")), ""},
	} {
		rep := Check(hist(input, c.steps))
		var got []string
		for _, e := range rep.Audit.Entries {
			got = append(got, string(e.Fate)+": "+e.Words)
			if e.Out == "" || e.Text == "" || e.Process != "a/1" {
				t.Errorf("%s: %+v", c.name, e)
			}
		}
		p, _ := rep.Property(FenceAudit)
		if strings.Join(got, "; ") != c.want || (p.Verdict == Pass) != (c.want != "") || p.Verdict != Pass &&
			p.Verdict != Vacuous {
			t.Errorf("%s: %s, %q, want %q", c.name, p.Verdict, got, c.want)
		}
	}
}

// Refusals of rightful owners are counted apart.
func TestFenceAuditOfOwners(t *testing.T) {
	a := Check(hist(ok(P("a", 6)), point("b", "assigned", 5), no(P("b", 5), 6))).Audit
	if len(a.Entries) != 0 || a.Owners[RefusedByCondition] != 1 || len(a.Owners) != 1 {
		t.Errorf("%+v", a)
	}
}
