package checker

import (
	"fmt"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// checkDurableFold folds the log anew for every value that took effect; explained/durable-fold.md is the definition.
//
// Values are taken from the persists that took effect, from what reads returned, and from what an owner made of a journal, so
// that a value which the store itself tore (cells of two writes merged, an expired cell, bytes that are no state) is seen
// though nobody wrote it. An owner that found a key expired lawfully folds on from nothing, from the offset where it began.
//
// Where the input is not known up to a value's offset the value is not judged; if the rest holds, the verdict is unknown.
//
// Source: kafka-flow issue 732 (events lost without any error); INV_DurableCorrect of its models.
func checkDurableFold(r *Run) Result {
	var f finding
	c := folds{run: r, found: &f}
	for _, k := range r.keys {
		c.restarts(k)
		for _, w := range k.writes {
			if w.effect < never && !k.newest.lost(w) {
				c.written(k, w)
			}
		}
		for i := range k.shown {
			if s := &k.shown[i]; s.row != nil {
				c.read(k, s)
			}
		}
		for i := range k.returned {
			if s := &k.returned[i]; s.shape == live {
				c.value(k, *s.row.State, s.to, s.to)
			}
		}
	}
	counts := map[string]int{"values": c.values, "unjudged": c.unjudged}
	return f.result(r, counts, fmt.Sprintf("%s is the fold of its records.", each(c.values, "value")),
		instead{c.values == 0 && c.unjudged == 0, Vacuous, "No value took effect."},
		instead{c.unjudged > 0, Unknown, fmt.Sprintf(
			"The input is not known far enough to judge %s of %d.%s", count(c.unjudged, "value"), c.values+c.unjudged, r.input.missing)})
}

// folds is the check under way.
type folds struct {
	run              *Run
	found            *finding
	values, unjudged int
	// began are, of the key that is being judged, the offsets from which an owner lawfully began anew: it found it expired.
	began []int64
}

// restarts finds from where an owner lawfully began anew.
func (c *folds) restarts(k *key) {
	c.began = nil
	for _, rec := range c.run.recoveries {
		if rec.v.Partition != k.partition {
			continue
		}
		for i := range rec.reads {
			s := &rec.reads[i].showing
			if rec.reads[i].key == k && s.shape != live && k.expired(s.since(), c.run.events[s.to].Time) {
				c.began = append(c.began, rec.v.Start)
			}
		}
	}
}

// written judges the value that a write stored.
func (c *folds) written(k *key, w *write) {
	at := w.effect
	if w.applied {
		at = w.answer
	}
	if w.f == history.Delete {
		c.ended(k, w, at)
		return
	}
	if w.v.State == nil {
		return
	}
	if w.v.State.Offset != w.v.Offset {
		c.values++
		c.torn(k, at, w.v.Offset, *w.v.State, author(w))
		return
	}
	c.value(k, *w.v.State, at, at, author(w))
}

// ended judges a delete: its value is the end of the key, which must be what the records up to its offset come to. A delete
// that a monotone buffer lifted to its floor is lawful where the key had ended there too; over a newer life it is not.
func (c *folds) ended(k *key, w *write, at int) {
	if !k.knownAt(w.v.Offset) {
		c.unjudged++
		return
	}
	c.values++
	open := k.fold(w.v.Offset)
	if !open.Open() {
		return
	}
	c.found.add(at, func() (string, []int) {
		place, _ := k.below(w.v.Offset + 1)
		return fmt.Sprintf("%s was deleted @%d, and its events up to there do not end with a close: they come to %s.",
			k.name, w.v.Offset, open), []int{author(w), at, k.at[place]}
	})
}

// read judges what a read returned, where that is not just what a write had stored, which is judged once and for all.
func (c *folds) read(k *key, s *showing) {
	row := s.row
	switch {
	case c.run.foreign(k, s):
		c.values++
		c.found.add(s.to, func() (string, []int) {
			return fmt.Sprintf("%s shows %s, written by %s, which is no write of this run and was not there at its start.",
				k.name, s.value(), row.Write), []int{c.run.start, s.to}
		})
	case row.Broken != "":
		c.values++
		c.found.add(s.to, func() (string, []int) {
			return fmt.Sprintf("The stored value of %s is no state: %.60q.", k.name, row.Broken), []int{s.to}
		})
	case row.State == nil:
	case !row.Offset.Known || row.Offset.N != row.State.Offset:
		c.values++
		if row.Offset.Known {
			c.torn(k, s.to, row.Offset.N, *row.State, s.to)
			return
		}
		c.found.add(s.to, func() (string, []int) {
			return fmt.Sprintf("The row of %s has a value @%d and no offset beside it: nothing guards it.",
				k.name, row.State.Offset), []int{s.to}
		})
	case s.write != nil && s.write.v.State != nil && s.write.v.State.Equal(*row.State):
	default:
		c.value(k, *row.State, s.to, author(s.write), s.to)
	}
}

// foreign tells whether a showing names a write that the history would have if there had been it: the rig records each call
// before it is made, and the ground truth at the start has all that was there before.
func (r *Run) foreign(k *key, s *showing) bool {
	return r.start >= 0 && s.to > r.start && s.row.Write != "" && s.write == nil &&
		(k.startRow == nil || k.startRow.Write != s.row.Write)
}

func (c *folds) torn(k *key, at int, cell int64, st ledger.State, proof int) {
	c.found.add(at, func() (string, []int) {
		return fmt.Sprintf("The row of %s says offset %d and its value says %d: the two are of different writes.",
			k.name, cell, st.Offset), []int{proof}
	})
}

// value compares a state with the fold.
func (c *folds) value(k *key, st ledger.State, at int, proof ...int) {
	if st.Offset < 0 || !k.knownAt(st.Offset) {
		c.unjudged++
		return
	}
	c.values++
	if st.Open() && k.fold(st.Offset).Equal(st) {
		return
	}
	for _, from := range c.began {
		if from <= st.Offset && k.foldFrom(from, st.Offset).Equal(st) {
			return
		}
	}
	c.found.add(at, func() (string, []int) {
		return fmt.Sprintf("What %s has stored @%d is not the fold of its events: %s.", k.name, st.Offset, k.explain(st)),
			proof
	})
}

// explain says which events a wrong value lacks or has too many of, and what that comes to.
func (k *key) explain(st ledger.State) string {
	if _, ok := k.log.At(st.Offset); !ok {
		return fmt.Sprintf("the log has no record of it at %d", st.Offset)
	}
	return k.log.Diff(st).String()
}
