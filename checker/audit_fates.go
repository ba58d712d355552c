package checker

import (
	"fmt"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// cameOf says what came of a persist or delete, whoever called it.
func (r *Run) cameOf(k *key, w *write) (Fate, string) {
	switch {
	case w.effect < never:
		return r.landed(k, w)
	case w.outcome == history.Fail && w.code == history.CodeCondition && w.stored.Known:
		return RefusedByCondition, fmt.Sprintf("the row held @%d", w.stored.N)
	case w.outcome == history.Fail && w.code == history.CodeCondition:
		return RefusedByCondition, "the refusal names no offset"
	case w.outcome == history.Fail:
		return NoEffect, w.code
	case w.void:
		return NoEffect, "none of its statements was applied"
	}
	return InDoubt, "it was not answered, and no read showed it"
}

// landed judges a write that took effect: what it stored should be the fold of its records, and nothing above it should have
// been there. If it is not so, what counts is whether anybody went on from it.
func (r *Run) landed(k *key, w *write) (Fate, string) {
	mark, marked := k.mark(w.call, r.events[w.call].Time)
	if !marked || mark.offset <= w.v.Offset {
		// Something above it may have come while it was under way; it is behind that if the row is its own after all.
		if later, ok := k.mark(w.effect+1, r.events[w.effect].Time); ok && k.newest.at(w.effect) == w {
			mark, marked = later, ok
		}
	}
	behind := marked && mark.offset > w.v.Offset
	if ended, ok := r.endedByThen(k, w); ok && !behind && !k.newest.lost(w) {
		return r.wentOn(k, w, ended, fmt.Sprintf("the close at %d was committed, and it is undone", ended))
	}
	switch {
	case k.newest.lost(w):
		return HarmlessByLuck, "a greater timestamp had been acknowledged, and it lost by its clock"
	case !behind && k.isFold(w) && marked:
		return LandedHarmless, fmt.Sprintf("it is the fold of its records, and @%d was stored", mark.offset)
	case !behind && k.isFold(w):
		return LandedHarmless, "it is the fold of its records, and nothing was stored"
	}
	harm := "it is not the fold of its records"
	need := w.v.Offset
	if behind {
		need = mark.offset
		harm = fmt.Sprintf("@%d was stored: %s", mark.offset, k.lost(w.v.Offset, mark.offset))
	}
	return r.wentOn(k, w, need, harm)
}

// endedByThen gives the close of the key above a persist that had been committed when it was called. There need be nothing
// stored of it: who closes what was never stored may write nothing.
func (r *Run) endedByThen(k *key, w *write) (int64, bool) {
	c := r.commits[k.partition]
	if c == nil || w.f != history.Persist {
		return 0, false
	}
	top, _ := highestBefore(c.ranked(), w.call, 0)
	place, ok := k.below(top.offset)
	if !ok || k.log[place].Event.Kind != ledger.Close || k.log[place].Offset <= w.v.Offset {
		return 0, false
	}
	return k.log[place].Offset, true
}

// wentOn tells whether what a write did was still there for the next recovery, or, without one, for the last who looked.
func (r *Run) wentOn(k *key, w *write, need int64, harm string) (Fate, string) {
	for _, rec := range r.recoveries {
		for i := range rec.reads {
			s := &rec.reads[i].showing
			if rec.reads[i].key != k || s.from < w.effect {
				continue
			}
			if k.damaged(s, w, need) {
				return LandedHarmful, fmt.Sprintf("%s, and %s went on from there", harm, rec.process)
			}
			return HarmlessByLuck, fmt.Sprintf("%s, but it was overwritten before %s recovered", harm, rec.process)
		}
	}
	var last *showing
	for i := range k.shown {
		if s := &k.shown[i]; s.source == sourceRead && s.from > w.effect {
			last = s
		}
	}
	switch {
	case last != nil && !k.damaged(last, w, need):
		return HarmlessByLuck, harm + ", but it was overwritten before anybody recovered"
	case last == nil && w.plain() && k.newest.at(w.effect) != w:
		return InDoubt, harm + ", and nobody looked what came of it"
	}
	return LandedHarmful, harm
}

// damaged tells whether what was shown is the write's doing: itself, or less than was needed, or something that is no fold.
func (k *key) damaged(s *showing, w *write, need int64) bool {
	st := s.state()
	return s.write == w || k.behind(s, need) || st != nil && k.knownAt(st.Offset) && !k.fold(st.Offset).Equal(*st)
}

// isFold tells whether a write left what the records up to its offset come to. Where they are not known nothing is claimed.
func (k *key) isFold(w *write) bool {
	if !k.knownAt(w.v.Offset) {
		return true
	}
	st := k.fold(w.v.Offset)
	if w.v.State == nil {
		return !st.Open()
	}
	return st.Equal(*w.v.State)
}
