package checker

import (
	"fmt"
	"sort"

	"github.com/single-writer/chaos/history"
)

// checkNoResurrection asks of each read whether a close beyond which was committed before it had ended what it returned;
// explained/no-resurrection.md is the definition.
//
// A value is at or below some close beyond which it was committed exactly if the first close at or beyond the value is such
// a one. Where the records between a value and the committed offset are not known, one of them may be a close: such a read is
// not judged, and if nothing else fails, the verdict is unknown. What is known without a read is not used.
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
				if _, made := r.events[s.to].Value.(*history.Recovery); !made && k.journaled(s.to, d) != lacks {
					// The row is not all that is stored: what ends its life is in the journal, and a recovery counts it in.
					continue
				}
				f.add(s.to, func() (string, []int) {
					beyond, _ := ranked.first(func(e *effect) bool { return e.offset > d })
					return fmt.Sprintf("%s was closed at %d and %d was committed, and then %s %s: a life that had ended is back.",
							k.name, d, beyond.offset, s.value(), s.how()), append(append(s.proof(), k.at[place]),
							commits.proof(*beyond)...)
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
