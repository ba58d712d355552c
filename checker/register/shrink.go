package register

import "slices"

// Of a stretch that has no order, what shows it: first as few of its events as can be, then as few of its operations.

// maxShrinking bounds the steps spent on one witness. One that was not made as small as it could be is still a witness.
const maxShrinking = 4 * maxSteps

// before gives the part of a stretch that lies before an event: as it would have been recorded if the history had been cut
// there. Reads and refusals without an answer go; writes come to be in doubt.
func (p *Stretch) before(at int) *Stretch {
	less := &Stretch{start: p.start, opens: p.opens, keeps: p.keeps}
	for _, a := range p.Operations {
		cut := *a
		switch {
		case a.Call >= at:
			continue
		case a.Kind == Writing && (!a.Certain || a.Return >= at):
			// What ends its doubt is found anew: it may lie behind the cut.
			cut.Certain, cut.Return = false, Never
			if a.Proof >= at {
				cut.Proof = a.Call
			}
		case a.Return >= at:
			continue
		}
		less.Operations = append(less.Operations, &cut)
	}
	limitDoubt(less.Operations, p.keeps)
	return less
}

// UpToFailure gives the shortest beginning of a stretch that has no order: a history that has none cannot come to have one.
func (p *Stretch) UpToFailure() *Stretch {
	left := maxShrinking
	var ends []int
	for _, a := range p.Operations {
		if a.Return < Never {
			ends = append(ends, a.Proof+1)
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

// Last is the event by which it is known that there is no order.
func (p *Stretch) Last() int {
	last := 0
	for _, a := range p.Operations {
		last = max(last, a.Proof)
	}
	return last
}

// Smallest leaves out what is not needed for there to be no order, first many operations at a time, at last one by one.
func (p *Stretch) Smallest() *Stretch {
	left := maxShrinking
	core := &Stretch{Operations: slices.Concat(p.opens, p.Operations), keeps: p.keeps}
	if len(p.opens) == 0 && !core.illegal(&left) {
		core.start = p.start
	}
	for size := len(core.Operations); size > 0; {
		changed := false
		for i := len(core.Operations) - 1; i >= 0; i -= size {
			less := core.without(max(0, i-size+1), i+1)
			if len(less.Operations) < len(core.Operations) && less.illegal(&left) {
				core.Operations, changed = less.Operations, true
				i = min(i, len(core.Operations)+size-1)
			}
		}
		if size > 1 {
			size = min(size/2, len(core.Operations))
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
func (p *Stretch) without(from, to int) *Stretch {
	seers := map[int64][]*Operation{}
	for i, a := range p.Operations {
		if a.Kind != Writing && (i < from || i >= to) {
			seers[a.Held.offset] = append(seers[a.Held.offset], a)
		}
	}
	less := &Stretch{start: p.start, keeps: p.keeps}
	for i, a := range p.Operations {
		seen := a.Held.kind == absent ||
			slices.ContainsFunc(seers[a.Offset], func(s *Operation) bool { return s.mayHaveSeen(a) })
		if i >= from && i < to && (a.Kind != Writing || !seen) {
			continue
		}
		left := *a
		if a.Kind == Writing && !a.Certain {
			left.Return = Never
		}
		less.Operations = append(less.Operations, &left)
	}
	limitDoubt(less.Operations, p.keeps)
	return less
}

// Proof are the events that show the operations. StartMatters tells whether what was there before is part of it.
func (p *Stretch) Proof() []int {
	var proof []int
	for _, o := range p.Operations {
		proof = append(proof, o.Proof)
	}
	return proof
}

// StartMatters tells whether something is known of the row before the first operation.
func (p *Stretch) StartMatters() bool { return p.start.kind != anything }
