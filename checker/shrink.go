package checker

import "slices"

// Of a stretch that has no order, what shows it: first as few of its events as can be, then as few of its operations.

// maxShrinking bounds the steps spent on one witness. One that was not made as small as it could be is still a witness.
const maxShrinking = 4 * maxSteps

// before gives the part of a stretch that lies before an event: as it would have been recorded if the history had been cut
// there. Reads and refusals without an answer go; writes come to be in doubt.
func (p *stretch) before(at int) *stretch {
	less := &stretch{start: p.start, opens: p.opens, keeps: p.keeps}
	for _, a := range p.asked {
		cut := *a
		switch {
		case a.call >= at:
			continue
		case a.kind == writing && (!a.certain || a.ret >= at):
			// What ends its doubt is found anew: it may lie behind the cut.
			cut.certain, cut.ret = false, never
			if a.proof >= at {
				cut.proof = a.call
			}
		case a.ret >= at:
			continue
		}
		less.asked = append(less.asked, &cut)
	}
	limitDoubt(less.asked, p.keeps)
	return less
}

// upToFailure gives the shortest beginning of a stretch that has no order: a history that has none cannot come to have one.
func (p *stretch) upToFailure() *stretch {
	left := maxShrinking
	var ends []int
	for _, a := range p.asked {
		if a.ret < never {
			ends = append(ends, a.proof+1)
		}
	}
	slices.Sort(ends)
	n, _ := slices.BinarySearchFunc(ends, true, func(end int, _ bool) int {
		if p.before(end).illegal(&left) {
			return 0
		}
		return -1
	})
	if n == len(ends) {
		return p
	}
	return p.before(ends[n])
}

// last is the event by which it is known that there is no order.
func (p *stretch) last() int {
	last := 0
	for _, a := range p.asked {
		last = max(last, a.proof)
	}
	return last
}

// smallest leaves out what is not needed for there to be no order, first many operations at a time, at last one by one.
func (p *stretch) smallest() *stretch {
	left := maxShrinking
	core := &stretch{asked: slices.Concat(p.opens, p.asked), keeps: p.keeps}
	if len(p.opens) == 0 && !core.illegal(&left) {
		core.start = p.start
	}
	for size := len(core.asked); size > 0; {
		changed := false
		for i := len(core.asked) - 1; i >= 0; i -= size {
			less := core.without(max(0, i-size+1), i+1)
			if len(less.asked) < len(core.asked) && less.illegal(&left) {
				core.asked, changed = less.asked, true
				i = min(i, len(core.asked)+size-1)
			}
		}
		if size > 1 {
			size = min(size/2, len(core.asked))
		} else if !changed {
			break
		}
	}
	return core
}

// without is the stretch without the operations from one place up to another, as far as they can be left out: what is left
// must not accuse where the whole would not. A read or a refusal changes nothing, and goes. A write goes if nobody is left
// who can have seen it. Then it is as if it had never come: whatever followed on it is lawful on what was there before, whose
// offset is not above its own. One that takes the row away stays.
func (p *stretch) without(from, to int) *stretch {
	seers := map[int64][]*asked{}
	for i, a := range p.asked {
		if a.kind != writing && (i < from || i >= to) {
			seers[a.stored.offset] = append(seers[a.stored.offset], a)
		}
	}
	less := &stretch{start: p.start, keeps: p.keeps}
	for i, a := range p.asked {
		seen := a.stored.kind == absent ||
			slices.ContainsFunc(seers[a.offset], func(s *asked) bool { return s.mayHaveSeen(a) })
		if i >= from && i < to && (a.kind != writing || !seen) {
			continue
		}
		left := *a
		if a.kind == writing && !a.certain {
			left.ret = never
		}
		less.asked = append(less.asked, &left)
	}
	limitDoubt(less.asked, p.keeps)
	return less
}

// proof are the events that show the operations, and the ground truth where what was there before matters.
func (p *stretch) proof(r *Run) []int {
	var proof []int
	for _, a := range p.asked {
		proof = append(proof, a.proof)
	}
	if p.start.kind != anything {
		proof = append(proof, r.start)
	}
	return proof
}
