package reports

import (
	"testing"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
)

// TestHeadlineTellsTheLoss: a headline says how many events are lost and what they come to, also where no stored value is wrong
// by itself; once is enough.
func TestHeadlineTellsTheLoss(t *testing.T) {
	late := func(more func(*tape)) string {
		tp := evicted(lww, false)
		tp.persist("a/1", fold(0, 1, 2), tp.plain())
		more(tp)
		return Run{History: &tp.History, Report: checker.Check(&tp.History)}.Headline()
	}
	for name, c := range map[string]struct{ got, want string }{
		"at the end": {late(func(tp *tape) {
			tp.ends(4, 5, row("a/1", fold(0, 1, 2)), history.Ending{Finished: true, Reason: done})
		}), "a's persist @2 replaced b's @4 (lines 40, 51); at the end 2 events lost, balances off by 90.00 (line 59)"},
		"mended in time": {late(func(tp *tape) {
			tp.call("observer", history.Read, &history.RowRead{Key: acct, Purpose: history.ForProbe}, history.OK,
				&history.RowRead{Key: acct, Purpose: history.ForProbe, Row: row("a/1", fold(0, 1, 2))})
			tp.persist("b/1", fold(0, 1, 2, 3, 4), tp.plain())
			tp.ends(4, 5, row("b/1", fold(0, 1, 2, 3, 4)), history.Ending{Finished: true, Reason: done})
		}), "a's persist @2 replaced b's @4 (lines 40, 51); at the worst moment 2 events lost, balances off by 90.00 (line 53)"},
		"in a value":            {Run{History: corrupted(lww, false), Report: checker.Check(corrupted(lww, false))}.Headline(), "a's persist @2 replaced b's @4 (lines 40, 51); events 4 to 5 lost, balance short by 90.00 (line 66)"},
		"of what is stuck none": {Run{History: stuck(lww), Report: checker.Check(stuck(lww))}.Headline(), "Partition 0 came to its end with 0 committed where its input ends at 2: 2 records never committed (lines 17, 20, 21)"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s", name, c.got)
		}
	}
}
