package checker

import "fmt"

// checkRecoveryComplete holds what each recovery returned against the mark of the acknowledged writes;
// explained/recovery-complete.md is the definition.
//
// By offset and not by time: of two acknowledged writes the older owner's may be the later one, and returning it is the
// failure. Deletes count as in no-stale-overwrite. Expiry resets the mark.
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
				again := ""
				if len(k.between(k.shownOffset(s), rec.v.Start-1)) == 0 {
					again = fmt.Sprintf(" until it is read again from %d", rec.v.Start)
				}
				return fmt.Sprintf("%s recovered %s of %s, though %s had been told that @%d is stored: %s%s.",
						rec.process, s.value(),
						k.name, mark.write.process, mark.offset, k.lost(k.shownOffset(s), mark.offset), again),
					[]int{mark.at, rec.call, s.to}
			})
		}
	}
	counts := map[string]int{"keys": checked}
	return f.result(r, counts,
		fmt.Sprintf("%s is at or beyond what was acknowledged before.", each(checked, "recovered key")),
		instead{checked == 0, Vacuous, "No recovery came after an acknowledged write of its keys."})
}
