package checker

import "fmt"

// checkNoStaleOverwrite holds every showing against the mark of its key; explained/no-stale-overwrite.md is the definition.
//
// The mark at an event is the highest offset of the persists and deletes that took effect before it: that were answered
// applied, or that a read had shown; an offset which a refusal named counts as read. A showing is a read by anybody, the rig's
// own included, or what follows from the order of the writes (showOrder). Which of them is older than a mark, behind says.
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
			f.add(s.to, func() (string, []int) {
				return fmt.Sprintf("%s had reached @%d (%s) when %s %s: %s.", k.name, mark.offset, mark.who(), s.value(),
					s.how(), k.lost(k.shownOffset(s), mark.offset)), append(s.proof(), mark.event())
			})
		}
		if broken {
			keys++
		}
	}
	counts := map[string]int{"showings": checked}
	if keys > 0 {
		counts["keys"] = keys
	}
	return f.result(r, counts,
		fmt.Sprintf("In %s, none was older than what had taken effect before.", count(checked, "showing")),
		instead{checked == 0, Vacuous, "No key was seen again after a write of it took effect."})
}
