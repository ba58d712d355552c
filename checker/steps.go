package checker

import (
	"cmp"
	"slices"
	"sort"
)

// steps is something that changes with events: what it was right after each that changed it. They are added in their order.
type steps[T any] struct {
	at []int
	is []T
}

func (s *steps[T]) add(at int, is T) { s.at, s.is = append(s.at, at), append(s.is, is) }

// grow makes room for some more.
func (s *steps[T]) grow(n int) { s.at, s.is = slices.Grow(s.at, n), slices.Grow(s.is, n) }

// last is what it came to; ok is false where it never was anything.
func (s *steps[T]) last() (is T, ok bool) {
	if len(s.is) == 0 {
		return is, false
	}
	return s.is[len(s.is)-1], true
}

// before is what it was right before the event i.
func (s *steps[T]) before(i int) (is T, ok bool) {
	n := sort.SearchInts(s.at, i)
	if n == 0 {
		return is, false
	}
	return s.is[n-1], true
}

// first is the first step of which something holds that holds of all after it too.
func (s *steps[T]) first(holds func(T) bool) (is T, ok bool) {
	n := sort.Search(len(s.is), func(j int) bool { return holds(s.is[j]) })
	if n == len(s.is) {
		return is, false
	}
	return s.is[n], true
}

// highest is the highest offset so far: it has a step where that rose.
type highest = steps[*effect]

// rank sorts effects by time and finds the highest up to each.
func rank(effects []effect) highest {
	slices.SortStableFunc(effects, func(a, b effect) int { return cmp.Compare(a.at, b.at) })
	var h highest
	h.grow(len(effects))
	for i := range effects {
		if top, ok := h.last(); !ok || effects[i].offset > top.offset {
			h.add(effects[i].at, &effects[i])
		}
	}
	return h
}

// highestBefore gives the highest before the event i, none if the write that set it had expired by then.
func highestBefore(h highest, i int, now int64) (effect, bool) {
	e, ok := h.before(i)
	if !ok {
		return effect{}, false
	}
	expires := e.expires
	if e.write != nil {
		expires = e.write.expires
	}
	if expires > 0 && expires <= now {
		return effect{}, false
	}
	return *e, true
}

// peak answers "what is the highest offset of those called before".
type peak struct {
	calls   []int
	offsets steps[int64]
}

// add takes calls in rising order.
func (p *peak) add(call int, offset int64) {
	p.calls = append(p.calls, call)
	if top, ok := p.offsets.last(); !ok || offset > top {
		p.offsets.add(call, offset)
	}
}

// before gives the highest offset of those called before the event i.
func (p *peak) before(i int) (int64, bool) { return p.offsets.before(i) }

func (p *peak) any(i int) bool { return len(p.calls) > 0 && p.calls[0] < i }

// count gives how many were called before the event i.
func (p *peak) count(i int) int { return sort.SearchInts(p.calls, i) }
