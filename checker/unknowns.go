package checker

import (
	"cmp"
	"slices"

	"github.com/single-writer/chaos/history"
)

// Unknowns are the operations whose outcome the rig was not told, and what became known of them later. A read without an
// answer has no effect to learn of and is not counted.
type Unknowns struct {
	Operations int `json:"operations"`
	// Seen were later found to have taken effect; NeverSeen show nowhere in a run that came to its end; the others are
	// StillUnknown.
	Seen         int         `json:"seen"`
	NeverSeen    int         `json:"never_seen"`
	StillUnknown int         `json:"still_unknown"`
	Each         []Unsettled `json:"each,omitempty"`
}

// Unsettled is one operation whose outcome the rig was not told.
type Unsettled struct {
	Evidence
	// Settled is how: "seen by a read", "refused by its own write, seen by a read", "settled by the rig's serial read",
	// "read back", "found in the log", "never seen", "still unknown".
	Settled string `json:"settled"`
	// By is the line that settled it, 0 where none did.
	By int `json:"by,omitempty"`
}

const (
	neverSeen    = "never seen"
	stillUnknown = "still unknown"
)

func (r *Run) unknowns() Unknowns {
	var u Unknowns
	for _, k := range r.keys {
		settling := map[string]int{}
		for i := range k.settling {
			if row := k.settling[i].row; row != nil && row.Write != "" {
				settling[row.Write] = k.settling[i].to
			}
		}
		for _, w := range k.writes {
			if w.own && w.first != nil {
				u.add(r, w.operation, "refused by its own write, seen by a read", w.first.to)
			}
			if w.outcome != history.Info {
				continue
			}
			by, ok := settling[w.v.Write]
			switch {
			case w.first != nil:
				u.add(r, w.operation, "seen by a read", w.first.to)
			case ok:
				u.add(r, w.operation, "settled by the rig's serial read", by)
			case r.ended && len(k.settling) > 0:
				u.add(r, w.operation, neverSeen, -1)
			default:
				u.add(r, w.operation, stillUnknown, -1)
			}
		}
	}
	for _, p := range r.partitions {
		if c := r.commits[p]; c != nil {
			u.commits(r, c)
		}
	}
	u.produces(r)
	u.journals(r)
	slices.SortFunc(u.Each, func(a, b Unsettled) int { return cmp.Compare(a.Index, b.Index) })
	return u
}

func (u *Unknowns) add(r *Run, op operation, how string, by int) {
	u.Operations++
	switch how {
	case neverSeen:
		u.NeverSeen++
	case stillUnknown:
		u.StillUnknown++
	default:
		u.Seen++
	}
	s := Unsettled{Settled: how}
	if by >= 0 {
		s.By = r.events[by].Line()
	}
	at := op.call
	if op.answer < never {
		at = op.answer
	}
	s.Evidence = r.witness(at)[0]
	u.Each = append(u.Each, s)
}

// commits settles a commit in doubt by the group's own log, or by an offset read back that no other commit can explain.
func (u *Unknowns) commits(r *Run, c *commits) {
	asked := map[int64]int{}
	for _, x := range c.all {
		if x.commit {
			asked[x.offset]++
		}
	}
	read := map[int64]int{}
	for _, x := range c.all {
		if !x.commit && x.outcome == history.OK && x.process != "" {
			if _, ok := read[x.offset]; !ok {
				read[x.offset] = x.answer
			}
		}
	}
	for _, x := range c.all {
		if !x.commit || x.outcome != history.Info {
			continue
		}
		by, ok := read[x.offset]
		note, logged := c.settled[x.call]
		switch {
		case logged:
			u.add(r, x.operation, "found in the log", note)
		case ok && by > x.call && asked[x.offset] == 1:
			u.add(r, x.operation, "read back", by)
		case r.ended:
			u.add(r, x.operation, neverSeen, -1)
		default:
			u.add(r, x.operation, stillUnknown, -1)
		}
	}
}

// produces settles an append in doubt by the log itself.
func (u *Unknowns) produces(r *Run) {
	inLog := map[int64]int{}
	for i, e := range r.events {
		if v, ok := e.Value.(*history.InputRecord); ok && v != nil {
			inLog[v.Event.ID] = i
		}
	}
	for i, e := range r.events {
		v, ok := e.Value.(*history.Produced)
		if !ok || v == nil || e.Type != history.Invoke {
			continue
		}
		op := r.operationAt(i)
		if op.outcome != history.Info {
			continue
		}
		by, ok := inLog[v.Event.ID]
		switch {
		case ok:
			u.add(r, op, "found in the log", by)
		case r.input.read():
			u.add(r, op, neverSeen, -1)
		default:
			u.add(r, op, stillUnknown, -1)
		}
	}
}

// journals settles a journal's row in doubt by a read that found it; nobody reads that a removal, or a change of the list of
// keys, was done.
func (u *Unknowns) journals(r *Run) {
	for i, e := range r.events {
		if e.Type != history.Invoke {
			continue
		}
		op := r.operationAt(i)
		if op.outcome != history.Info {
			continue
		}
		switch v := e.Value.(type) {
		case *history.JournalWrite:
			by, ok := -1, false
			if v != nil {
				by, ok = r.inJournal[v.Write]
			}
			switch {
			case ok:
				u.add(r, op, "seen by a read", by)
			case r.ended:
				u.add(r, op, neverSeen, -1)
			default:
				u.add(r, op, stillUnknown, -1)
			}
		case *history.JournalRemoval, *history.KeyWrite:
			u.add(r, op, stillUnknown, -1)
		}
	}
}
