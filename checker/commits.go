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
// may be the current one, which are
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
	// commits and offsets read back, that of the ground truth at the start with them.
	observed []effect
}

// committing is one commit, or one offset read back.
type committing struct {
	operation
	offset     int64
	generation int32
	commit     bool
}

// floor is a bound of the committed offset that holds from one event on until the next floor.
type floor struct {
	from   int
	offset int64
	// proof is the event that shows it: the answer of the commit.
	proof int
	known bool
}

func (c *commits) add(x committing) {
	if x.outcome != history.Fail {
		c.all = append(c.all, x)
	}
}

// order sweeps over the calls and answers. all is in the order of the calls already, but for the truth at the start.
func (c *commits) order() {
	slices.SortStableFunc(c.all, func(a, b committing) int { return cmp.Compare(a.call, b.call) })
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
	c.observe()
}

func (c *commits) observe() {
	c.observed = make([]effect, 0, len(c.all))
	for _, x := range c.all {
		if x.outcome == history.OK {
			c.observed = append(c.observed, effect{at: x.answer, offset: x.offset})
		}
	}
	rank(c.observed)
}

// ranked gives what was observed, nothing for a partition that the history knows no commits of.
func (c *commits) ranked() []effect {
	if c == nil {
		return nil
	}
	return c.observed
}

func (c *commits) note(at int, current, open []*committing, doubt map[int32]int64) {
	f := floor{from: at, proof: -1}
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
	n := sort.Search(len(c.floors), func(j int) bool { return c.floors[j].from > i })
	if n == 0 {
		return floor{}
	}
	return c.floors[n-1]
}

// floorOver gives the floor of a whole showing, which is of some moment of it that nobody knows.
func (c *commits) floorOver(s *showing) floor {
	f := c.floorAt(s.since() - 1)
	if !f.known || s.from == s.to {
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
