package checker

import (
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// write is the store.
func (w *world) write(f history.F, v history.Write) (stored int64, refused bool) {
	old, ts := w.rows[v.Key], v.Timestamp.N
	conditional := !v.Timestamp.Known
	if conditional {
		if old != nil && !old.gone && old.write.Offset > v.Offset {
			if w.store != deaf || !w.chance(2, "does not listen") {
				return old.write.Offset, true
			}
			w.ignored = true
		}
		w.ballot = max(w.ballot+1, w.clock(0))
		ts = w.ballot
	}
	wins := old == nil || ts > old.ts || w.store == byOffset || w.store == deaf
	for _, x := range w.applied {
		other := x.Offset == v.Offset && (x.State == nil) != (v.State == nil) ||
			x.Offset == v.Offset && x.State != nil && v.State != nil && !x.State.Equal(*v.State)
		if x.Key == v.Key && x.Generation > v.Generation && (x.Offset > v.Offset || other) {
			w.usurped = w.usurped || wins || conditional
		}
	}
	w.applied = append(w.applied, v)
	w.wrong = w.wrong || v.State != nil && !w.log(v.Key).Fold(v.Offset).Equal(*v.State)
	if wins {
		w.rows[v.Key] = &simRow{write: v, gone: f == history.Delete && w.store != byOffset && w.store != deaf, ts: ts}
	}
	w.look()
	return 0, false
}

// look sees what is true at this moment.
func (w *world) look() {
	for _, k := range simKeys {
		row, highest := w.rows[k], int64(-1)
		for _, x := range w.applied {
			if x.Key == k {
				highest = max(highest, x.Offset)
			}
		}
		shown := int64(-1)
		if row != nil {
			shown = row.write.Offset
		}
		w.stale = w.stale || shown < highest
		last, ok := lastBelow(w.log(k), w.committed)
		alive := row != nil && row.write.State != nil
		if ok && shown < last.Offset && (alive || last.Event.Kind != ledger.Close) {
			w.leapt = true
		}
		for _, e := range w.log(k) {
			closed := e.Event.Kind == ledger.Close && e.Offset < w.highest
			w.revived = w.revived || closed && alive && !row.gone && row.write.State.Offset <= e.Offset
		}
	}
}

func (w *world) log(k string) ledger.Log {
	var l ledger.Log
	for _, e := range w.input {
		if e.Event.Account == k {
			l = append(l, e)
		}
	}
	return l
}
