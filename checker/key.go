package checker

import (
	"cmp"
	"slices"
	"sort"

	"github.com/single-writer/chaos/history"
)

// key is everything that the history tells of one row.
type key struct {
	rowName
	*keyLog
	// writes are in the order of their calls.
	writes []*write
	byID   map[string]*write
	// shown are in the order of the events that prove them. What is read from settled on was settled by the rig's own
	// SERIAL read: it is kept apart, in settling, and tells nothing about the run.
	shown    []showing
	settling []showing
	settled  int
	startRow *history.Row
	// journal is what was asked of the key's journal, returned what recoveries made of it.
	journal  journal
	returned []showing

	effects  []effect
	acked    []effect
	register register
	// deletes and persists are the highest offsets of those that may have taken effect, by call.
	deletes, persists peak
	plain, guarded    peak
	// restarts are offsets from which an owner lawfully began anew: it found the key expired.
	restarts []int64
}

// write is one persist or delete.
type write struct {
	operation
	f history.F
	v *history.Write
	// ts is the client's timestamp of a plain write, unknown for a conditional one.
	ts history.Opt
	// applied: it was answered so. void: it definitely did nothing.
	applied, void bool
	// code and stored are the refusal's; statements are those that it took.
	code       string
	stored     history.Opt
	statements []history.StatementDone
	// own: the row refused it because it held it already.
	own bool
	// first is the first read that showed this write, effect the event by which it certainly had taken effect.
	first  *showing
	effect int
	// expires is when, by the rig's clock, what it wrote may be gone by its TTL; 0 for never.
	expires int64
}

// newWrite pairs a write with its answer. An ok answer of a compound none of whose statements was applied (a delete that
// found nothing left to delete) says that the write did nothing.
func newWrite(r *Run, call int, f history.F, v *history.Write) *write {
	w := &write{operation: r.operationAt(call), f: f, v: v, ts: v.Timestamp, effect: never}
	ans := answerOf[history.Write](r, call)
	if ans != nil {
		w.statements = ans.Statements
		if ans.Timestamp.Known {
			w.ts = ans.Timestamp
		}
	}
	switch w.outcome {
	case history.OK:
		w.own = ans != nil && ans.Settled == history.SettledOwn
		w.applied = ans == nil || w.own || len(ans.Statements) == 0 ||
			slices.ContainsFunc(ans.Statements, func(s history.StatementDone) bool { return s.Result == history.ResultApplied })
		w.void = !w.applied
		if w.applied {
			w.effect = w.answer
		}
	case history.Fail:
		w.void = true
	}
	if ans != nil && w.outcome != history.OK {
		w.code, w.stored = ans.Code, ans.Stored
	}
	return w
}

// plain tells whether the greater timestamp decides, instead of a condition.
func (w *write) plain() bool { return w.ts.Known }

// effect is the proof that a write of an offset had taken effect when the event at was recorded.
type effect struct {
	at     int
	offset int64
	// write is nil for what was there before the run, or was written by nobody that the history knows.
	write *write
	// entry is a commit's in the group's log, where it is known by that.
	entry *accepted
	// highest is the place, among the effects up to this one, of that with the highest offset.
	highest int
}

func newKey(name rowName, log *keyLog) *key {
	return &key{rowName: name, keyLog: log, byID: map[string]*write{}, settled: never}
}

func (k *key) write(w *write) {
	k.writes = append(k.writes, w)
	if w.v.Write != "" {
		k.byID[w.v.Write] = w
	}
	if w.stored.Known && w.answer < k.settled {
		k.shown = append(k.shown, showing{
			from: w.call, to: w.answer, shape: numbered, offset: w.stored.N, source: sourceRefusal,
		})
	}
}

// show takes in what a read returned, unless the rig had begun to settle the key.
func (k *key) show(s showing) {
	if s.to < k.settled {
		k.shown = append(k.shown, s)
	}
}

// writeOf finds the write that a row shows.
func (k *key) writeOf(row *history.Row) *write {
	if row == nil || row.Write == "" {
		return nil
	}
	return k.byID[row.Write]
}

// order works out, once everything is read, what took effect by when.
func (k *key) order(r *Run) {
	for i := range k.shown {
		s := &k.shown[i]
		if s.write = k.writeOf(s.row); s.write != nil {
			k.saw(r, s)
		}
	}
	k.readEffects()
	for _, w := range k.writes {
		if w.void {
			continue
		}
		switch w.f {
		case history.Delete:
			k.deletes.add(w.call, w.v.Offset)
		default:
			k.persists.add(w.call, w.v.Offset)
		}
		if w.plain() {
			k.plain.add(w.call, w.v.Offset)
		} else {
			k.guarded.add(w.call, w.v.Offset)
		}
	}
	k.register.build(k)
	k.showOrder()
	slices.SortStableFunc(k.shown, func(a, b showing) int { return cmp.Compare(a.to, b.to) })
}

// saw notes that a read showed a write: then it took effect before that read's answer, whatever its own answer was.
func (k *key) saw(r *Run, s *showing) {
	w := s.write
	w.void = false
	w.effect = min(w.effect, s.to)
	if w.first == nil || s.to < w.first.to {
		first := *s
		w.first = &first
	}
	if s.row != nil && s.row.TTL.Known {
		expires := r.events[s.from].Time + s.row.TTL.N*1e9
		if w.expires == 0 || expires < w.expires {
			w.expires = expires
		}
	}
}

func (k *key) readEffects() {
	for _, w := range k.writes {
		if w.effect < never {
			k.effects = append(k.effects, effect{at: w.effect, offset: w.v.Offset, write: w})
		}
		if w.applied {
			k.acked = append(k.acked, effect{at: w.answer, offset: w.v.Offset, write: w})
		}
	}
	for i := range k.shown {
		s := &k.shown[i]
		if s.shape != gone {
			k.effects = append(k.effects, effect{at: s.to, offset: s.offset, write: s.write})
		}
		// A torn row proves that a write of its offset cell took effect too, though its value is another's.
		if s.row != nil && s.row.Offset.Known && s.row.Offset.N != s.offset {
			k.effects = append(k.effects, effect{at: s.to, offset: s.row.Offset.N})
		}
	}
	rank(k.effects)
	rank(k.acked)
}

// rank sorts effects by time and finds the highest up to each.
func rank(effects []effect) {
	slices.SortStableFunc(effects, func(a, b effect) int { return cmp.Compare(a.at, b.at) })
	for i := range effects {
		effects[i].highest = i
		if i > 0 && effects[effects[i-1].highest].offset >= effects[i].offset {
			effects[i].highest = effects[i-1].highest
		}
	}
}

// mark is the highest offset of a persist or delete that took effect before the event i. An expiry of the write that set
// it resets it: then nothing is claimed.
func (k *key) mark(i int, now int64) (effect, bool) { return highestBefore(k.effects, i, now) }

// ackedMark is the same of the writes that were answered applied.
func (k *key) ackedMark(i int, now int64) (effect, bool) { return highestBefore(k.acked, i, now) }

func highestBefore(effects []effect, i int, now int64) (effect, bool) {
	n := sort.Search(len(effects), func(j int) bool { return effects[j].at >= i })
	if n == 0 {
		return effect{}, false
	}
	e := effects[effects[n-1].highest]
	if e.write != nil && e.write.expires > 0 && e.write.expires <= now {
		return effect{}, false
	}
	return e, true
}

// expired tells whether the mark before the event i was reset by expiry at a time of the run's clock.
func (k *key) expired(i int, now int64) bool {
	_, was := k.mark(i, 0)
	_, is := k.mark(i, now)
	return was && !is
}

// peak answers "what is the highest offset of those called before".
type peak struct {
	calls   []int
	offsets []int64
}

// add takes calls in rising order.
func (p *peak) add(call int, offset int64) {
	if n := len(p.offsets); n > 0 {
		offset = max(offset, p.offsets[n-1])
	}
	p.calls, p.offsets = append(p.calls, call), append(p.offsets, offset)
}

// before gives the highest offset of those called before the event i.
func (p *peak) before(i int) (int64, bool) {
	n := sort.SearchInts(p.calls, i)
	if n == 0 {
		return 0, false
	}
	return p.offsets[n-1], true
}

func (p *peak) any(i int) bool { return len(p.calls) > 0 && p.calls[0] < i }

// count gives how many were called before the event i.
func (p *peak) count(i int) int { return sort.SearchInts(p.calls, i) }
