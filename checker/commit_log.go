package checker

import (
	"slices"
	"sort"

	"github.com/single-writer/chaos/history"
)

// accepted is one commit in the group's log. When it took effect is known from the operations: after the call of one that
// it can be, and before the answer of one that it must be, or of a later entry's.
type accepted struct {
	note   int
	offset int64
	signature
	// call is that of an operation which can have been this one, -1 where nobody in the run asked for it.
	call int
	// It took effect after the event `after`, and before the event `before`, as the entry `by` did, this one or a later.
	after, before, by int
}

// signature is by what operations and entries of the log know each other. Those of one signature are interchangeable: the
// n-th entry was not there before the n-th call, and was there at the n-th answer.
type signature struct {
	member     string
	generation int32
	offset     int64
}

// bySignature is the calls, answers and entries of one signature, each in its own order. settled is how many of the
// entries are those of commits in doubt.
type bySignature struct {
	calls, answers, entries []int
	settled                 int
}

// place finds between which events each entry of the partition's log took effect; which acknowledged commits the log
// lacks, and which commits in doubt it has.
func (c *commits) place(l *groupLog) {
	c.whole = l.end >= 0
	all := c.signatures()
	for i := range c.log {
		e := &c.log[i]
		of := all[e.signature]
		n := len(of.entries)
		of.entries = append(of.entries, e.note)
		e.call, e.after, e.before = -1, -1, e.note
		if n < len(of.calls) {
			e.call, e.after = of.calls[n], of.calls[n]
		}
		if n < len(of.answers) {
			e.before = min(e.before, of.answers[n])
		}
	}
	c.settle(l, all)
	for i := range c.all {
		if x := &c.all[i]; x.atStart() && (c.whole || len(c.log) > 0) {
			c.log = slices.Insert(c.log, 0, accepted{note: x.call, offset: x.offset, call: -1, after: -1, before: x.call})
			break
		}
	}
	for i := range c.log {
		c.log[i].by = i
	}
	c.narrow()
	if c.whole {
		c.readBack(l)
		c.narrow()
	}
}

func (c *commits) signatures() map[signature]*bySignature {
	all := map[signature]*bySignature{}
	of := func(s signature) *bySignature {
		if all[s] == nil {
			all[s] = &bySignature{}
		}
		return all[s]
	}
	for _, x := range c.all {
		if !x.commit {
			continue
		}
		s := of(x.signature())
		s.calls = append(s.calls, x.call)
		if x.outcome == history.OK {
			s.answers = append(s.answers, x.answer)
		}
	}
	for _, e := range c.log {
		of(e.signature)
	}
	for _, s := range all {
		slices.Sort(s.answers)
	}
	return all
}

// settle compares the log with what the workers were told.
func (c *commits) settle(l *groupLog, all map[signature]*bySignature) {
	c.inDoubt, c.settled = never, map[int]int{}
	for _, x := range c.all {
		if !x.commit {
			continue
		}
		of := all[x.signature()]
		switch {
		case x.outcome != history.OK && len(of.entries) > len(of.answers)+of.settled:
			// Those that were answered must be in the log: the surplus is of those that were not.
			c.settled[x.call] = of.entries[len(of.answers)+of.settled]
			of.settled++
		case x.outcome != history.OK && int64(x.generation) >= l.generation:
			c.inDoubt = min(c.inDoubt, x.offset)
		case x.outcome != history.OK: // refused by now, whenever it comes
		case x.answer > l.first:
			c.whole = false // the log may have been read before it
		case c.whole && len(of.entries) < len(of.answers) && x.answer >= of.answers[len(of.entries)]:
			c.lost = append(c.lost, x)
		}
	}
	c.whole = c.whole && len(c.lost) == 0
}

// narrow uses that entries took effect in the order of the log. Where the answers contradict it, it is not relied on.
func (c *commits) narrow() {
	for i := 1; i < len(c.log); i++ {
		c.log[i].after = max(c.log[i].after, c.log[i-1].after)
	}
	for i := len(c.log) - 2; i >= 0; i-- {
		if next := c.log[i+1]; next.before < c.log[i].before {
			c.log[i].before, c.log[i].by = next.before, next.by
		}
	}
	for _, e := range c.log {
		c.contradicted = c.contradicted || e.after >= e.before
	}
	c.whole = c.whole && !c.contradicted
}

// certain gives the last entry that had taken effect right after the event i, possible the last one that can have; -1 for
// none.
func (c *commits) certain(i int) int {
	return sort.Search(len(c.log), func(j int) bool { return c.log[j].before > i }) - 1
}

func (c *commits) possible(i int) int {
	return sort.Search(len(c.log), func(j int) bool { return c.log[j].after > i }) - 1
}

// readBack narrows by the offsets that were read back before the log was. At some time of the read the last entry was one
// with that offset: so the first such entry had taken effect when it was answered, and what follows the last such one had
// not when it was called.
func (c *commits) readBack(l *groupLog) {
	log := slices.Clone(c.log)
	for _, x := range c.all {
		if x.commit || x.atStart() || x.outcome != history.OK || x.answer > l.first {
			continue
		}
		from, to := c.certain(x.call), c.possible(x.answer)
		first, last := -1, -1
		for i := max(from, 0); i <= to; i++ {
			if c.log[i].offset == x.offset {
				last = i
				if first < 0 {
					first = i
				}
			}
		}
		if last < 0 && from >= 0 {
			c.contradicted = true
			return
		}
		if from >= 0 && x.answer < log[first].before {
			log[first].before, log[first].by = x.answer, first
		}
		if last+1 < len(log) {
			log[last+1].after = max(log[last+1].after, x.call)
		}
	}
	c.log = log
}

// floorsByLog finds the floors from the log: at each event the last entry is one of those from the last that is certain to
// the last that is possible. Once the log was read, a commit in doubt that is not in it may still come.
func (c *commits) floorsByLog(l *groupLog) {
	moments := []int{l.first}
	for _, e := range c.log {
		moments = append(moments, max(e.after, 0), e.before)
	}
	slices.Sort(moments)
	var least []int // entries that may be the last one: each with an offset below those after it
	first, next := -1, 0
	for _, at := range slices.Compact(moments) {
		for ; next < len(c.log) && c.log[next].after <= at; next++ {
			for len(least) > 0 && c.log[least[len(least)-1]].offset >= c.log[next].offset {
				least = least[:len(least)-1]
			}
			least = append(least, next)
		}
		for first+1 < len(c.log) && c.log[first+1].before <= at {
			first++
		}
		for len(least) > 0 && least[0] < first {
			least = least[1:]
		}
		f := floor{from: at, proof: -1, note: -1}
		if first >= 0 {
			e := c.log[first]
			f.offset, f.known, f.proof = c.log[least[0]].offset, true, e.before
			if e.by != first {
				f.note = e.note // an answer of its own would tell by itself
			}
		}
		if at >= l.first {
			f.offset = min(f.offset, c.inDoubt)
		}
		c.floors = append(c.floors, f)
	}
}

// proof gives the events that show an effect: of an entry of the log, with the one that it is known by and their calls.
func (c *commits) proof(e effect) []int {
	if e.entry == nil {
		return []int{e.at}
	}
	by := c.log[e.entry.by]
	return []int{e.at, e.entry.note, e.entry.call, by.note, by.call}
}
