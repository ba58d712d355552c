package checker

import (
	"cmp"
	"slices"
	"sort"

	"github.com/anishathalye/porcupine"
)

// stretch is a part of a key's history that is searched by itself: what the register held before it, and the operations, in
// the order of their calls.
type stretch struct {
	start held
	asked []*asked
	// opens are the operations by which it is known what the register is at the start, none where the history begins there: a
	// write, or a read with the write that it shows.
	opens []*asked
	// keeps: no write ever takes the row away, so that the stored offset never falls.
	keeps bool
}

// Bounds of one search. The library remembers, for each step that it takes, a set with a bit an operation; both bounds are
// far beyond what a run of the rig needs.
const (
	maxSteps = 1 << 20
	maxBits  = 1 << 31
)

// split cuts a key's history where the register is known for certain and nothing else is under way: what comes before can
// neither see nor change what comes after. Each part is decided by itself, so that the cost, quadratic in the length of
// a part, is near-linear in that of a history.
func split(start held, all []*asked, removing bool) []*stretch {
	limitDoubt(all, !removing)
	var out []*stretch
	part := &stretch{start: start, keeps: !removing}
	until := -1
	makers := map[string]*asked{}
	for i, a := range all {
		if a.kind == writing && a.stored.write != "" {
			makers[a.stored.write] = a
		}
		part.asked = append(part.asked, a)
		alone := until < a.call && (i+1 == len(all) || all[i+1].call > a.ret)
		until = max(until, a.ret)
		if alone && a.settles() {
			out = append(out, part)
			after, _ := a.on(held{})
			part = &stretch{start: after, opens: []*asked{a}, keeps: !removing}
			if w := makers[a.stored.write]; a.kind == reading && w != nil {
				part.opens = []*asked{w, a}
			}
		}
	}
	if len(part.asked) > 0 {
		out = append(out, part)
	}
	return out
}

// limitDoubt gives writes in doubt an end, where they can be shown to have come to it; an open end makes a search
// exponential in their number. One that a read showed took effect before that read was answered. One that no read showed
// does nothing after a write of a higher offset, if offsets never fall: it is the same as if it had come just behind it.
func limitDoubt(all []*asked, keeps bool) {
	seen := map[string]int{}
	for _, a := range all {
		if id := a.stored.write; a.kind == reading && id != "" {
			if at, ok := seen[id]; !ok || a.ret < at {
				seen[id] = a.ret
			}
		}
	}
	var known []*asked
	for _, a := range all {
		if a.kind != writing {
			continue
		}
		at, shown := seen[a.stored.write]
		if !a.certain && shown {
			a.ret = max(a.call, at)
		}
		if a.certain || shown {
			known = append(known, a)
		}
	}
	if !keeps {
		return
	}
	slices.SortStableFunc(known, func(a, b *asked) int { return cmp.Compare(a.offset, b.offset) })
	ends := make([]int, len(known)+1) // the earliest end of those from a place on
	ends[len(known)] = never
	for i, a := range slices.Backward(known) {
		ends[i] = min(ends[i+1], a.ret)
	}
	for _, a := range all {
		if a.kind == writing && !a.certain && a.ret == never {
			n := sort.Search(len(known), func(i int) bool { return known[i].offset > a.offset })
			a.ret = max(a.call, ends[n])
		}
	}
}

// linearizable searches for an order; known is false where the bounds did not let it come to an end. It takes its steps from
// those that are left.
func (p *stretch) linearizable(left *int) (legal, known bool) {
	switch len(p.asked) {
	case 0:
		return true, true
	case 1:
		_, ok := p.asked[0].on(p.start)
		return ok, true
	}
	limit := min(*left, maxSteps, maxBits/len(p.asked))
	steps := 0
	model := porcupine.Model{
		Init: func() any { return p.start },
		Step: func(state, input, _ any) (bool, any) {
			if steps++; steps > limit {
				return false, state
			}
			after, ok := input.(*asked).on(state.(held))
			return ok, after
		},
	}
	operations := make([]porcupine.Operation, len(p.asked))
	for i, a := range p.asked {
		operations[i] = porcupine.Operation{Input: a, Call: int64(a.call), Return: int64(a.ret)}
	}
	legal = porcupine.CheckOperations(model, operations)
	*left -= min(steps, limit)
	return legal, legal || steps <= limit
}

// illegal tells whether it is known that there is no order.
func (p *stretch) illegal(left *int) bool {
	legal, known := p.linearizable(left)
	return known && !legal
}
