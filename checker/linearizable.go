package checker

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/single-writer/chaos/checker/register"
	"github.com/single-writer/chaos/history"
)

// checkLinearizable gives each key's operations to the search of package register; explained/linearizable.md is the definition,
// and says which arms and keys are asked.
//
// A key is judged by itself, in parts that are searched within bounds of steps and not of time, so that a verdict is the same on
// every machine. What these bounds do not let it decide is unknown.
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
		for _, p := range register.Split(start, all, removes(r.header) || len(k.reaped) > 0) {
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
	for _, d := range k.reaped {
		// Like a delete in doubt that takes the row away: it does nothing to a row that was written anew since.
		all = append(all, &register.Operation{Call: d.from, Return: d.to, Offset: d.offset, Held: register.Removed(),
			Proof: d.to})
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
