package register

import (
	"cmp"
	"slices"
	"sort"

	"github.com/anishathalye/porcupine"
)

// Stretch is a part of a key's history that is searched by itself: what the register held before it, and the operations, in
// the order of their calls.
type Stretch struct {
	start      Held
	Operations []*Operation
	// opens are the operations by which it is known what the register is at the start, none where the history begins there: a
	// write, or a read with the write that it shows.
	opens []*Operation
	// keeps: no write ever takes the row away, so that the stored offset never falls.
	keeps bool
}

// Bounds of one search. The library remembers, for each step that it takes, a set with a bit an operation; both bounds are
// far beyond what a run of the rig needs.
const (
	maxSteps = 1 << 20
	maxBits  = 1 << 31
)

// Split cuts a key's history where the register is known for certain and nothing else is under way: what comes before can
// neither see nor change what comes after. Each part is decided by itself, so that the cost, quadratic in the length of
// a part, is near-linear in that of a history.
func Split(start Held, all []*Operation, removing bool) []*Stretch {
	limitDoubt(all, !removing)
	var out []*Stretch
	part := &Stretch{start: start, keeps: !removing}
	until := -1
	makers := map[string]*Operation{}
	for i, a := range all {
		if a.Kind == Writing && a.Held.write != "" {
			makers[a.Held.write] = a
		}
		part.Operations = append(part.Operations, a)
		alone := until < a.Call && (i+1 == len(all) || all[i+1].Call > a.Return)
		until = max(until, a.Return)
		if alone && a.settles() {
			out = append(out, part)
			after, _ := a.on(Held{})
			part = &Stretch{start: after, opens: []*Operation{a}, keeps: !removing}
			if w := makers[a.Held.write]; a.Kind == Reading && w != nil {
				part.opens = []*Operation{w, a}
			}
		}
	}
	if len(part.Operations) > 0 {
		out = append(out, part)
	}
	return out
}

// limitDoubt gives writes in doubt an end, where they can be shown to have come to it; an open end makes a search
// exponential in their number. One that a read showed took effect before that read was answered. One that no read showed
// does nothing after a write of a higher offset, if offsets never fall: it is the same as if it had come just behind it.
func limitDoubt(all []*Operation, keeps bool) {
	seen := map[string]int{}
	for _, a := range all {
		if id := a.Held.write; a.Kind == Reading && id != "" {
			if at, ok := seen[id]; !ok || a.Return < at {
				seen[id] = a.Return
			}
		}
	}
	var known []*Operation
	for _, a := range all {
		if a.Kind != Writing {
			continue
		}
		at, shown := seen[a.Held.write]
		if !a.Certain && shown {
			a.Return = max(a.Call, at)
		}
		if a.Certain || shown {
			known = append(known, a)
		}
	}
	if !keeps {
		return
	}
	slices.SortStableFunc(known, func(a, b *Operation) int { return cmp.Compare(a.Offset, b.Offset) })
	ends := make([]int, len(known)+1) // the earliest end of those from a place on
	ends[len(known)] = Never
	for i, a := range slices.Backward(known) {
		ends[i] = min(ends[i+1], a.Return)
	}
	for _, a := range all {
		if a.Kind == Writing && !a.Certain && a.Return == Never {
			n := sort.Search(len(known), func(i int) bool { return known[i].Offset > a.Offset })
			a.Return = max(a.Call, ends[n])
		}
	}
}

// Linearizable searches for an order; known is false where the bounds did not let it come to an end.
func (p *Stretch) Linearizable() (legal, known bool) {
	left := maxSteps
	return p.search(&left)
}

// search takes its steps from those that are left.
func (p *Stretch) search(left *int) (legal, known bool) {
	switch len(p.Operations) {
	case 0:
		return true, true
	case 1:
		_, ok := p.Operations[0].on(p.start)
		return ok, true
	}
	limit := min(*left, maxSteps, maxBits/len(p.Operations))
	steps := 0
	model := porcupine.Model{
		Init: func() any { return p.start },
		Step: func(state, input, _ any) (bool, any) {
			if steps++; steps > limit {
				return false, state
			}
			after, ok := input.(*Operation).on(state.(Held))
			return ok, after
		},
	}
	operations := make([]porcupine.Operation, len(p.Operations))
	for i, a := range p.Operations {
		operations[i] = porcupine.Operation{Input: a, Call: int64(a.Call), Return: int64(a.Return)}
	}
	legal = porcupine.CheckOperations(model, operations)
	*left -= min(steps, limit)
	return legal, legal || steps <= limit
}

// illegal tells whether it is known that there is no order.
func (p *Stretch) illegal(left *int) bool {
	legal, known := p.search(left)
	return known && !legal
}
