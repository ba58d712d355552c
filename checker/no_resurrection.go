package checker

import (
	"fmt"
	"sort"
)

// checkNoResurrection: a read that was called after an offset beyond a key's close at d had been committed never returns a
// live value of that key whose own offset is at or below d.
//
// Reads by anybody count, the rig's and those of a recovery; what the rig's SERIAL reads may have settled does not, nor
// does what is known without a read. Committed is what a commit was accepted for, or what was read back, and the answer
// came before the read's call. It stays so: an offset that has once been beyond the close is proof that the close was
// folded and done with, and a commit that goes back later does not undo it.
//
// A value is at or below some close beyond which it was committed exactly if it is at or below the last such close, so
// that a key which was closed and opened again is judged by its own life: a value of the later one has an offset of its own
// beyond d. A tombstone, and nothing at all, is no live value. A delete excuses nothing, whatever came of it: whoever
// commits beyond a close says that the key is gone. Nor does it matter who wrote the value, or that the new owner had
// never stored the key and so had nothing to delete.
//
// Where the records between a value and the committed offset are not known, one of them may be a close: such a read is not
// judged, and if nothing else fails, the verdict is unknown.
//
// Source: kafka-flow issue 732 (an account that was closed comes back with its old balance).
func checkNoResurrection(r *Run) Result {
	var f finding
	checked, unjudged := 0, 0
	for _, k := range r.keys {
		closes := k.closes()
		commits := r.commits[k.partition]
		ranked := commits.ranked()
		for _, s := range k.reads() {
			top, ok := highestBefore(ranked, s.from, 0)
			if !ok {
				continue
			}
			passed := len(closes) > 0 && k.log[closes[0]].Offset < top.offset
			// The close that ended the life of what was read: the first one at or beyond it.
			n := len(closes)
			if s.shape == live {
				n = sort.Search(n, func(j int) bool { return k.log[closes[j]].Offset >= s.offset })
			}
			switch {
			case n < len(closes) && k.log[closes[n]].Offset < top.offset:
				checked++
				place := closes[n]
				d := k.log[place].Offset
				f.add(s.to, func() (string, []int) {
					beyond, _ := ranked.first(func(e *effect) bool { return e.offset > d })
					return fmt.Sprintf("%s was closed at %d and %d was committed, and then %s %s: a life that had ended is back.",
						k.name, d, beyond.offset, s.value(), s.how()), append(append(s.proof(), k.at[place]), commits.proof(*beyond)...)
				})
			case s.shape == live && s.offset < top.offset && !k.knownBelow(top.offset):
				unjudged++
			case passed:
				checked++
			}
		}
	}
	counts := map[string]int{"reads": checked, "unjudged": unjudged}
	return f.result(r, counts, fmt.Sprintf(
		"In %s of keys closed below the committed offset, no life that had ended came back.", count(checked, "read")),
		instead{unjudged > 0, Unknown, fmt.Sprintf(
			"The input is not known far enough to judge %s.", count(unjudged, "read"))},
		instead{checked == 0, Vacuous, "No key was read after an offset beyond its close was committed."})
}
