package checker

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
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
	// reaped are the removals of its row by the rig.
	reaped []reaping

	// effects are in order; reached is the highest of them, acked of those that were answered applied, at any time.
	effects        []effect
	reached, acked highest
	newest         newest
	// deletes and persists are the highest offsets of those that may have taken effect, by call.
	deletes, persists peak
	plain, guarded    peak
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
	// write is nil for what was there before the run, or was written by nobody that the history knows: then from is the call of
	// whoever saw it, and expires when it may be gone.
	write   *write
	from    int
	expires int64
	// entry is a commit's in the group's log, where it is known by that.
	entry *accepted
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
	k.newest.build(k)
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

// reaping is the removal of a row by the rig, between two events: of the row that it had found, and of no later one.
type reaping struct {
	from, to int
	offset   int64
}

// reap takes in the removal that began and ended with two events, of which the first was at a time. What it removed is what it
// had read first: a write that was called before that read was answered may be gone with it.
func (k *key) reap(from, to int, at int64) {
	for i := range k.shown {
		if s := &k.shown[i]; s.from > from && s.to < to && s.purpose == history.ForProbe && s.row != nil {
			k.reaped = append(k.reaped, reaping{from, to, s.row.Offset.N})
			k.expire(s.to, at)
			return
		}
	}
}

// expire notes that what was written before an event may be gone from a time on.
func (k *key) expire(before int, at int64) {
	for _, w := range k.writes {
		if w.call < before && (w.expires == 0 || at < w.expires) {
			w.expires = at
		}
	}
	for i := range k.effects {
		if e := &k.effects[i]; e.write == nil && e.from < before && (e.expires == 0 || at < e.expires) {
			e.expires = at
		}
	}
}

func (k *key) readEffects() {
	var acked []effect
	for _, w := range k.writes {
		if w.effect < never {
			k.effects = append(k.effects, effect{at: w.effect, offset: w.v.Offset, write: w})
		}
		if w.applied {
			acked = append(acked, effect{at: w.answer, offset: w.v.Offset, write: w})
		}
	}
	for i := range k.shown {
		s := &k.shown[i]
		if s.shape != gone {
			k.effects = append(k.effects, effect{at: s.to, offset: s.offset, write: s.write, from: s.from})
		}
		// A torn row proves that a write of its offset cell took effect too, though its value is another's.
		if s.row != nil && s.row.Offset.Known && s.row.Offset.N != s.offset {
			k.effects = append(k.effects, effect{at: s.to, offset: s.row.Offset.N, from: s.from})
		}
	}
	k.reached, k.acked = rank(k.effects), rank(acked)
}

// mark is the highest offset of a persist or delete that took effect before the event i. An expiry of the write that set
// it resets it: then nothing is claimed.
func (k *key) mark(i int, now int64) (effect, bool) { return highestBefore(k.reached, i, now) }

// ackedMark is the same of the writes that were answered applied.
func (k *key) ackedMark(i int, now int64) (effect, bool) { return highestBefore(k.acked, i, now) }

// expired tells whether the mark before the event i was reset by expiry at a time of the run's clock.
func (k *key) expired(i int, now int64) bool {
	_, was := k.mark(i, 0)
	_, is := k.mark(i, now)
	return was && !is
}

// reads gives what was read of the key: its row, and what recoveries made of its journal.
func (k *key) reads() []*showing {
	var out []*showing
	for _, shown := range [][]showing{k.shown, k.returned} {
		for i := range shown {
			if s := &shown[i]; s.source == sourceRead && !s.broken {
				out = append(out, s)
			}
		}
	}
	return out
}

// unwatched says why nothing can be claimed of what a key's row holds: something else than the writes of the history
// changes it. It is empty where that is not so.
func (k *key) unwatched() string {
	rows := []*history.Row{k.startRow}
	for i := range k.shown {
		rows = append(rows, k.shown[i].row)
	}
	for _, row := range rows {
		switch {
		case row == nil:
		case row.TTL.Known:
			return "expires"
		case !row.Offset.Known:
			return "has lost its offset cell"
		}
	}
	for _, w := range k.writes {
		if slices.ContainsFunc(w.statements, func(s history.StatementDone) bool { return s.Result == history.ResultNull }) {
			return "has lost its offset cell"
		}
	}
	return ""
}

// lost says which records of a key a value that ends at one offset is short of, up to another.
func (k *key) lost(after, upTo int64) string {
	l := k.between(after, upTo)
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].Event.Kind == ledger.Close {
			if newer := l[i+1:]; len(newer) > 0 {
				return fmt.Sprintf("%s missing from it, of the life after the close at %d", worth(newer), l[i].Offset)
			}
			return fmt.Sprintf("the close at %d is undone", l[i].Offset)
		}
	}
	if len(l) == 0 {
		return fmt.Sprintf("offsets %d to %d are missing from it", after+1, upTo)
	}
	return worth(l) + " missing from it"
}

// author gives the event that tells most about who wrote what was shown: the write's answer, or its call; -1 where the
// history does not know.
func author(w *write) int {
	switch {
	case w == nil:
		return -1
	case w.answer < never:
		return w.answer
	}
	return w.call
}

// who names the write that set a mark.
func (e effect) who() string {
	if e.write == nil {
		return "as was read"
	}
	return "by " + e.write.process
}

// event is the one that shows a mark: the write's own answer where there is one.
func (e effect) event() int {
	if e.write != nil && e.write.applied && e.write.answer <= e.at {
		return e.write.answer
	}
	return e.at
}
