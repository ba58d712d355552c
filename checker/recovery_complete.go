package checker

import "fmt"

// checkRecoveryComplete: for each key, a recovery returns a state that is not below the highest offset of the writes
// acknowledged before the recovery was called.
//
// By offset and not by time: of two acknowledged writes the older owner's may be the later one, and returning it is the
// failure. What was made of a journal counts at its floor where that is higher: below it the owner writes nothing. Deletes count as in no-stale-overwrite: nothing at all is explained by a delete at or above the mark that took
// effect or is in doubt. Only acknowledged writes make the mark here, so that the property is what the store owes to
// its client and nothing more. Expiry resets it.
func checkRecoveryComplete(r *Run) Result {
	var f finding
	checked := 0
	for _, rec := range r.recoveries {
		for i := range rec.reads {
			k, s := rec.reads[i].key, &rec.reads[i].showing
			mark, ok := k.ackedMark(rec.call, r.events[s.to].Time)
			if !ok {
				continue
			}
			checked++
			if !k.behind(s, mark.offset) || rec.reads[i].made && s.row != nil && s.row.Offset.N >= mark.offset {
				continue
			}
			f.add(s.to, func() (string, []int) {
				return fmt.Sprintf("%s recovered %s of %s, though %s had been told that @%d is stored: %s.", rec.process, s.value(),
						k.name, mark.write.process, mark.offset, k.lost(k.shownOffset(s), mark.offset)),
					[]int{mark.at, rec.call, s.to}
			})
		}
	}
	counts := map[string]int{"keys": checked}
	return f.result(r, counts,
		fmt.Sprintf("Each of %s is at or beyond what was acknowledged before.", count(checked, "recovered key")),
		instead{checked == 0, Vacuous, "No recovery came after an acknowledged write of its keys."})
}
