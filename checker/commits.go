package checker

import (
	"cmp"
	"slices"
	"sort"

	"github.com/single-writer/chaos/history"
)

// commits is what the history tells of one partition's committed offset.
//
// At each event it gives a floor: an offset that the committed one was certainly not below. It is the least of those that
// may be the current one. Where the history has the group's own log, whole and in keeping with the answers, those are the
// entries that can have been the last one by then (commit_log.go). Else they are
//
//   - the accepted commits (and offsets read back) that no later accepted one has followed: one follows another if it was
//     called after the other was answered;
//   - the commits under way or in doubt, which may take effect at any time. The broker refuses a generation once it has
//     accepted a newer one, so that an older in-doubt commit is out of the way from then on.
//
// So a commit that lawfully goes back, or a late one in doubt, lowers the floor instead of raising an alarm.
type commits struct {
	all    []committing
	floors []floor
	// observed are the offsets that were certainly committed at some time, ranked by the answers that tell of them: accepted
	// commits and offsets read back, that of the ground truth at the start with them, and what the group's log has.
	observed highest

	// log are the partition's commits in the group's log, in its order, after what was committed at the start.
	log []accepted
	// whole: the log is all there, and can be relied on. contradicted: it cannot, as an answer says otherwise.
	whole, contradicted bool
	// lost were acknowledged, and the log lacks them. settled are those in doubt that the log has: its note, by the call.
	lost    []committing
	settled map[int]int
	// inDoubt is the least offset of a commit that may still come after the log was read.
	inDoubt int64
}

// committing is one commit, or one offset read back.
type committing struct {
	operation
	offset     int64
	member     string
	generation int32
	commit     bool
}

func (x *committing) signature() signature { return signature{x.member, x.generation, x.offset} }

// atStart tells whether it is no operation but the ground truth at the start.
func (x *committing) atStart() bool { return x.call == x.answer }

// floor is a bound of the committed offset that holds from one event on until the next floor.
type floor struct {
	from   int
	offset int64
	// proof is the event that shows it: the answer of the commit, or its entry in the group's log. note is that entry where
	// it was a later one's answer that showed it, else -1.
	proof, note int
	known       bool
}

func (c *commits) add(x committing) {
	if x.outcome != history.Fail {
		c.all = append(c.all, x)
	}
}

// order finds the floors, and what was observed. all is in the order of the calls already, but for the truth at the start.
func (c *commits) order(l *groupLog) {
	slices.SortStableFunc(c.all, func(a, b committing) int { return cmp.Compare(a.call, b.call) })
	c.place(l)
	if c.whole {
		c.floorsByLog(l)
	} else {
		c.floorsByAnswers()
	}
	c.observe()
}

// floorsByAnswers sweeps over the calls and answers.
func (c *commits) floorsByAnswers() {
	type moment struct {
		at     int
		x      *committing
		answer bool
	}
	var moments []moment
	for i := range c.all {
		x := &c.all[i]
		moments = append(moments, moment{x.call, x, false})
		if x.outcome == history.OK {
			moments = append(moments, moment{x.answer, x, true})
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return cmp.Compare(a.at, b.at) })

	var current, open []*committing
	doubt := map[int32]int64{} // the least offset in doubt, by generation
	for _, m := range moments {
		switch {
		case m.answer:
			open = slices.DeleteFunc(open, func(y *committing) bool { return y == m.x })
			current = slices.DeleteFunc(current, func(y *committing) bool { return y.answer < m.x.call })
			current = append(current, m.x)
			if m.x.commit {
				for g := range doubt {
					if g < m.x.generation {
						delete(doubt, g)
					}
				}
			}
		case !m.x.commit: // a read changes nothing before its answer
		case m.x.outcome == history.OK:
			open = append(open, m.x)
		default:
			if least, ok := doubt[m.x.generation]; !ok || m.x.offset < least {
				doubt[m.x.generation] = m.x.offset
			}
		}
		c.note(m.at, current, open, doubt)
	}
}

func (c *commits) observe() {
	observed := make([]effect, 0, len(c.all)+len(c.log))
	for _, x := range c.all {
		if x.outcome == history.OK {
			observed = append(observed, effect{at: x.answer, offset: x.offset})
		}
	}
	for i := range c.log {
		observed = append(observed, effect{at: c.log[i].before, offset: c.log[i].offset, entry: &c.log[i]})
	}
	c.observed = rank(observed)
}

// ranked gives what was observed, nothing for a partition that the history knows no commits of.
func (c *commits) ranked() highest {
	if c == nil {
		return highest{}
	}
	return c.observed
}

func (c *commits) note(at int, current, open []*committing, doubt map[int32]int64) {
	f := floor{from: at, proof: -1, note: -1}
	for _, x := range current {
		if !f.known || x.offset < f.offset {
			f.offset, f.proof, f.known = x.offset, x.answer, true
		}
	}
	if f.known {
		for _, x := range open {
			f.offset = min(f.offset, x.offset)
		}
		for _, offset := range doubt {
			f.offset = min(f.offset, offset)
		}
	}
	if n := len(c.floors); n > 0 && c.floors[n-1].from == at {
		c.floors[n-1] = f
		return
	}
	c.floors = append(c.floors, f)
}

// floorAt gives the floor right after the event i.
func (c *commits) floorAt(i int) floor {
	if c == nil {
		return floor{}
	}
	n := c.floorAfter(i)
	if n == 0 {
		return floor{}
	}
	return c.floors[n-1]
}

func (c *commits) floorAfter(i int) int {
	return sort.Search(len(c.floors), func(j int) bool { return c.floors[j].from > i })
}

// floorOver gives the floor of a whole showing, which is of some moment of it that nobody knows.
func (c *commits) floorOver(s *showing) floor {
	f := c.floorAt(s.since() - 1)
	if !f.known || s.from == s.to {
		return f
	}
	if c.whole {
		for n := c.floorAfter(s.since() - 1); n < len(c.floors) && c.floors[n].from <= s.to; n++ {
			f.offset = min(f.offset, c.floors[n].offset)
		}
		return f
	}
	first := sort.Search(len(c.all), func(j int) bool { return c.all[j].call > s.from })
	for _, x := range c.all[first:] {
		if x.call > s.to {
			break
		}
		if x.commit {
			f.offset = min(f.offset, x.offset)
		}
	}
	return f
}
