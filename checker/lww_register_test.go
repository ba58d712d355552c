package checker

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/single-writer/chaos/history"
)

// What is asked, and what is left out.
func TestLWWRegisterWhere(t *testing.T) {
	broken := all(truth("start", -1), ok(P("b", 9).at(2)), probe(none))
	before := func(row *history.Row) step {
		return truth("start", -1, history.KeyedRow{Key: acct, Row: *row})
	}
	dated := func(row *history.Row, ts int64) *history.Row {
		row.WritetimeValue, row.WritetimeOffset = history.Some(ts), history.Some(ts)
		return row
	}
	for _, c := range []struct {
		name string
		h    *history.History
		want Verdict
	}{
		{"a fenced arm", under(armCAS, hist(broken)), NotApplicable},
		{"nothing where something was acknowledged", under(armLWW, hist(broken)), Fail},
		{"it is not told what was there before", under(armLWW, hist(ok(P("b", 9).at(2)), probe(none))), Unknown},
		{"a conditional write beside it", under(armLWW, hist(ok(P("b", 8)), broken)), Vacuous},
		{"it expires", under(armLWW, hist(broken, probe(expiring(show(P("b", 9)))))), Vacuous},
		{"a failed write is seen", under(armLWW, hist(truth("start", -1),
			op("a/1", history.Persist, &history.Write{Key: acct, Write: "x", Timestamp: history.Some(3)}, history.Fail,
				&history.Write{Key: acct, Write: "x"}),
			probe(&history.Row{Offset: history.Some(0), Write: "x"}))), Fail},
		{"what was there before", under(armLWW, hist(before(dated(show(P("a", 4)), 5)), ok(P("b", 9).at(4)), probe(show(P("a", 4))))), Pass},
		{"what was there before is older", under(armLWW, hist(before(dated(show(P("a", 4)), 3)), ok(P("b", 9).at(4)), probe(show(P("a", 4))))), Fail},
		{"nobody knows how old that is", under(armLWW, hist(before(show(P("a", 4))), ok(P("b", 9).at(4)), probe(show(P("a", 4))))), Vacuous},
		{"a stale one, lawfully", under(armLWW, hist(ok(P("b", 9).at(1)), ok(P("a", 5).at(2)), probe(show(P("a", 5))))), Pass},
		{"settled by the rig's own read", under(armLWW, hist(ok(P("b", 9).at(2)), settle(none), last(none))), Vacuous},
	} {
		if got := verdictOf(c.h, LWWRegister); got != c.want {
			dump(t, c.h, Check(c.h))
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Random plain writes, few enough timestamps for ties, and reads of which some lie: the check agrees with the definition,
// which tries every choice of the writes that may have come.
func TestLWWRegisterAgainstTheDefinition(t *testing.T) {
	fails, passes := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		h := tellPlainly(t)
		p, _ := Check(h).Property(LWWRegister)
		if lawful := merges(h); lawful && p.Verdict != Pass && p.Verdict != Vacuous || !lawful && p.Verdict != Fail {
			t.Fatalf("lawful: %v, and the verdict is %s: %s %v", lawful, p.Verdict, p.Summary, p.Witness)
		}
		if p.Verdict != Fail {
			passes++
			return
		}
		fails++
		if got := verdictOf(only(h, p.Witness), LWWRegister); got != Fail {
			t.Fatalf("the witness alone is %s: %v", got, p.Witness)
		}
	})
	if fails == 0 || passes == 0 {
		t.Errorf("%d break the rule, %d do not: the test shows nothing", fails, passes)
	}
	t.Logf("%d break the rule, %d do not", fails, passes)
}

// tellPlainly gives such a history.
func tellPlainly(t *rapid.T) *history.History {
	m := history.NewMemory(history.Header{Schema: history.Schema, Arm: armLWW})
	truth("start", -1)(m)
	var came []W
	var open []func()
	for range rapid.IntRange(2, 8).Draw(t, "operations") {
		for len(open) > 0 && rapid.Bool().Draw(t, "go on") {
			i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
			open[i]()
			open = append(open[:i:i], open[i+1:]...)
		}
		if rapid.Bool().Draw(t, "read") {
			id := begin(m, "observer", history.Read, &history.RowRead{Key: acct})
			row := merge(came[:rapid.IntRange(0, len(came)).Draw(t, "as of")])
			open = append(open, func() { add(m, "observer", history.OK, history.Read, id, &history.RowRead{Key: acct, Row: row}) })
			continue
		}
		w := P("a", int64(rapid.IntRange(0, 2).Draw(t, "offset"))).at(int64(rapid.IntRange(1, 3).Draw(t, "timestamp")))
		if rapid.IntRange(0, 3).Draw(t, "delete") == 0 {
			w = D("a", w.v.Offset).at(w.v.Timestamp.N)
		}
		w.v.Write = fmt.Sprintf("a/1#%d", len(m.Events))
		id := begin(m, "a/1", w.f, &w.v)
		if rapid.IntRange(0, 5).Draw(t, "lost") > 0 {
			came = append(came, w)
		}
		if rapid.IntRange(0, 3).Draw(t, "answered") > 0 && len(came) > 0 && came[len(came)-1].v.Write == w.v.Write {
			open = append(open, func() { add(m, "a/1", history.OK, w.f, id, &w.v) })
		}
	}
	for _, answer := range open {
		answer()
	}
	return &m.History
}

// merge is what a store makes of writes, cell by cell. Which of two ids is the greater is not the checker's business, so
// that here the later one is.
func merge(writes []W) *history.Row {
	var row *history.Row
	ts, deleted := int64(0), false
	for _, w := range writes {
		switch {
		case w.v.Timestamp.N < ts:
		case w.f == history.Delete:
			row, ts, deleted = nil, w.v.Timestamp.N, true
		case w.v.Timestamp.N > ts:
			row, ts, deleted = show(w), w.v.Timestamp.N, false
		case !deleted:
			if w.v.Offset > row.Offset.N {
				row.Offset, row.State = history.Some(w.v.Offset), w.v.State
			}
			row.Write = w.v.Write
		}
	}
	return row
}

// merges is the definition.
func merges(h *history.History) bool {
	called := map[int64]int{}
	var writes []W
	var from, to []int
	for i, e := range h.Events {
		v, ok := e.Value.(*history.Write)
		switch {
		case e.Type == history.Invoke && ok:
			called[e.Op] = len(writes)
			writes, from, to = append(writes, W{e.F, *v}), append(from, i), append(to, never)
		case e.Type == history.Invoke:
			called[e.Op] = i
		case ok:
			to[called[e.Op]] = i
		}
	}
	for i, e := range h.Events {
		v, ok := e.Value.(*history.RowRead)
		if !ok || e.Type != history.OK {
			continue
		}
		lawful := false
		for choice := range 1 << len(writes) {
			var came []W
			possible := true
			for j, w := range writes {
				chosen := choice>>j&1 == 1
				possible = possible && (chosen || to[j] > called[e.Op]) && (!chosen || from[j] < i)
				if chosen {
					came = append(came, w)
				}
			}
			lawful = lawful || possible && same(merge(came), v.Row, came)
		}
		if !lawful {
			return false
		}
	}
	return true
}

// same tells whether a row is what a merge gives, whichever of the ids of that timestamp it names.
func same(merged, row *history.Row, came []W) bool {
	if merged == nil || row == nil {
		return merged == row
	}
	of := map[string]int64{}
	for _, w := range came {
		of[w.v.Write] = w.v.Timestamp.N
	}
	at, ok := of[row.Write]
	return ok && at == of[merged.Write] && merged.Offset == row.Offset && merged.State.Equal(*row.State)
}
