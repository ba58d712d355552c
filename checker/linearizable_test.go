package checker

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// under gives a history the arm that it is of, without some guards.
func under(arm string, h *history.History, without ...string) *history.History {
	h.Header.Arm, h.Header.Without = arm, without
	return h
}

// What the arms promise, and what is left out.
func TestLinearizableWhere(t *testing.T) {
	broken := all(ok(P("b", 9)), ok(P("a", 5)))
	for _, c := range []struct {
		name string
		h    *history.History
		want Verdict
	}{
		{"no arm", hist(broken), NotApplicable},
		{"last write wins", under(armLWW, hist(broken)), NotApplicable},
		{"persists by offset", under(armCASPersist, hist(broken)), Fail},
		{"persists by offset, a delete refused", under(armCASPersist, hist(no(D("a", 4), 9), broken)), Fail},
		{"persists by offset, a delete in doubt", under(armCASPersist, hist(call(D("a", 4).at(1)), broken)), NotApplicable},
		{"written plainly", under(armCAS, hist(broken, ok(P("b", 10).at(1)))), NotApplicable},
		{"it expires", under(armCAS, hist(broken, probe(expiring(show(P("a", 5)))))), NotApplicable},
		{"an offset cell was lost", under(armCAS, hist(broken, nothing(D("b", 10)))), NotApplicable},
		{"reaped, and an older one comes", under(armCAS, hist(ok(P("b", 9)), reaps(show(P("b", 9))), ok(P("a", 5)))), Pass},
		{"reaped when an older one has come", under(armCAS, hist(broken, reaps(show(P("a", 5))))), Fail},
		{"reaped, and there all the same", under(armCAS, hist(ok(P("b", 9)), reaps(show(P("b", 9))), probe(show(P("b", 9))))), Fail},
		{"reaped, and newer by then", under(armCAS, hist(ok(P("b", 9)), reaps(show(P("b", 9)), ok(P("b", 10))), ok(P("a", 5)))), Fail},
		{"there was nothing to reap", under(armCAS, hist(ok(P("b", 9)), reaps(none), ok(P("a", 5)))), Fail},
		{"nothing asked", under(armCAS, hist(post(0))), Vacuous},
		{"a refusal that names no offset", under(armCAS, hist(ok(P("b", 9)), refusedBlindly(P("b", 10)))), Pass},
		{"tombstones keep their offset", under(armCAS, hist(ok(D("b", 9)), ok(P("a", 5)))), Fail},
		{"rows are removed", under(armCAS, hist(ok(D("b", 9)), ok(P("a", 5))), guardTombstone), Pass},
		{"rows are removed below what is stored", under(armCAS, hist(ok(P("b", 9)), ok(D("a", 5))), guardTombstone), Fail},
		{"too much at once", under(armCAS, hist(storm(40))), Unknown},
	} {
		if got := verdictOf(c.h, Linearizable); got != c.want {
			dump(t, c.h, Check(c.h))
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func refusedBlindly(w W) step {
	refused := w.v
	refused.Code = history.CodeCondition
	return op(w.process(), w.f, &w.v, history.Fail, &refused)
}

// storm is n persists under way at once, all applied, of which one was seen and then was not there any more: an order of
// all of them is looked for in vain.
func storm(n int64) step {
	return func(m *history.Memory) {
		var ids []int64
		w := P("a", 5)
		for i := range n {
			v := w.v
			v.Write = fmt.Sprintf("a/1#%d", i)
			ids = append(ids, begin(m, "a/1", history.Persist, &v))
		}
		read("observer", history.ForProbe, show(w))(m)
		for i, id := range ids {
			v := w.v
			v.Write = fmt.Sprintf("a/1#%d", i)
			add(m, "a/1", history.OK, history.Persist, id, &v)
		}
	}
}

// The witness is what cannot be left out, and nothing that happened before or beside it.
func TestWitnessOfLinearizable(t *testing.T) {
	p, _ := Check(under(armCAS, hist(truth("start", -1), owns("a", false, 0, 4), probe(show(P("a", 4))), call(P("a", 7)),
		ok(P("b", 9)), probe(show(P("b", 9))), no(P("a", 5), 9), ok(P("a", 6)), probe(show(P("a", 6)))))).Property(Linearizable)
	if len(p.Witness) != 2 || p.Witness[0].Text != "b/1 persist acct-1 @9 applied" ||
		p.Witness[1].Text != "a/1 persist acct-1 @6 applied" {
		t.Errorf("%s %+v", p.Summary, p.Witness)
	}
	want := "acct-1 is not one register guarded by its offset: no order of 2 operations explains that " +
		"a/1 persist acct-1 @6 applied."
	if p.Summary != want {
		t.Errorf("%s", p.Summary)
	}
}

// tale is a random history of one key with a few operations, some of them under way at once, some answered wrongly.
type tale struct {
	t      *rapid.T
	m      *history.Memory
	row    *history.Row
	open   []func()
	writes int
	rows   []*history.Row // that have been stored
}

// tell gives a history whose answers come from a real register, but for one in eight.
func tell(t *rapid.T) *history.History {
	w := &tale{t: t, m: history.NewMemory(history.Header{Schema: history.Schema, Arm: armCAS})}
	if rapid.Bool().Draw(t, "tombstones") {
		w.m.Header.Without = []string{guardTombstone}
	}
	if rapid.Bool().Draw(t, "told") {
		truth("start", -1)(w.m)
	}
	for range rapid.IntRange(2, 7).Draw(t, "operations") {
		if rapid.IntRange(0, 3).Draw(t, "what") == 0 {
			w.read()
		} else {
			w.write()
		}
		for len(w.open) > 0 && rapid.Bool().Draw(t, "go on") {
			w.next()
		}
	}
	for len(w.open) > 0 {
		w.next()
	}
	return &w.m.History
}

// next does the next thing of one of those that are under way.
func (w *tale) next() {
	i := rapid.IntRange(0, len(w.open)-1).Draw(w.t, "which")
	do := w.open[i]
	w.open = append(w.open[:i:i], w.open[i+1:]...)
	do()
}

func (w *tale) lies() bool { return rapid.IntRange(0, 7).Draw(w.t, "lies") == 0 }

func (w *tale) read() {
	v := history.RowRead{Key: acct, Purpose: history.ForProbe}
	id := begin(w.m, "observer", history.Read, &v)
	w.open = append(w.open, func() {
		row := w.row
		if w.lies() {
			row = nil
			if len(w.rows) > 0 && rapid.Bool().Draw(w.t, "another") {
				row = rapid.SampledFrom(w.rows).Draw(w.t, "row")
			}
		}
		w.open = append(w.open, func() { add(w.m, "observer", history.OK, history.Read, id, &history.RowRead{Key: acct, Row: row}) })
	})
}

func (w *tale) write() {
	w.writes++
	p := P("a", int64(rapid.IntRange(0, 3).Draw(w.t, "offset")))
	if rapid.IntRange(0, 3).Draw(w.t, "delete") == 0 {
		p = D("a", p.v.Offset)
	}
	p.v.Write = fmt.Sprintf("a/1#%d", w.writes)
	id := begin(w.m, "a/1", p.f, &p.v)
	lost := rapid.IntRange(0, 3).Draw(w.t, "lost") == 0
	w.open = append(w.open, func() {
		refused := w.row != nil && w.row.Offset.N > p.v.Offset
		stored := int64(0)
		if refused {
			stored = w.row.Offset.N
		}
		switch {
		case w.lies():
			refused = !refused
			stored = int64(rapid.IntRange(0, 3).Draw(w.t, "stored"))
		case refused:
		case p.f == history.Delete && len(w.m.Header.Without) > 0:
			w.row = nil
		default:
			w.row = show(p)
			w.rows = append(w.rows, w.row)
		}
		if lost {
			return
		}
		w.open = append(w.open, func() {
			v, how := p.v, history.OK
			if refused {
				v.Code, v.Stored, how = history.CodeCondition, history.Some(stored), history.Fail
			}
			add(w.m, "a/1", how, p.f, id, &v)
		})
	})
}

// orders tries every order of the operations of a history, from every state that could matter, and every choice of which
// writes in doubt came: the definition, with nothing left out to save time. Where the history does not tell what was there
// before, that may have been anything; strictly, none of the writes that are only called later.
func orders(h *history.History, strictly bool) bool {
	type operation struct {
		f        history.F
		v        *history.Write
		row      *history.Row
		how      history.Type
		from, to int
	}
	var all []operation
	starts := []*history.Row{nil}
	told := false
	at := map[int64]int{}
	for i, e := range h.Events {
		switch v := e.Value.(type) {
		case *history.GroundTruth:
			told = true
		case *history.RowRead:
			if e.Type == history.Invoke {
				at[e.Op] = i
				continue
			}
			starts = append(starts, v.Row)
			all = append(all, operation{f: e.F, row: v.Row, how: e.Type, from: at[e.Op], to: i})
		case *history.Write:
			if e.Type == history.Invoke {
				at[e.Op] = len(all)
				all = append(all, operation{f: e.F, v: v, how: history.Info, from: i, to: never})
				continue
			}
			o := &all[at[e.Op]]
			o.v, o.how, o.to = v, e.Type, i
			if v.Stored.Known {
				starts = append(starts, &history.Row{Offset: v.Stored, Write: "before"})
			}
		}
	}
	removing := len(h.Header.Without) > 0
	var try func(row *history.Row, left []operation) bool
	try = func(row *history.Row, left []operation) bool {
		if len(left) == 0 {
			return true
		}
		for i, o := range left {
			first := true
			for _, other := range left {
				first = first && other.to >= o.from
			}
			if !first {
				continue
			}
			rest := append(append([]operation{}, left[:i]...), left[i+1:]...)
			after := row
			fits := row == nil || o.v == nil || row.Offset.N <= o.v.Offset
			var possible bool
			switch {
			case o.f == history.Read:
				possible = (row == nil) == (o.row == nil) && (row == nil || row.Write == o.row.Write &&
					row.Offset == o.row.Offset)
			case o.how == history.Fail:
				possible = row != nil && row.Offset == o.v.Stored && !fits
			default:
				possible = fits
				after = &history.Row{Offset: history.Some(o.v.Offset), Write: o.v.Write}
				if removing && o.f == history.Delete {
					after = nil
				}
			}
			if possible && try(after, rest) || o.how == history.Info && try(row, rest) {
				return true
			}
		}
		return false
	}
	later := map[string]bool{}
	for _, o := range all {
		if o.v != nil {
			later[o.v.Write] = strictly
		}
	}
	for _, row := range starts {
		if row != nil && (told || later[row.Write]) {
			continue
		}
		if try(row, all) {
			return true
		}
	}
	return false
}

// The search, with all that it leaves out, cuts and bounds, agrees with the definition; and what it shows of a failure is
// one by itself.
func TestLinearizableAgainstTheDefinition(t *testing.T) {
	fails, passes := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		h := tell(t)
		p, _ := Check(h).Property(Linearizable)
		if legal := orders(h, true); legal && p.Verdict != Pass || !orders(h, false) && p.Verdict != Fail {
			t.Fatalf("there is an order: %v, and the verdict is %s: %s %v", legal, p.Verdict, p.Summary, p.Witness)
		}
		if p.Verdict == Pass {
			passes++
			return
		}
		fails++
		core := only(h, p.Witness)
		if orders(core, true) {
			t.Fatalf("the witness alone has an order: %v", p.Witness)
		}
		if got := verdictOf(core, Linearizable); got != Fail {
			t.Fatalf("the witness alone is %s: %v", got, p.Witness)
		}
	})
	if fails == 0 || passes == 0 {
		t.Errorf("%d have no order, %d have one: the test shows nothing", fails, passes)
	}
	t.Logf("%d without an order, %d with one", fails, passes)
}

// BenchmarkLinearizable gives the cost of one key's operations, four at a time, of which one in a hundred is in doubt; and
// of finding the one that is wrong, with its witness.
func BenchmarkLinearizable(b *testing.B) {
	for _, wrong := range []bool{false, true} {
		b.Run(fmt.Sprintf("wrong=%v", wrong), func(b *testing.B) {
			const operations = 10_000
			r := NewRun(crowd(operations, wrong))
			b.ReportAllocs()
			for b.Loop() {
				if got := checkLinearizable(r).Verdict; (got == Fail) != wrong {
					b.Fatal(got)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/operations, "ns/operation")
		})
	}
}

// crowd is such a history, by a real register. The wrong one has a write in the middle applied far below what is stored.
func crowd(operations int, wrong bool) *history.History {
	const at = 4
	m := history.NewMemory(history.Header{Schema: history.Schema, Arm: armCAS})
	truth("start", -1)(m)
	stored := int64(-1)
	var row *history.Row
	under := make([]func(), at)
	for i := range operations {
		if answer := under[i%at]; answer != nil {
			answer()
		}
		if i%2 == 0 {
			id := begin(m, "observer", history.Read, &history.RowRead{Key: acct})
			now := row
			under[i%at] = func() { add(m, "observer", history.OK, history.Read, id, &history.RowRead{Key: acct, Row: now}) }
			continue
		}
		w := newW(history.Persist, "a", int64(i)-int64(i%7)) // some are late
		w.v.Write, w.v.State = "a/1#"+number(int64(i)), &ledger.State{Count: int64(i), Offset: w.v.Offset}
		culprit := wrong && i == operations/2+1
		if culprit {
			w.v.Offset, w.v.State.Offset = 1, 1
		}
		id := begin(m, "a/1", w.f, &w.v)
		switch {
		case i%100 == 51:
			under[i%at] = func() { add(m, "a/1", history.Info, w.f, id, &w.v) }
		case w.v.Offset < stored && !culprit:
			v := w.v
			v.Code, v.Stored = history.CodeCondition, history.Some(stored)
			under[i%at] = func() { add(m, "a/1", history.Fail, w.f, id, &v) }
		default:
			stored, row = w.v.Offset, show(w)
			under[i%at] = func() { add(m, "a/1", history.OK, w.f, id, &w.v) }
		}
	}
	return &m.History
}
