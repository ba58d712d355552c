package checker

import (
	"fmt"

	"github.com/single-writer/chaos/history"
)

// checkLinearizable: the persists, deletes and reads of a key have an order, in which each stands between its call and its
// answer, and in which a register guarded by its offset would give all their answers.
//
// Such a register applies a write if the offset that it holds is not above the write's own; then it holds the write's. A
// delete leaves a tombstone that keeps its offset (without the guard tombstone: nothing), and nothing at all accepts any
// write. A refusal that names an offset says that this one, above the write's own, was held at that moment; one that names
// none claims nothing. A read claims the offset cell, the value and the write's id, or that nothing was there. A compound is
// one operation, however many statements it took. What was there before the first is told by the ground truth at the start;
// without it, it may have been anything. A write in doubt may have come at any time since its call, or never. What the rig's
// SERIAL reads may have settled is left out.
//
// Only a store that promises it is asked: cassandra/cas, with whatever guards are left of it (that it fails without one is
// what the guard is for), and cassandra/cas-persist for keys that nobody deletes, as its deletes are plain. A key is left out
// too if it is written plainly, if its row expires, or if its offset cell was lost: then the register's own rule is gone.
//
// Each key is searched by porcupine, within bounds that are of steps and not of time, so that a verdict is the same on every
// machine. What these bounds do not let it decide is unknown.
//
// Source: Herlihy and Wing, Linearizability: a correctness condition for concurrent objects (1990); locality, their theorem
// 1, is why keys are judged one by one.
func checkLinearizable(r *Run) Result {
	if r.header.Arm != armCAS && r.header.Arm != armCASPersist {
		return Result{Verdict: NotApplicable, Summary: "The arm does not promise that a key is one register guarded by its offset."}
	}
	var f finding
	keys, operations, undecided, out := 0, 0, 0, 0
	for _, k := range r.keys {
		if r.beyondRegister(k) {
			out++
			continue
		}
		start, all := askedOf(r, k)
		if len(all) == 0 {
			continue
		}
		keys, operations = keys+1, operations+len(all)
		for _, p := range split(start, all, removes(r.header)) {
			left := maxSteps
			legal, known := p.linearizable(&left)
			switch {
			case !known:
				undecided++
			case !legal:
				shown := p.upToFailure()
				f.found(shown.last(), func() (string, []int) {
					core := shown.smallest()
					return fmt.Sprintf("%s is not one register guarded by its offset: no order of %s explains that %s.",
						k.name, count(len(core.asked), "operation"), r.describe(shown.last())), core.proof(r)
				})
			}
		}
	}
	counts := map[string]int{"keys": keys, "operations": operations, "left-out": out}
	switch {
	case f.total > 0:
		return f.failed(r, counts)
	case undecided > 0:
		return Result{Verdict: Unknown, Counts: counts, Summary: fmt.Sprintf(
			"%s of the history, with too much under way at once, could not be searched within the bounds.", count(undecided, "part"))}
	case keys == 0 && out > 0:
		return Result{Verdict: NotApplicable, Counts: counts,
			Summary: fmt.Sprintf("Something else than conditional writes changes the row of each of %s.", count(out, "key"))}
	case keys == 0:
		return Result{Verdict: Vacuous, Summary: "No key was written or read.", Counts: counts}
	}
	return Result{Verdict: Pass, Counts: counts, Summary: fmt.Sprintf(
		"In %s on %s, each key was one register guarded by its offset.", count(operations, "operation"), count(keys, "key"))}
}

// beyondRegister tells whether a key is left out.
func (r *Run) beyondRegister(k *key) bool {
	for _, w := range k.writes {
		asked := w.outcome != history.Fail
		if asked && (w.plain() || w.f == history.Delete && r.header.Arm == armCASPersist) {
			return true
		}
	}
	return k.unwatched() != ""
}
