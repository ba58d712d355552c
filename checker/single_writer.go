package checker

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/single-writer/chaos/history"
)

// checkSingleWriter looks for writes that took effect after one of a newer generation and took something away from it;
// explained/single-writer.md is the definition.
//
// Generations are those under which the writers held the partition. The order of the two must be proved: the newer one had
// taken effect (its answer, or the answer of a read that showed it) before the older one was called, or, both being
// conditional, before a read was called which was the first to show the older one. The older write took effect if it was
// conditional and answered applied, or was seen by a read, or was plain and its timestamp certainly made it the row's value.
// A plain delete leaves nothing to be seen: vanished convicts it.
//
// No expiry excuses here: this is what names a guard that was lost with its TTL.
//
// Source: kafka-flow issue 732; the specification SingleWriterStore of its models.
func checkSingleWriter(r *Run) Result {
	var f finding
	writes, rivals := 0, 0
	for _, k := range r.keys {
		writes += len(k.writes)
		if !k.contended() {
			continue
		}
		rivals++
		for _, p := range k.usurped() {
			f.add(p.proof[len(p.proof)-1], func() (string, []int) {
				had := "stored"
				if p.newer.f == history.Delete {
					had = "deleted it"
				}
				return fmt.Sprintf("%s (generation %d) changed %s by its %s @%d after %s (generation %d) had %s @%d: %s.",
					p.older.process, p.older.v.Generation, k.name, p.older.f, p.older.v.Offset,
					p.newer.process, p.newer.v.Generation, had, p.newer.v.Offset, p.damage(k)), p.proof
			})
		}
	}
	counts := map[string]int{"writes": writes, "contended-keys": rivals}
	return f.result(r, counts, fmt.Sprintf(
		"In %s written under several generations, no older one changed what a newer one had stored.", count(rivals, "key")),
		instead{rivals == 0, Vacuous, "No key was written under two generations."})
}

// contended tells whether writes of two generations were asked for.
func (k *key) contended() bool {
	for _, w := range k.writes {
		if w.v.Generation != k.writes[0].v.Generation {
			return true
		}
	}
	return false
}

// usurpation is an older write that came after a newer one.
type usurpation struct {
	older, newer *write
	proof        []int
}

func (u usurpation) damage(k *key) string {
	if u.older.v.Offset == u.newer.v.Offset {
		return "the same offset with other contents"
	}
	return k.lost(u.older.v.Offset, u.newer.v.Offset)
}

// usurped finds the older writes of a key that are proved to have come after a newer one.
func (k *key) usurped() []usurpation {
	type suspect struct {
		*write
		// after: what took effect before this event came before the write. shown is the event that proves that the write
		// took effect.
		after, shown int
		guarded      bool
	}
	var suspects []suspect
	for _, w := range k.writes {
		if at, ok := k.tookPlace(w); ok {
			suspects = append(suspects, suspect{w, w.call, at, false})
		}
		if w.first != nil && !w.plain() && w.first.since() > w.call {
			suspects = append(suspects, suspect{w, w.first.since(), w.first.to, true})
		}
	}
	slices.SortStableFunc(suspects, func(a, b suspect) int { return cmp.Compare(a.after, b.after) })

	var out []usurpation
	seen := map[*write]bool{}
	var all, guarded leaders
	next := 0
	for _, s := range suspects {
		for ; next < len(k.effects) && k.effects[next].at < s.after; next++ {
			if w := k.effects[next].write; w != nil {
				all.add(w)
				if !w.plain() {
					guarded.add(w)
				}
			}
		}
		lead := &all
		if s.guarded {
			lead = &guarded
		}
		newer := lead.usurpedBy(s.write)
		if newer == nil || seen[s.write] {
			continue
		}
		seen[s.write] = true
		out = append(out, usurpation{s.write, newer, []int{author(newer), newer.effect, author(s.write), s.shown}})
	}
	for _, u := range k.vanished() {
		if !seen[u.older] {
			seen[u.older] = true
			out = append(out, u)
		}
	}
	return out
}

// tookPlace tells whether a write certainly changed the row, and by which event that is known.
func (k *key) tookPlace(w *write) (int, bool) {
	switch {
	case w.applied && !w.plain():
		return w.answer, true
	case w.applied && k.newest.at(w.answer) == w:
		return w.answer, true
	case w.first != nil:
		return w.first.to, true
	}
	return 0, false
}

// overrides tells whether the older write takes something away from the newer one.
func overrides(older, newer *write) bool {
	if older.v.Offset != newer.v.Offset {
		return older.v.Offset < newer.v.Offset
	}
	a, b := older.v.State, newer.v.State
	if older.f != newer.f || a == nil || b == nil {
		return older.f != newer.f
	}
	return !a.Equal(*b)
}

// leaders keep, by generation in rising order, which writes of it took effect.
type leaders struct {
	by []leader
}

// leader is the write of a generation with the highest offset, and the one that was there last.
type leader struct {
	highest, last *write
}

// add takes writes in the order in which they took effect, as far as that is known.
func (l *leaders) add(w *write) {
	at, ok := slices.BinarySearchFunc(l.by, w.v.Generation,
		func(x leader, g int32) int { return cmp.Compare(x.last.v.Generation, g) })
	if !ok {
		l.by = slices.Insert(l.by, at, leader{w, w})
		return
	}
	lead := &l.by[at]
	if w.v.Offset > lead.highest.v.Offset {
		lead.highest = w
	}
	if w.after(lead.last) {
		lead.last = w
	}
}

// usurpedBy gives the write of a newer generation from which an older one took something away: of several the one that was
// there last, for that is the one that it replaced.
func (l *leaders) usurpedBy(older *write) *write {
	var victim *write
	for i := len(l.by) - 1; i >= 0 && l.by[i].last.v.Generation > older.v.Generation; i-- {
		newer := l.by[i].last
		if !overrides(older, newer) {
			newer = l.by[i].highest
		}
		if overrides(older, newer) && (victim == nil || newer.after(victim)) {
			victim = newer
		}
	}
	return victim
}

// after tells which of two writes the row held later: of two plain ones that of the greater timestamp, else the one that is
// known later to have taken effect.
func (w *write) after(other *write) bool {
	if w.plain() && other.plain() && w.ts != other.ts {
		return w.ts.N > other.ts.N
	}
	return w.effect > other.effect
}

// vanished finds deletes of an older generation by what they left: a read showed a newer write's value, a later read
// showed nothing, and every delete that can have taken effect between the two is of an older generation and not above it.
func (k *key) vanished() []usurpation {
	var deletes []*write
	for _, w := range k.writes {
		if w.f == history.Delete && !w.void {
			deletes = append(deletes, w)
		}
	}
	if len(deletes) == 0 {
		return nil
	}
	var out []usurpation
	var before *showing
	for i := range k.shown {
		s := &k.shown[i]
		switch {
		case s.row != nil && s.shape == live && s.write != nil:
			before = s
		case before != nil && s.source == sourceRead && s.shape == gone && !s.broken && before.to < s.from &&
			before.write.expires == 0:
			if d := culprit(deletes, before, s); d != nil {
				out = append(out, usurpation{d, before.write, []int{author(before.write), before.to, author(d), s.to}})
			}
			before = nil
		}
	}
	return out
}

// culprit gives the first of the deletes that can have come between two showings, if all of them are older than what the
// first one showed.
func culprit(deletes []*write, before, after *showing) *write {
	var first *write
	for _, d := range deletes {
		// One whose answer never came may still have been on its way.
		if d.call >= after.to || d.applied && d.answer < before.from {
			continue
		}
		if d.v.Generation >= before.write.v.Generation || d.v.Offset > before.write.v.Offset {
			return nil
		}
		if first == nil {
			first = d
		}
	}
	return first
}
