package checker

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/single-writer/chaos/history"
)

// checkLWWRegister holds every read against the timestamps of the writes; explained/lww-register.md is the definition, and says
// which keys are asked.
//
// A read must show a row whose cells are all of one timestamp, that of a write which was called before the read's answer and
// did not fail; not below the greatest acknowledged; and, of that timestamp, not hidden by an acknowledged delete or by an
// acknowledged greater cell. Nothing at all is lawful if nothing was acknowledged, or if a delete, acknowledged or in doubt, is
// not below it.
//
// Source: Cassandra's Cells.reconcile (a tombstone wins a tie, then the greater value).
func checkLWWRegister(r *Run) Result {
	if r.header.Arm != armLWW {
		return Result{Verdict: NotApplicable, Summary: "The arm does not let timestamps decide."}
	}
	var f finding
	reads, unjudged, out := 0, 0, 0
	for _, k := range r.keys {
		c, ok := clocksOf(r, k)
		if !ok {
			out++
			continue
		}
		for i := range k.shown {
			s := &k.shown[i]
			if s.source != sourceRead {
				continue
			}
			breach, judged := c.breach(s)
			if !judged {
				unjudged++
				continue
			}
			reads++
			if breach.why != "" {
				f.add(s.to, func() (string, []int) {
					return fmt.Sprintf("%s of %s %s, and %s: the store broke its own rule.", s.value(), k.name, s.how(),
							breach.why),
						append(s.proof(), breach.proof...)
				})
			}
		}
	}
	counts := map[string]int{"reads": reads, "unjudged": unjudged, "left-out": out}
	return f.result(r, counts,
		fmt.Sprintf("%s returned the greatest timestamp that it could.", each(reads, "read")),
		instead{unjudged > 0, Unknown, fmt.Sprintf(
			"What was there before the run is not known far enough to judge %s.", count(unjudged, "read"))},
		instead{reads == 0, Vacuous, "No key was read that only plain writes change."})
}

// clocks are the writes of a key that timestamps decide about.
type clocks struct {
	byID map[string]*write
	byTS map[int64][]*write
	// acked is the greatest that was acknowledged, deletes the greatest delete that was called.
	acked, deletes steps[*write]
	// start is the event that tells what was there before, -1 where none does.
	start int
}

// clocksOf gathers them; ok is false where timestamps alone do not decide.
func clocksOf(r *Run, k *key) (c *clocks, ok bool) {
	c = &clocks{byID: map[string]*write{}, byTS: map[int64][]*write{}, start: r.start}
	if k.unwatched() != "" {
		return nil, false
	}
	var all []*write
	if row := k.startRow; row != nil {
		if !row.WritetimeValue.Known || row.WritetimeOffset != row.WritetimeValue || row.State == nil {
			return nil, false
		}
		all = append(all, &write{operation: operation{call: -1, answer: r.start, outcome: history.OK}, f: history.Persist,
			v:  &history.Write{Offset: row.Offset.N, State: row.State, Write: row.Write},
			ts: row.WritetimeValue, applied: true})
	}
	for _, w := range k.writes {
		switch {
		case w.outcome == history.Fail:
		case !w.plain():
			return nil, false
		default:
			all = append(all, w)
		}
	}
	for _, w := range all {
		c.byID[w.v.Write] = w
		c.byTS[w.ts.N] = append(c.byTS[w.ts.N], w)
		if w.f == history.Delete {
			climb(&c.deletes, w.call, w)
		}
	}
	slices.SortStableFunc(all, func(a, b *write) int { return cmp.Compare(a.answer, b.answer) })
	for _, w := range all {
		if w.applied {
			climb(&c.acked, w.answer, w)
		}
	}
	return c, true
}

// climb makes a write the greatest by an event, if it is.
func climb(s *steps[*write], at int, w *write) {
	if top, ok := s.last(); !ok || overtakes(w, top) {
		s.add(at, w)
	}
}

// overtakes tells whether a write hides another as a whole: by its timestamp, or as a delete of the same.
func overtakes(w, before *write) bool {
	return w.ts.N > before.ts.N || w.ts.N == before.ts.N && w.f == history.Delete
}

// breach is what a read breaks, in words, and the events that show what it should have returned.
type breach struct {
	why   string
	proof []int
}

func hiddenBy(w *write, format string, args ...any) breach {
	return breach{fmt.Sprintf(format, args...), []int{author(w)}}
}

// breach judges one read.
func (c *clocks) breach(s *showing) (b breach, judged bool) {
	top, _ := c.acked.before(s.from)
	if s.row == nil {
		switch d, _ := c.deletes.before(s.to); {
		case top == nil, top.f == history.Delete, d != nil && d.ts.N >= top.ts.N:
			return breach{}, true
		case c.start < 0:
			return breach{}, false
		}
		return breach{fmt.Sprintf("%s's %s @%d, timestamp %d, had been acknowledged", top.process, top.f, top.v.Offset, top.ts.N),
			[]int{author(top), c.start}}, true
	}
	w := c.byID[s.row.Write]
	switch {
	case w == nil && c.start < 0:
		return breach{}, false
	case w == nil:
		return breach{"no plain write of the run, nor the row at the start, is what it shows", []int{c.start}}, true
	case w.call >= s.to:
		return hiddenBy(w, "that write was called only later"), true
	case w.f == history.Delete:
		return hiddenBy(w, "that write is a delete"), true
	case top != nil && top.ts.N > w.ts.N, top != nil && top.ts.N == w.ts.N && top.f == history.Delete:
		return hiddenBy(top, "%s's %s @%d with timestamp %d had been acknowledged, which is not below %d", top.process, top.f,
			top.v.Offset, top.ts.N, w.ts.N), true
	}
	return c.cells(s, w), true
}

// cells judges the offset and the value, which must be of that timestamp too.
func (c *clocks) cells(s *showing, w *write) breach {
	offset, value := false, false
	for _, x := range c.byTS[w.ts.N] {
		if x.call >= s.to || x.f == history.Delete {
			continue
		}
		offset = offset || x.v.Offset == s.row.Offset.N
		value = value || x.v.State != nil && s.row.State != nil && x.v.State.Equal(*s.row.State)
		if x.applied && x.answer < s.from && x.v.Offset > s.row.Offset.N {
			return hiddenBy(x, "%s's persist @%d of the same timestamp had been acknowledged, whose offset is greater",
				x.process, x.v.Offset)
		}
	}
	switch {
	case !offset:
		return hiddenBy(w, "no write of that timestamp has its offset, %d", s.row.Offset.N)
	case !value:
		return hiddenBy(w, "no write of that timestamp has its value")
	}
	return breach{}
}
