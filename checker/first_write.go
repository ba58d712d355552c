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
