package checker

import (
	"fmt"

	"github.com/single-writer/chaos/history"
)

// findLostFirstWrite: a write of W was told that there is no row, and its next statement, which made one, was refused: by
// then there was one. What the answer of the whole write was does not matter.
func findLostFirstWrite(r *Run, q Requirement, _ int) (moment, string) {
	best := moment{at: never}
	for _, k := range r.keys {
		for _, w := range k.writes {
			if history.WorkerOf(w.process) == q.Worker && w.answer < best.at && lostFirst(answerOf[history.Write](r, w.call)) {
				best = moment{w.answer, []int{w.call, w.answer}}
			}
		}
	}
	if best.at == never {
		return moment{}, fmt.Sprintf("no write of %s found no row and then lost the race for it", q.Worker)
	}
	return best, ""
}

func lostFirst(v *history.Write) bool {
	if v == nil {
		return false
	}
	for i := 1; i < len(v.Statements); i++ {
		made := v.Statements[i].Result
		if v.Statements[i-1].Result == history.ResultAbsent && (made == history.ResultRefused || made == history.ResultNull) {
			return true
		}
	}
	return false
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

// lost: the fault came about.
func lost(fault string) func(*Run, Requirement, int) (moment, string) {
	return func(r *Run, q Requirement, _ int) (moment, string) {
		for i, e := range r.events {
			if v, ok := e.Value.(*history.FaultDone); ok && v != nil && v.Fault == fault && v.Target == q.Worker &&
				v.Phase == history.PhaseDone {
				return moment{i, []int{i}}, ""
			}
		}
		return moment{}, fmt.Sprintf("%s of %s did not come about", fault, q.Worker)
	}
}

// inDoubt: an operation of the worker, of such a kind, was answered by "unknown".
func inDoubt(is func(history.F) bool) func(*Run, Requirement, int) (moment, string) {
	return func(r *Run, q Requirement, _ int) (moment, string) {
		for i, e := range r.events {
			if e.Type == history.Info && is(e.F) && history.IsWorker(e.Process) && history.WorkerOf(e.Process) == q.Worker {
				return moment{i, []int{i}}, ""
			}
		}
		return moment{}, fmt.Sprintf("%s knew of each what came of it", q.Worker)
	}
}
