package checker

import (
	"fmt"
	"slices"
	"sort"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// checkNoLeap holds what is stored against the committed offset; explained/no-leap.md is the definition.
//
// The committed offset is bounded from below (commits). What is stored is known
//
//   - from every showing: if the row then was short of the offset that was committed by then, that is a failure, and it
//     does not matter which came first, the commit or the row going back;
//   - when the committed offset rises, from what took effect by then. If no write that was called by then and could have
//     taken effect covers the key's last record, and the ground truth at the start does not either, nothing can be stored.
//
// Where neither says anything (a covering write in doubt that no read had shown, an input known only in part, no ground
// truth at the start) the instant is not judged, and a run without failures is unknown: no evidence of what is stored is
// not evidence of nothing.
//
// Source: kafka-flow issue 732 (the pair of an old state and a new offset); INV_CommittedNeverAhead of its models.
func checkNoLeap(r *Run) Result {
	c := leaps{run: r, found: &finding{}}
	for _, k := range r.keys {
		for i := range k.shown {
			c.shown(k, &k.shown[i])
		}
	}
	for _, p := range r.partitions {
		if commits := r.commits[p]; commits != nil {
			c.rises(p, commits)
		}
	}
	counts := map[string]int{"judged": c.judged, "unjudged": c.unjudged}
	out := c.found.result(r, counts, "Whenever the committed offset passed a record, what it made was stored.",
		instead{c.unjudged > 0, Unknown, fmt.Sprintf(
			"The history does not tell what was stored at %s%s.", count(c.unjudged, "commit"), c.first)},
		instead{c.judged == 0, Vacuous, "No offset beyond a record was committed."})
	if out.Verdict == Unknown {
		out.Witness = r.witness(c.where...)
	}
	return out
}

// leaps is the check under way.
type leaps struct {
	run              *Run
	found            *finding
	judged, unjudged int
	// first says of what key the first instant is that was not judged, where by which events.
	first string
	where []int
}

// shown judges one showing against the offset committed by then.
func (c *leaps) shown(k *key, s *showing) {
	f := c.run.commits[k.partition].floorOver(s)
	if !f.known {
		return
	}
	place, cover := c.run.covering(k, s, f.offset)
	if cover != lacks || k.journaled(s.to, k.log[place].Offset) != lacks {
		return
	}
	c.found.add(s.to, func() (string, []int) {
		last := k.log[place]
		return fmt.Sprintf("Committed is %d, but %s of %s %s: %s.", f.offset, s.value(), k.name, s.how(),
			k.lost(k.shownOffset(s), last.Offset)), append(s.proof(), f.proof, f.note, k.at[place])
	})
}

// rises judges, each time the committed offset rises, the keys whose records it passed. The others were judged before.
func (c *leaps) rises(p int32, commits *commits) {
	log := c.run.input.partitions[p]
	var passed int64
	for _, f := range commits.floors {
		if !f.known || f.offset <= passed {
			continue
		}
		if log == nil && !c.run.input.whole || log != nil && !log.whole && log.known < f.offset {
			c.unjudged++
		}
		seen := map[string]bool{}
		records := log.between(passed, f.offset)
		for i := len(records) - 1; i >= 0; i-- {
			if name := records[i].Event.Account; !seen[name] {
				seen[name] = true
				c.rise(c.run.key(p, name), f)
			}
		}
		passed = f.offset
	}
}

// rise judges one key when the committed offset came to f.
func (c *leaps) rise(k *key, f floor) {
	place, ok := k.below(f.offset)
	if !ok {
		return
	}
	switch k.orJournaled(c.stored(k, place, f), f.from+1, k.log[place].Offset) {
	case covers:
		c.judged++
	case undecided:
		c.unjudged++
		if c.where == nil {
			c.first = fmt.Sprintf(": of record %d of %s when %d was committed", k.log[place].Offset, k.name, f.offset)
			c.where = []int{k.at[place], f.proof, f.note}
		}
	default:
		c.judged++
		c.found.add(f.from, func() (string, []int) {
			last := k.log[place]
			said := "nothing that holds it was ever written"
			if mark, ok := k.mark(f.from+1, 0); ok {
				said = fmt.Sprintf("%s is stored up to @%d: %s", k.name, mark.offset, k.lost(mark.offset, last.Offset))
			}
			return fmt.Sprintf("Committed is %d, beyond record %d of %s, but %s.", f.offset, last.Offset, k.name, said),
				[]int{f.proof, f.note, k.at[place], c.run.start}
		})
	}
}

// stored tells whether the record at the place was covered right after the event f.from.
func (c *leaps) stored(k *key, place int, f floor) coverage {
	last, now := k.log[place], f.from+1
	if top := k.newest.at(f.from); top != nil {
		s := showing{from: f.from, to: f.from, shape: live, offset: top.v.Offset, write: top, source: sourceClock}
		if top.f == history.Delete {
			s.shape = tombstone
		}
		_, cover := c.run.covering(k, &s, f.offset)
		return cover
	}
	mark, marked := k.mark(now, c.run.events[f.from].Time)
	closed := last.Event.Kind == ledger.Close
	switch {
	case marked && mark.offset >= last.Offset, k.expired(now, c.run.events[f.from].Time):
		return covers
	case closed && (c.absent(k, f.from) || k.endedBy(mark.write, f.from)):
		return covers
	case reaches(&k.persists, now, last.Offset), reaches(&k.deletes, now, last.Offset):
		return undecided
	case c.run.start < 0, !k.knownBelow(f.offset):
		return undecided
	case !closed:
		return lacks
	case k.deletes.any(now), !marked:
		return undecided
	case mark.write != nil && mark.write.f == history.Persist, k.startRow != nil && k.startRow.State != nil:
		// It was stored alive below its close, and nobody has asked to delete it.
		return lacks
	}
	return undecided
}

func reaches(p *peak, i int, offset int64) bool {
	highest, ok := p.before(i)
	return ok && highest >= offset
}

// endedBy tells whether a write is an acknowledged delete after which nobody can have stored the key anew by the event i.
func (k *key) endedBy(w *write, i int) bool {
	if w == nil || w.f != history.Delete || !w.applied {
		return false
	}
	return !slices.ContainsFunc(k.writes, func(x *write) bool {
		return x.f == history.Persist && !x.void && x.call <= i && x.answer > w.call
	})
}

// absent tells whether the key is certainly not there as a live value right after the event i: it was not when last
// seen, and nobody has asked to persist it since.
func (c *leaps) absent(k *key, i int) bool {
	n := sort.Search(len(k.shown), func(j int) bool { return k.shown[j].to > i })
	for j := n - 1; j >= 0; j-- {
		s := &k.shown[j]
		if s.shape == numbered || s.broken {
			continue
		}
		return s.shape != live && k.persists.count(s.from) == k.persists.count(i+1)
	}
	return c.run.start >= 0 && k.startRow == nil && !k.persists.any(i+1)
}
