package checker

import (
	"fmt"

	"github.com/single-writer/chaos/history"
)

// findRecovered: the moment is the recovery's answer; it was called at or after from.
func findRecovered(r *Run, q Requirement, from int) (moment, string) {
	for _, rec := range r.recoveries {
		if history.WorkerOf(rec.process) == q.Worker && rec.outcome == history.OK && rec.call >= from && len(rec.v.Keys) > 0 {
			return moment{rec.answer, []int{rec.answer}}, ""
		}
	}
	return moment{}, fmt.Sprintf("%s finished no recovery%s", q.Worker, afterEvent(from))
}

// findPersisted: an acknowledged persist at or beyond the start of a recovery that W, in the same life, had finished
// before.
func findPersisted(r *Run, q Requirement, from int) (moment, string) {
	best := moment{at: never}
	for _, rec := range r.recoveries {
		if history.WorkerOf(rec.process) != q.Worker || rec.outcome != history.OK {
			continue
		}
		for _, k := range r.keys {
			if !rec.of(k) {
				continue
			}
			for _, w := range k.writes {
				if w.f == history.Persist && w.applied && history.LifeOf(w.process) == history.LifeOf(rec.process) &&
					w.call > rec.answer &&
					w.call >= from && w.v.Offset >= rec.v.Start && w.answer < best.at {
					best = moment{w.answer, []int{rec.answer, w.answer}}
				}
			}
		}
	}
	if best.at == never {
		return moment{}, fmt.Sprintf("%s persisted no record from the start of its recovery on%s", q.Worker, afterEvent(from))
	}
	return best, ""
}

func afterEvent(from int) string {
	if from == 0 {
		return ""
	}
	return fmt.Sprintf(" after line %d", history.Event{Index: from}.Line())
}

// findRecoveredState: a finished recovery of W that read a value.
func findRecoveredState(r *Run, q Requirement, _ int) (moment, string) {
	for _, rec := range r.recoveries {
		if history.WorkerOf(rec.process) != q.Worker || rec.outcome != history.OK {
			continue
		}
		for i := range rec.reads {
			if rec.reads[i].shape == live {
				return moment{rec.answer, []int{rec.reads[i].to, rec.answer}}, ""
			}
		}
	}
	return moment{}, fmt.Sprintf("no recovery of %s found a stored value", q.Worker)
}

// findHandovers: the number of times that the partition which changed hands most was recovered by another life than the
// one that had recovered it before.
func findHandovers(r *Run, q Requirement, _ int) (moment, string) {
	owner, changes := map[int32]string{}, map[int32][]int{}
	most := 0
	for _, rec := range r.recoveries {
		if rec.outcome != history.OK {
			continue
		}
		p := rec.v.Partition
		if before, ok := owner[p]; ok && before != history.LifeOf(rec.process) {
			changes[p] = append(changes[p], rec.answer)
			if most = max(most, len(changes[p])); len(changes[p]) == q.N {
				return moment{rec.answer, changes[p]}, ""
			}
		}
		owner[p] = history.LifeOf(rec.process)
	}
	return moment{}, fmt.Sprintf("there were %d handovers of one partition at most", most)
}

// findKept: an accepted commit of W under a newer generation than that of its life's last recovery of the partition: it kept
// the partition in a rebalance, as cooperative members do.
func findKept(r *Run, q Requirement, _ int) (moment, string) {
	best := moment{at: never}
	for p, c := range r.commits {
		for _, x := range c.all {
			if !x.commit || x.outcome != history.OK || history.WorkerOf(x.process) != q.Worker || x.answer >= best.at {
				continue
			}
			if rec := r.recoveredBy(history.LifeOf(x.process), p, x.call); rec != nil && rec.v.Generation < x.generation {
				best = moment{x.answer, []int{rec.answer, x.answer}}
			}
		}
	}
	if best.at == never {
		return moment{}, fmt.Sprintf("%s committed nothing of a partition that it had kept in a rebalance", q.Worker)
	}
	return best, ""
}

// recoveredBy gives the last recovery of a partition that a life had finished before an event.
func (r *Run) recoveredBy(life string, partition int32, before int) *recovery {
	var last *recovery
	for _, rec := range r.recoveries {
		if rec.outcome == history.OK && rec.answer < before && history.LifeOf(rec.process) == life &&
			rec.v.Partition == partition {
			last = rec
		}
	}
	return last
}
