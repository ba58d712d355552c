package measures

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/single-writer/chaos/history"
)

// same compares a loss, wherever it was found.
func same(t *testing.T, what string, got Loss, lost, extra int, off int64) {
	t.Helper()
	if got.Lost != lost || got.Extra != extra || !got.Off.Equal(decimal.New(off, 0)) {
		t.Errorf("%s: %d lost, %d too many, off by %s; not %d, %d, %d", what, got.Lost, got.Extra, got.Off, lost, extra, off)
	}
	if (got.Line > 0) != (lost+extra > 0) {
		t.Errorf("%s: line %d", what, got.Line)
	}
}

// TestAtEnd: what is stored at the end against the fold of the whole input.
func TestAtEnd(t *testing.T) {
	for _, c := range []struct {
		name        string
		posts       []int64
		row         *history.Row
		lost, extra int
		off         int64
	}{
		{"all is there", []int64{0, 1, 2}, row(0, 1, 2), 0, 0, 0},
		{"a run of events is missing", []int64{0, 1, 2, 3}, row(0, 3), 2, 0, 50},
		{"the last ones are missing", []int64{0, 1, 2, 3}, row(0, 1), 2, 0, 70},
		{"both", []int64{0, 1, 2, 3}, row(0, 2), 2, 0, 60},
		{"one is there twice", []int64{0, 1, 2}, row(0, 1, 1, 2), 0, 1, 20},
		{"nothing is there", []int64{0, 1}, nil, 2, 0, 30},
		{"closed and gone", []int64{0, -1}, nil, 0, 0, 0},
		{"closed and alive", []int64{0, -1}, row(0), 0, 1, 10},
		{"opened again", []int64{0, -1, 2}, row(2), 0, 0, 0},
		{"opened again on the old life", []int64{0, -1, 2}, row(0, 2), 0, 1, 10},
		{"the old life in the place of the new", []int64{0, -1, 2}, row(0), 1, 1, 20},
		{"of no run of events: by their number", []int64{0, 1, 2, 3, 4}, row(0, 2, 4), 2, 0, 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			tp := newTape()
			tp.posts(c.posts...)
			tp.ends(c.row)
			same(t, "at the end", *tp.of(t).AtEnd, c.lost, c.extra, c.off)
		})
	}
}

// TestWorst: what reads find missing below the committed offset, though it is there again later.
func TestWorst(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(*tape)
		lost int
		off  int64
	}{
		{"an old state", func(tp *tape) { tp.commit("b/1", 3); tp.reads(history.ForProbe, row(0)) }, 2, 50},
		{"nothing", func(tp *tape) { tp.commit("b/1", 3); tp.reads(history.ForRecovery, nil) }, 3, 60},
		{"behind, and nothing committed", func(tp *tape) { tp.reads(history.ForProbe, row(0)) }, 0, 0},
		{"nothing, and nothing committed", func(tp *tape) { tp.reads(history.ForRecovery, nil) }, 0, 0},
		{"ahead of the commit", func(tp *tape) { tp.commit("b/1", 1); tp.reads(history.ForProbe, row(0, 1)) }, 0, 0},
		{"committed while it was read", func(tp *tape) {
			r := &history.RowRead{Key: acct, Purpose: history.ForProbe, Row: row(0)}
			tp.call("observer", history.Read, history.OK, &history.RowRead{Key: acct, Purpose: history.ForProbe}, r,
				func() { tp.commit("b/1", 3) })
		}, 0, 0},
		{"deleted, and its commit yet to come", func(tp *tape) { tp.commit("b/1", 3); tp.deletes("b/1", 3); tp.reads(history.ForProbe, nil) }, 0, 0},
		{"read at SERIAL, and after it", func(tp *tape) {
			tp.commit("b/1", 3)
			tp.reads(history.ForSettling, row(0))
			tp.reads(history.ForEnd, row(0))
		}, 0, 0},
		{"the first of two equal ones", func(tp *tape) {
			tp.commit("b/1", 2)
			tp.reads(history.ForProbe, row(0))
			tp.reads(history.ForProbe, row(0))
		}, 1, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			tp := newTape()
			c.play(tp)
			tp.posts(0, 1, 2, -3)
			tp.ends(nil)
			r := tp.of(t)
			same(t, "at worst", r.Worst, c.lost, 0, c.off)
			same(t, "at the end", *r.AtEnd, 0, 0, 0)
			if l := r.Worst.Line; l > 0 && tp.Events[l-2].F != history.Read {
				t.Errorf("line %d is no read", l)
			}
		})
	}
}

// TestJournal: of an account with a journal the rows tell little; what an owner made of both counts, and at the end both.
func TestJournal(t *testing.T) {
	tp := newTape()
	tp.posts(0, 1, 2)
	journal := func(o int64) {
		v := &history.JournalWrite{Key: acct, Offset: o, Event: event(o), Write: "a/1"}
		tp.call("a/1", history.Journal, history.OK, v, v)
	}
	recovers := func(states ...history.RecoveredKey) {
		v := &history.Recovery{Keys: []string{acct}}
		done := *v
		done.States = states
		tp.call("b/1", history.Recover, history.OK, v, &done)
	}
	journal(0)
	journal(1)
	tp.commit("a/1", 3)
	tp.reads(history.ForProbe, row(0)) // the rest is in the journal
	recovers(history.RecoveredKey{Key: acct, State: state(0, 1, 2)})
	if w := tp.of(t).Worst; w.Events() != 0 {
		t.Errorf("whole: %+v", w)
	}
	recovers(history.RecoveredKey{Key: acct})
	at := tp.Events[len(tp.Events)-1].Line()
	left := func(o int64) history.JournalEntry {
		e := event(o)
		return history.JournalEntry{Key: acct, Offset: o, Event: &e}
	}
	tp.note("observer", history.Truth, &history.GroundTruth{At: "end", Committed: []int64{3},
		Rows: []history.KeyedRow{{Key: acct, Row: *row(0)}}, Journal: []history.JournalEntry{left(0), left(2)}})
	r := tp.of(t)
	same(t, "at worst", r.Worst, 3, 0, 60)
	same(t, "at the end", *r.AtEnd, 1, 0, 20)
	if r.Worst.Line != at {
		t.Errorf("line %d, not %d", r.Worst.Line, at)
	}
}

// TestStall: the longest time between two advances of the committed offset, or until the end where input is left.
func TestStall(t *testing.T) {
	tp := newTape()
	tp.wait(time.Hour) // before the first commit nothing stands still
	tp.commit("a/1", 1)
	tp.wait(2 * time.Second)
	tp.commit("a/1", 1) // no advance
	tp.wait(3 * time.Second)
	tp.commit("b/1", 2)
	from, to := tp.Events[1], tp.Events[5]
	tp.wait(time.Minute)
	tp.posts(0, 1)
	tp.ends(row(0, 1))
	got := tp.of(t).Stall
	if got != (Stall{For: time.Duration(to.Time - from.Time), From: from.Line(), To: to.Line()}) || got.For < 5*time.Second {
		t.Errorf("%+v", got)
	}

	tp.Events = nil
	tp.commit("a/1", 1)
	tp.wait(time.Minute)
	tp.posts(0, 1)
	tp.ends(row(0))
	if got := tp.of(t).Stall; got.For < time.Minute || got.To != tp.Events[len(tp.Events)-1].Line() || got.From != 3 {
		t.Errorf("with input left: %+v", got)
	}

	tp = newTape()
	tp.wait(time.Minute)
	tp.posts(0)
	tp.ends(nil)
	if got := tp.of(t).Stall; got.For < time.Minute || got.From != 0 {
		t.Errorf("with nothing committed: %+v", got)
	}
}

// TestTiming: what is measured, and what is left out.
func TestTiming(t *testing.T) {
	tp := newTape()
	meddles := func() {
		tp.note("nemesis", history.Fault, &history.FaultDone{Fault: "hold", Target: "a", Phase: "done"})
	}
	slow := func() { tp.wait(9 * time.Millisecond) }
	tp.persist("a/1", 1, history.OK)
	tp.commit("a/1", 2)
	tp.persist("b/1", 3, history.OK, slow)
	slowest := tp.Events[len(tp.Events)-1].Line()
	commit := &history.OffsetCommit{Offset: 4}
	tp.call("b/1", history.Commit, history.OK, commit, commit, func() { tp.wait(2 * time.Millisecond) })
	tp.persist("a/1", 2, history.Fail)        // an answer, and nothing stored
	tp.persist("a/1", 4, history.Info)        // no answer
	tp.persist("a/1", 5, history.OK, meddles) // not the store's time
	r := tp.of(t)
	if n := r.Persist.Count(); n != 3 {
		t.Errorf("%d persists were measured", n)
	}
	if p50, p100 := r.Persist.Quantile(50), r.Persist.Quantile(100); p50.Round(10*time.Microsecond) != time.Millisecond || p100 != 9*time.Millisecond {
		t.Errorf("p50 %s, max %s", p50, p100)
	}
	if r.Persist.slowest != slowest {
		t.Errorf("the slowest is on line %d, not %d", r.Persist.slowest, slowest)
	}
	if r.Write.Count() != 2 || r.Statements != 4 || r.Conditional != 4 || r.Commit.Count() != 2 {
		t.Errorf("%d writes of %d statements, %d conditional; %d commits", r.Write.Count(), r.Statements, r.Conditional,
			r.Commit.Count())
	}
	if got := r.Round().Round(10 * time.Microsecond); got != 2*time.Millisecond {
		t.Errorf("%s a round: of medians, the lower of two", got)
	}
	if r.Delete.Count() != 0 || r.Delete.Quantile(100) != 0 || (Run{}).Round() != 0 {
		t.Error("of nothing something was measured")
	}
	b, err := json.Marshal(r.Persist)
	var d map[string]any
	if err != nil || json.Unmarshal(b, &d) != nil || d["count"] != 3.0 || d["max_ns"] != 9e6 ||
		d["slowest_line"] != float64(slowest) {
		t.Errorf("as JSON: %s %v", b, err)
	}
}

// TestBeyondRange: what takes longer than the histograms reach is not lost.
func TestBeyondRange(t *testing.T) {
	l := newLatency()
	l.record(time.Hour, 7)
	l.record(time.Nanosecond, 8)
	if l.Count() != 2 || l.Quantile(100) != time.Hour || l.Quantile(99) < longest {
		t.Errorf("%d, max %s, p99 %s", l.Count(), l.Quantile(100), l.Quantile(99))
	}
}

// TestAdd: counts and times add up; of stalls and worst moments the greater one counts.
func TestAdd(t *testing.T) {
	tp := newTape()
	tp.note("a/1", history.Life, &history.LifeEvent{Status: "failed", Error: "refused"})
	tp.persist("a/1", 0, history.OK)
	tp.commit("a/1", 2)
	tp.reads(history.ForProbe, row(0))
	tp.posts(0, 1)
	tp.ends(row(0))
	one := tp.of(t)
	var all Run
	cut := newTape()
	cut.posts(0)
	all.Add(cut.of(t))
	if all.AtEnd != nil {
		t.Error("of a history that was cut something is known of the end")
	}
	all.Add(one)
	all.Add(one)
	same(t, "at the end", *all.AtEnd, 2, 0, 40)
	same(t, "at worst", all.Worst, 1, 0, 20)
	if all.Restarts != 2 || all.Persist.Count() != 2 || all.Write.Count() != 2 || all.Statements != 4 ||
		all.Round() != one.Round() || all.Stall != one.Stall {
		t.Errorf("%+v", all)
	}
	if one.Persist.Count() != 1 {
		t.Error("adding changed what was added")
	}
}
