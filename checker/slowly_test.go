package checker

import (
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// What the properties say, asked anew of each pair of events: slowly, and from what was written of them alone.

// slowly asks the definitions of each pair of events, in the square of the history.
func slowly(h *history.History) (stale, incomplete, cut, leapt bool) {
	log := map[string]ledger.Log{}
	answer := map[int64]int{}
	for i, e := range h.Events {
		if v, ok := e.Value.(*history.InputRecord); ok {
			log[v.Event.Account] = append(log[v.Event.Account], ledger.Entry{Offset: v.Offset, Event: v.Event})
		}
		if e.Type != history.Note && e.Type != history.Invoke {
			answer[e.Op] = i
		}
	}
	began := map[string]int{}
	for c, e := range h.Events {
		if e.F == history.Recover && e.Type == history.Invoke {
			began[e.Process] = c
		}
		a, answered := answer[e.Op]
		if e.F != history.Read || e.Type != history.Invoke || !answered {
			continue
		}
		read := h.Events[a].Value.(*history.RowRead)
		older := func(than int64) bool {
			if read.Row != nil {
				return read.Row.Offset.N < than
			}
			for _, d := range h.Events[:a] {
				if v, ok := d.Value.(*history.Write); ok && d.F == history.Delete && v.Key == read.Key && v.Offset >= than {
					return false
				}
			}
			return true
		}
		for i, x := range h.Events[:c] {
			v, ok := x.Value.(*history.Write)
			if !ok || x.Type != history.OK || v.Key != read.Key || !older(v.Offset) {
				continue
			}
			stale = true
			incomplete = incomplete || read.Purpose == history.ForRecovery && i < began[e.Process]
		}
		lacks := func(below int64) bool {
			last, ok := lastBelow(log[read.Key], below)
			return ok && older(last.Offset) && (read.Row != nil && read.Row.State != nil || last.Event.Kind != ledger.Close)
		}
		leapt = leapt || lacks(certain(h, answer, c, a))
		if read.Purpose != history.ForRecovery {
			continue
		}
		recovery := h.Events[began[e.Process]].Value.(*history.Recovery)
		cut = cut || lacks(recovery.Start)
	}
	return stale, incomplete, cut, leapt
}

// overApplied asks of each pair of writes whether one was applied after another of a higher offset had been.
func overApplied(h *history.History) bool {
	called := map[int64]int{}
	for i, e := range h.Events {
		v, ok := e.Value.(*history.Write)
		switch {
		case !ok:
		case e.Type == history.Invoke:
			called[e.Op] = i
		case e.Type == history.OK:
			for _, x := range h.Events[:called[e.Op]] {
				if y, ok := x.Value.(*history.Write); ok && x.Type == history.OK && y.Key == v.Key && y.Offset > v.Offset {
					return true
				}
			}
		}
	}
	return false
}

// certain gives an offset that the committed one cannot be below between two events: that of the last commit accepted
// before them, if no other commit is under way or in doubt, and nothing else was seen of the offset at the same time.
func certain(h *history.History, answer map[int64]int, from, to int) (offset int64) {
	call, latest := -1, -1
	for i, e := range h.Events[:to] {
		if e.F != history.Commit || e.Type != history.Invoke {
			continue
		}
		switch a, ok := answer[e.Op]; {
		case !ok || a > from || h.Events[a].Type == history.Info:
			return 0
		case h.Events[a].Type == history.OK:
			call, latest, offset = i, a, e.Value.(*history.OffsetCommit).Offset
		}
	}
	for i, e := range h.Events[:max(latest, 0)] {
		if a, ok := answer[e.Op]; ok && e.Type == history.Invoke && i != call && a > call &&
			(e.F == history.Commit || e.F == history.Committed) {
			return 0
		}
	}
	return offset
}

// slowlyCommitted asks of each read what was committed before it: whether a life that had ended is back, and whether the
// offset went back.
func slowlyCommitted(h *history.History) (revived, fell bool) {
	offset := func(e history.Event) (int64, bool) {
		switch v := e.Value.(type) {
		case *history.OffsetCommit:
			return v.Offset, e.Type == history.OK
		case *history.CommittedOffset:
			return v.Offset.N, e.Type == history.OK
		}
		return 0, false
	}
	called := map[int64]int{}
	for i, e := range h.Events {
		if e.Type == history.Invoke {
			called[e.Op] = i
		}
		if e.Type != history.OK {
			continue
		}
		for _, x := range h.Events[:called[e.Op]] {
			before, ok := offset(x)
			if !ok {
				continue
			}
			if o, ok := offset(e); ok && o < before {
				fell = true
			}
			read, ok := e.Value.(*history.RowRead)
			if !ok || read.Row == nil || read.Row.State == nil {
				continue
			}
			for _, y := range h.Events {
				d, ok := y.Value.(*history.InputRecord)
				revived = revived || ok && d.Event.Account == read.Key && d.Event.Kind == ledger.Close &&
					read.Row.State.Offset <= d.Offset && d.Offset < before
			}
		}
	}
	return revived, fell
}

// fellInLog tells whether what the history has of the group's log goes back.
func fellInLog(h *history.History) bool {
	highest := int64(0)
	for _, e := range h.Events {
		if v, ok := e.Value.(*history.GroupLogEntry); ok && v.Commit != nil {
			if v.Commit.Offset.N < highest {
				return true
			}
			highest = v.Commit.Offset.N
		}
	}
	return false
}

// only gives the history of the operations and notes that a witness names, and of nothing else.
func only(h *history.History, witness []Evidence) *history.History {
	ops, notes := map[int64]bool{}, map[int]bool{}
	for _, e := range witness {
		ops[h.Events[e.Index].Op] = true
		notes[e.Index] = true
	}
	less := &history.History{Header: h.Header}
	for i, e := range h.Events {
		if e.Type != history.Note && ops[e.Op] || notes[i] {
			e.Index = len(less.Events)
			less.Events = append(less.Events, e)
		}
	}
	return less
}

// lastBelow gives the last record below an offset.
func lastBelow(l ledger.Log, offset int64) (ledger.Entry, bool) {
	part := l.UpTo(offset - 1)
	if len(part) == 0 {
		return ledger.Entry{}, false
	}
	return part[len(part)-1], true
}
