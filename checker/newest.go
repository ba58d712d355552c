package checker

import "github.com/single-writer/chaos/history"

// newest tells what a row that only plain writes touch holds: of the writes that took effect, the one with the greatest
// timestamp. It answers only where no other write that may have taken effect has as great a one.
type newest struct {
	tops steps[podium]
	// off: the key had conditional writes, or a row whose timestamp nobody knows, from the event on.
	off int
}

// podium is the write with the greatest timestamp so far, and the next greatest timestamp.
type podium struct {
	first  *write
	second history.Opt
}

func (g *newest) build(k *key) {
	g.off = never
	if len(k.guarded.calls) > 0 {
		g.off = k.guarded.calls[0]
	}
	var top podium
	if row := k.startRow; row != nil {
		top.second = row.WritetimeValue
		if !row.WritetimeValue.Known {
			g.off = -1
		}
	}
	for _, w := range k.writes {
		if w.void || !w.plain() {
			continue
		}
		switch {
		case top.first == nil:
			top.first = w
		case w.ts.N > top.first.ts.N:
			top.first, top.second = w, greater(top.second, top.first.ts)
		default:
			top.second = greater(top.second, w.ts)
		}
		g.tops.add(w.call, top)
	}
}

func greater(a, b history.Opt) history.Opt {
	if a.Known && a.N >= b.N {
		return a
	}
	return b
}

// at gives the write that the row holds right after the event i, nil where that is not certain.
func (g *newest) at(i int) *write {
	if g.off <= i {
		return nil
	}
	top, ok := g.tops.before(i + 1)
	if !ok || top.second.Known && top.second.N >= top.first.ts.N || top.first.effect > i {
		return nil
	}
	return top.first
}

// lost tells whether a plain write certainly changed nothing: one with a greater timestamp had taken effect before its
// call, and no read showed it.
func (g *newest) lost(w *write) bool {
	top, ok := g.tops.before(w.call)
	if !ok || !w.plain() || w.first != nil {
		return false
	}
	return top.first.ts.N > w.ts.N && top.first.effect < w.call
}
