package checker

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/single-writer/chaos/checker/register"
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
		for _, p := range register.Split(start, all, removes(r.header)) {
			legal, known := p.Linearizable()
			switch {
			case !known:
				undecided++
			case !legal:
				shown := p.UpToFailure()
				f.add(shown.Last(), func() (string, []int) {
					core := shown.Smallest()
					proof := core.Proof()
					if core.StartMatters() {
						proof = append(proof, r.start)
					}
					return fmt.Sprintf("%s is not one register guarded by its offset: no order of %s explains that %s.",
						k.name, count(len(core.Operations), "operation"), r.describe(shown.Last())), proof
				})
			}
		}
	}
	counts := map[string]int{"keys": keys, "operations": operations, "left-out": out}
	return f.result(r, counts, fmt.Sprintf(
		"In %s on %s, each key was one register guarded by its offset.", count(operations, "operation"), count(keys, "key")),
		instead{undecided > 0, Unknown, fmt.Sprintf(
			"%s of the history, with too much under way at once, could not be searched within the bounds.", count(undecided, "part"))},
		instead{keys == 0 && out > 0, NotApplicable, fmt.Sprintf(
			"Something else than conditional writes changes the row of each of %s.", count(out, "key"))},
		instead{keys == 0, Vacuous, "No key was written or read."})
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

// askedOf gives what was asked of a key, in the order of the calls, and in what state the register was before. A write that
// did nothing, and one that was refused without naming an offset, claim nothing.
func askedOf(r *Run, k *key) (start register.Held, all []*register.Operation) {
	if r.start >= 0 {
		start = register.By(k.startRow)
	}
	for _, w := range k.writes {
		a := &register.Operation{Call: w.call, Return: w.answer, Offset: w.v.Offset, Proof: author(w)}
		switch {
		case w.outcome == history.Fail && w.stored.Known && w.answer < k.settled:
			a.Kind, a.Held = register.Refusing, register.At(w.stored.N)
		case w.outcome == history.Fail, w.outcome == history.OK && !w.applied:
			continue
		default:
			a.Certain = w.applied
			a.Held = register.By(&history.Row{Offset: history.Some(w.v.Offset), State: w.v.State, Write: w.v.Write})
			if w.f == history.Delete && removes(r.header) {
				a.Held = register.Removed()
			}
			if !a.Certain {
				a.Return = register.Never
			}
		}
		all = append(all, a)
	}
	for i := range k.shown {
		if s := &k.shown[i]; s.source == sourceRead {
			all = append(all, &register.Operation{
				Kind: register.Reading, Call: s.from, Return: s.to, Held: register.By(s.row), Proof: s.to,
			})
		}
	}
	slices.SortStableFunc(all, func(a, b *register.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return start, all
}
