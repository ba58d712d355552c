package checker

import (
	"fmt"

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
			if e, ok := k.acked.first(func(e *effect) bool { return e.offset >= v.Offset.N }); ok {
				until = e.at
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
func (r *Run) acceptedOfOthers(worker string) map[int32]highest {
	out := map[int32]highest{}
	for p, c := range r.commits {
		var accepted []effect
		for _, x := range c.all {
			if x.commit && x.outcome == history.OK && history.WorkerOf(x.process) != worker {
				accepted = append(accepted, effect{at: x.answer, offset: x.offset})
			}
		}
		out[p] = rank(accepted)
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
			none = fmt.Sprintf("the refusal of %s's stale write names offset %s, and the probe before it had shown %s",
				q.Worker, s.stored, s.newer)
		default:
			return moment{s.answer, []int{s.probe, s.answer}}, ""
		}
	}
	return moment{}, none
}
