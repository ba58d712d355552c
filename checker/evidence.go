package checker

import (
	"fmt"
	"sort"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// How each requirement is looked for. Each finder gives the first moment, at or after the event from, at which it is met,
// or says what is missing. Worker names are without the life: any life of it counts.

// findEvicted: the coordinator, which had listed W, did not list it any more, after a hold of W had taken effect and
// before the `assigned` of the next owner: the first one, by another worker, after the hold.
func findEvicted(r *Run, q Requirement, from int) (moment, string) {
	hold, out := -1, -1
	for i, e := range r.events {
		switch v := e.Value.(type) {
		case *history.FaultDone:
			if v != nil && v.Fault == history.FaultHold && v.Target == q.Worker && v.Phase == history.PhaseDone {
				hold, out = i, -1
			}
		case *history.Eviction:
			if v != nil && hold >= 0 && out < 0 && v.Target == q.Worker && i >= from {
				out = i
			}
		case *history.PointReached:
			if v == nil || v.Point != history.PointAssigned || history.WorkerOf(e.Process) == q.Worker || hold < 0 {
				continue
			}
			if out >= 0 {
				return moment{out, []int{hold, out, i}}, ""
			}
			hold = -1 // the next owner was there before the eviction
		}
	}
	switch {
	case out >= 0:
		return moment{}, fmt.Sprintf("%s was evicted, but nobody was assigned its partition after that", q.Worker)
	case hold >= 0:
		return moment{}, fmt.Sprintf("%s was held, but the coordinator went on to list it", q.Worker)
	}
	return moment{}, fmt.Sprintf("%s was not evicted between a hold and the next owner's assignment", q.Worker)
}

// findDirty: a stretch from W's fold of a record until the first acknowledged write of that key at or above it, by
// anybody. It is met from the later of its beginning and from: after `evicted W` it says that W was evicted dirty.
func findDirty(r *Run, q Requirement, from int) (moment, string) {
	best, fold := never, -1
	for i, e := range r.events {
		v, ok := e.Value.(*history.PointReached)
		if !ok || v == nil || v.Point != history.PointFolded || history.WorkerOf(e.Process) != q.Worker || !v.Offset.Known {
			continue
		}
		if fold < 0 {
			fold = i
		}
		k := r.byName[rowName{v.Partition, v.Key}]
		until := never
		if k != nil {
			// The highest acknowledged offset only rises, so that the first one at or above v's can be searched for.
			n := sort.Search(len(k.acked), func(j int) bool { return k.acked[k.acked[j].highest].offset >= v.Offset.N })
			if n < len(k.acked) {
				until = k.acked[n].at
			}
		}
		at := max(i, from)
		if at < until && (at < best || at == best && i > fold) {
			best, fold = at, i
		}
	}
	switch {
	case best < never:
		return moment{best, []int{fold}}, ""
	case fold < 0:
		return moment{}, fmt.Sprintf("%s folded nothing", q.Worker)
	}
	return moment{}, fmt.Sprintf("by then all that %s had folded was stored", q.Worker)
}

// stale is a stale write with what shows that it was one.
type stale struct {
	*write
	probe, commit int
	// newer is the offset that the probe showed, unknown where it showed a row that a close had ended.
	newer history.Opt
}

// staleWrites finds the writes of W that were called after a probe had shown the key beyond the write's own offset o and
// a commit beyond o + 1 by another worker had been accepted, that were answered applied or refused, and after whose call
// nobody else called a write of the key before another owner's recovery of it. A probe that showed no row counts where the
// log has a close of the key between o and that commit: then no row is the newer state.
func (r *Run) staleWrites(worker string, from int) []stale {
	others := r.acceptedOfOthers(worker)
	var out []stale
	for _, k := range r.keys {
		for _, w := range k.writes {
			if history.WorkerOf(w.process) != worker || w.call < from || w.outcome == history.Info {
				continue
			}
			beyond, ok := highestBefore(others[k.partition], w.call, 0)
			if !ok || beyond.offset <= w.v.Offset+1 {
				continue
			}
			s := stale{write: w, probe: -1, commit: beyond.at}
			committed := beyond.offset
			for i := range k.shown {
				p := &k.shown[i]
				if p.source != sourceRead || p.purpose != history.ForProbe || p.to >= w.call {
					continue
				}
				switch {
				case p.shape == gone && !p.broken && k.closedBetween(w.v.Offset, committed):
					s.probe, s.newer = p.to, history.Opt{}
				case p.shape != gone && p.offset > w.v.Offset:
					s.probe, s.newer = p.to, history.Some(p.offset)
				}
			}
			if s.probe >= 0 && r.alone(k, w) {
				out = append(out, s)
			}
		}
	}
	return out
}

// acceptedOfOthers gives, by partition, the commits that were accepted from other workers, ranked.
func (r *Run) acceptedOfOthers(worker string) map[int32][]effect {
	out := map[int32][]effect{}
	for p, c := range r.commits {
		for _, x := range c.all {
			if x.commit && x.outcome == history.OK && history.WorkerOf(x.process) != worker {
				out[p] = append(out[p], effect{at: x.answer, offset: x.offset})
			}
		}
		rank(out[p])
	}
	return out
}

func (k *key) closedBetween(after, below int64) bool {
	for _, e := range k.between(after, below-1) {
		if e.Event.Kind == ledger.Close {
			return true
		}
	}
	return false
}

// alone tells whether no other write of the key was called between this one and the next owner's recovery of it. The same
// life that has joined again is another owner.
func (r *Run) alone(k *key, w *write) bool {
	until := never
	for _, rec := range r.recoveries {
		another := history.LifeOf(rec.process) != history.LifeOf(w.process) || rec.v.Generation > w.v.Generation
		if rec.call > w.answer && another && rec.of(k) {
			until = rec.call
			break
		}
	}
	for _, x := range k.writes {
		if x != w && x.call < until && (x.call > w.call || x.answer > w.call && x.answer < never) {
			return false
		}
	}
	return true
}

// findStaleWrite: the moment is the write's call.
func findStaleWrite(r *Run, q Requirement, from int) (moment, string) {
	best := moment{at: never}
	for _, s := range r.staleWrites(q.Worker, from) {
		if s.call < best.at {
			best = moment{s.call, []int{s.probe, s.commit, s.call, s.answer}}
		}
	}
	if best.at == never {
		return moment{}, fmt.Sprintf("no answered write of %s came alone after a probe had shown a newer state and a commit beyond it "+
			"was accepted", q.Worker)
	}
	return best, ""
}

// findRejectedWrite: that write, refused by the row's condition with the offset that the probe had shown.
func findRejectedWrite(r *Run, q Requirement, _ int) (moment, string) {
	none := fmt.Sprintf("%s made no stale write", q.Worker)
	for _, s := range r.staleWrites(q.Worker, 0) {
		switch {
		case s.outcome != history.Fail || s.code != history.CodeCondition:
			none = fmt.Sprintf("the stale write of %s was not refused by the row's condition", q.Worker)
		case !s.stored.Known || s.newer.Known && s.stored != s.newer || s.stored.N <= s.v.Offset:
			none = fmt.Sprintf("the refusal of %s's stale write names offset %s, and the probe before it had shown %s", q.Worker, s.stored, s.newer)
		default:
			return moment{s.answer, []int{s.probe, s.answer}}, ""
		}
	}
	return moment{}, none
}

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
				if w.f == history.Persist && w.applied && history.LifeOf(w.process) == history.LifeOf(rec.process) && w.call > rec.answer &&
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

// findDeleted: the first delete answered applied.
func findDeleted(r *Run, _ Requirement, _ int) (moment, string) {
	best := never
	for _, k := range r.keys {
		for _, w := range k.writes {
			if w.f == history.Delete && w.applied {
				best = min(best, w.answer)
			}
		}
	}
	if best == never {
		return moment{}, "no delete was acknowledged"
	}
	return moment{best, []int{best}}, ""
}

// findReopened: a persist answered applied, of a key whose delete, of a lower offset, had been answered before its call.
func findReopened(r *Run, _ Requirement, _ int) (moment, string) {
	best := moment{at: never}
	for _, k := range r.keys {
		var deleted *write
		for _, w := range k.writes {
			switch {
			case !w.applied:
			case w.f == history.Delete:
				if deleted == nil || w.answer < deleted.answer {
					deleted = w
				}
			case deleted != nil && deleted.answer < w.call && deleted.v.Offset < w.v.Offset && w.answer < best.at:
				best = moment{w.answer, []int{deleted.answer, w.answer}}
			}
		}
	}
	if best.at == never {
		return moment{}, "no key was persisted again after its delete"
	}
	return best, ""
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

// findLostAnswer: the fault came about.
func findLostAnswer(r *Run, q Requirement, _ int) (moment, string) {
	for i, e := range r.events {
		if v, ok := e.Value.(*history.FaultDone); ok && v != nil && v.Fault == history.FaultLoseAnswer && v.Target == q.Worker && v.Phase == history.PhaseDone {
			return moment{i, []int{i}}, ""
		}
	}
	return moment{}, fmt.Sprintf("no answer to %s was lost", q.Worker)
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
		if rec.outcome == history.OK && rec.answer < before && history.LifeOf(rec.process) == life && rec.v.Partition == partition {
			last = rec
		}
	}
	return last
}
