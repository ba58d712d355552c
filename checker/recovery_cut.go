package checker

import "fmt"

// checkRecoveryCut asks of what each recovery returned whether it covers (covering) the records below its start;
// explained/recovery-cut.md is the definition.
//
// One recovery proves a failure, with no acknowledgement of anybody: this is kafka-flow issue 732 itself. The records are those
// of the input known to the history; a recovery that only unknown records could excuse or accuse is not judged.
func checkRecoveryCut(r *Run) Result {
	var f finding
	checked, unjudged := 0, 0
	for _, rec := range r.recoveries {
		for i := range rec.reads {
			k, s := rec.reads[i].key, &rec.reads[i].showing
			place, c := r.covering(k, s, rec.v.Start)
			switch {
			case c == undecided:
				unjudged++
			case place < 0: // nothing of this key lies below the start
			case c == covers:
				checked++
			default:
				checked++
				f.add(s.to, func() (string, []int) {
					last := k.log[place]
					return fmt.Sprintf("%s recovered %s of %s and goes on from %d: %s.", rec.process, s.value(), k.name,
						rec.v.Start, k.lost(k.shownOffset(s), last.Offset)), []int{k.at[place], rec.call, s.to}
				})
			}
		}
	}
	counts := map[string]int{"keys": checked, "unjudged": unjudged}
	return f.result(r, counts,
		fmt.Sprintf("%s covers all records below the start.", each(checked, "recovered key")),
		instead{unjudged > 0, Unknown, fmt.Sprintf(
			"The input is not known far enough to judge %s.", count(unjudged, "recovered key"))},
		instead{checked == 0, Vacuous, "No recovery began beyond a record of its keys."})
}
