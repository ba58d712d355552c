package checker

import (
	"fmt"

	"github.com/single-writer/chaos/history"
)

// checkOffsetMonotonic: no commit that was accepted, and no committed offset that was read back, is below one that was
// answered before it was called. Partition by partition.
//
// That none is committed counts as 0: after something it is a fall. Of two that were under way at once neither is before
// the other, and they prove nothing. A commit in doubt is no observation, only what is read of it later is. The ground
// truth at the start counts as read; that at the end does not, for it is only told: the reads it was made of stand before
// it in the history.
//
// The broker itself goes by generations and not by offsets: a late commit in doubt of the generation that is still the
// current one takes effect, and the offset goes back. No fence of the store is wrong then, and the records are read again.
// A scenario that brings this about allows for it (may).
//
// Source: Kafka's group coordinator, which refuses a commit by its generation and never by its offset.
func checkOffsetMonotonic(r *Run) Result {
	var f finding
	compared := 0
	for _, p := range r.partitions {
		c := r.commits[p]
		if c == nil {
			continue
		}
		for _, x := range c.all {
			top, ok := highestBefore(c.observed, x.call, 0)
			if !ok || x.outcome != history.OK {
				continue
			}
			compared++
			if x.offset >= top.offset {
				continue
			}
			f.found(x.answer, func() (string, []int) {
				how := "was read back"
				if x.commit {
					how = "was accepted from " + x.process
				}
				return fmt.Sprintf("Partition %d had %d committed, and after that %d %s: %s to be read again.", p, top.offset,
					x.offset, how, count(int(top.offset-x.offset), "offset")), []int{top.at, x.call, x.answer}
			})
		}
	}
	counts := map[string]int{"compared": compared}
	switch {
	case f.total > 0:
		return f.failed(r, counts)
	case compared == 0:
		return Result{Verdict: Vacuous, Summary: "No committed offset was seen after another.", Counts: counts}
	}
	return Result{Verdict: Pass, Counts: counts,
		Summary: fmt.Sprintf("In %s, no committed offset was below one before it.", count(compared, "observation"))}
}
