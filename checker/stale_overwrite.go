package checker

import "fmt"

// checkNoStaleOverwrite: nothing shows a key older than its mark.
//
// The mark of a key at an event is the highest offset (of the input, as everything here) of its persists and deletes that
// took effect before it: that were answered applied, or that a read had shown; an offset which a refusal named counts as
// read. A showing is a read by anybody, the rig's own included, or what follows from the order of the writes (showOrder).
// It breaks the property if it is older than the mark was before the read was called:
//
//   - a value, a tombstone, and the offset of a refusal, if their offset is below the mark;
//   - nothing at all, if no delete at or above the mark took effect or is in doubt.
//
// Reads that the rig's SERIAL reads may have settled say nothing. The expiry of the write that set the mark resets it.
//
// A write which was acknowledged and lost by its timestamp still raises the mark: it was promised to be there. If it is a
// stale one, it raises nothing and shows nowhere, and that is harmless.
//
// Source: kafka-flow issue 732; INV_NoStaleOverwrite of its models.
func checkNoStaleOverwrite(r *Run) Result {
	var f finding
	checked, keys := 0, 0
	for _, k := range r.keys {
		broken := false
		for i := range k.shown {
			s := &k.shown[i]
			mark, ok := k.mark(s.since(), r.events[s.to].Time)
			if !ok {
				continue
			}
			checked++
			if !k.behind(s, mark.offset) {
				continue
			}
			broken = true
			f.found(s.to, func() (string, []int) {
				return fmt.Sprintf("%s had reached @%d (%s) when %s %s: %s.", k.name, mark.offset, mark.who(), s.value(),
					s.how(), k.lost(k.shownOffset(s), mark.offset)), append(s.proof(), mark.event())
			})
		}
		if broken {
			keys++
		}
	}
	counts := map[string]int{"showings": checked}
	switch {
	case f.total > 0:
		counts["keys"] = keys
		return f.failed(r, counts)
	case checked == 0:
		return Result{Verdict: Vacuous, Summary: "No key was seen again after a write of it took effect.", Counts: counts}
	}
	return Result{Verdict: Pass, Counts: counts,
		Summary: fmt.Sprintf("In %s, none was older than what had taken effect before.", count(checked, "showing"))}
}

// who names the write that set a mark.
func (e effect) who() string {
	if e.write == nil {
		return "as was read"
	}
	return "by " + e.write.process
}

// event is the one that shows a mark: the write's own answer where there is one.
func (e effect) event() int {
	if e.write != nil && e.write.applied && e.write.answer <= e.at {
		return e.write.answer
	}
	return e.at
}

// proof are the events that show a showing: the read, or what it follows from; and whose write it was.
func (s *showing) proof() []int {
	proof := []int{s.to, author(s.write)}
	if s.source == sourceClock {
		proof = append(proof, s.write.effect)
	}
	return proof
}
