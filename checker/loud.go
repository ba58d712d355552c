package checker

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/single-writer/chaos/history"
)

// checkLoud asks of each recovery whether it was answered by its deadline, or, where it states none, before the coordinator
// listed its member no more; explained/loud.md is the definition.
//
// A recovery whose process was stopped or killed meanwhile can say nothing and is not judged, nor is one that began when
// its time was over already: a worker that was held before it. For as long as it was held its time is longer.
//
// Source: max.poll.interval.ms of the Kafka consumer (KIP-62), whose heartbeat thread leaves the group in its owner's place.
func checkLoud(r *Run) Result {
	var f finding
	t := r.tenures()
	away, evict := r.takenAway()
	judged, open := 0, 0
	for _, rec := range r.recoveries {
		late, known := r.tooLate(rec, t, evict)
		gone := first(away[history.LifeOf(rec.process)], rec.call)
		switch {
		case known && late < gone && late <= rec.answer:
			judged++
			f.add(late, func() (string, []int) {
				return fmt.Sprintf("%s was still recovering partition %d from %d when %s, and had not said a word.",
					rec.process, rec.v.Partition, rec.v.Start, r.over(rec)), append(r.doneTo(rec, late), rec.call, late)
			})
		case !known: // its time was over before it began
		case rec.answer < never:
			judged++
		case gone == never && !r.ended:
			open++
		}
	}
	counts := map[string]int{"recoveries": judged}
	return f.result(r, counts,
		fmt.Sprintf("%s to recover was answered before its member had to poll again.", each(judged, "attempt")),
		instead{open > 0, Unknown, fmt.Sprintf(
			"The history ends in the middle of %s to recover.", count(open, "attempt"))},
		instead{judged == 0, Vacuous, "No recovery came to an end."})
}

// doneTo gives what the plan did to a worker while it recovered, which may be why it did not come to an end.
func (r *Run) doneTo(rec *recovery, until int) []int {
	var done []int
	for i := rec.call; i < until; i++ {
		v, ok := r.events[i].Value.(*history.FaultDone)
		if ok && v != nil && v.Life == history.LifeOf(rec.process) && v.Phase == history.PhaseDone {
			done = append(done, i)
		}
	}
	return done
}

// takenAway gives, by life, when the plan or the rig ended it, and when the nemesis put a worker out of the group.
func (r *Run) takenAway() (away, evict map[string][]int) {
	away, evict = map[string][]int{}, map[string][]int{}
	for i, e := range r.events {
		v, ok := e.Value.(*history.FaultDone)
		switch {
		case !ok || v == nil:
		case v.Fault == history.FaultStop || v.Fault == history.FaultKill:
			away[v.Life] = append(away[v.Life], i)
		case v.Fault == history.FaultEvict:
			evict[v.Life] = append(evict[v.Life], i)
		}
	}
	return away, evict
}

// first gives the first of some events after another; never if there is none.
func first(events []int, after int) int {
	n := sort.SearchInts(events, after)
	if n == len(events) {
		return never
	}
	return events[n]
}

// tooLate gives the event by which a recovery's time was over, never if it was not; known is false where the time was over
// before the recovery began.
func (r *Run) tooLate(rec *recovery, t *tenures, evict map[string][]int) (late int, known bool) {
	if d := rec.v.Deadline; d.Known {
		over := d.N + r.kept(rec)
		late = sort.Search(len(r.events), func(i int) bool { return r.events[i].Time > over })
		if late == len(r.events) {
			return never, true
		}
		return late, late > rec.call
	}
	out, ok := t.evicted[rec.v.Member]
	if !ok || len(evict[history.LifeOf(rec.process)]) > 0 {
		return never, true
	}
	return out, out > rec.call
}

// kept is for how long the rig kept the worker in points between its poll and the recovery: that time it could not use. A point
// takes no time of its own, but for those after which an answer is awaited.
func (r *Run) kept(rec *recovery) (d int64) {
	next := r.events[rec.call].Time
	polled := false // the event before, going back, is the first of what a poll returned
	for i := rec.call - 1; i >= 0; i-- {
		e := r.events[i]
		if e.Process != rec.process {
			continue
		}
		// Of several partitions, those that the same poll returned follow at the same instant.
		if polled && e.Time < next {
			break
		}
		v, ok := e.Value.(*history.PointReached)
		polled = ok && v != nil && (v.Point == history.PointAssigned || v.Point == history.PointPolled)
		if ok && v != nil && !strings.HasSuffix(v.Point, "-sent") {
			d += next - e.Time
		}
		next = e.Time
	}
	return d
}

// over says how a recovery's time was over.
func (r *Run) over(rec *recovery) string {
	if d := rec.v.Deadline; d.Known {
		had := time.Duration(d.N - r.events[rec.call].Time).Round(time.Millisecond)
		return fmt.Sprintf("its time to poll again was over, %s after it had begun", had)
	}
	return "the coordinator listed it no more"
}
