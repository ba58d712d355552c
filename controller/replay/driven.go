package replay

import (
	"math"
	"slices"
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// What polls return, and what is due when, is not up to whoever keeps workers at their points: a poll returns as many records as
// there are, and a clock that is read a moment later makes another flush due. A worker of a driven run has a client that returns
// what it returned, and flushes and commits when it did.

// Due tells whether a flush or a commit of a worker is due: when it is its turn to begin with it. Once the order is over, what is
// there is flushed and committed after every poll.
func (o *order) Due(process string, partition int32, what history.F) bool {
	if o.over {
		return true
	}
	i := o.next(process)
	task := o.next(process + "/" + workload.TaskFlush)
	if what == history.Persist && task >= 0 && o.wanted[task].partition == partition && o.beforePoll(process, task) {
		return true // It waits for its turn by itself, and until the next poll that returns something nothing is folded.
	}
	if i < 0 || !o.ready(i) || o.wanted[i].polled {
		return false
	}
	w := o.wanted[i]
	if w.point == history.PointTeardown {
		return what == history.Persist // By the error of the flush before, of which the next one is told.
	}
	return (w.point == history.PointBeforeCommit) == (what == history.Commit) && (w.point == "" || w.partition == partition)
}

// beforePoll tells whether something was done before a poll of the process returned something again.
func (o *order) beforePoll(process string, i int) bool {
	for _, next := range o.queue[process] {
		if o.wanted[next].polled {
			return i < next || o.wanted[i].at < o.wanted[next].at
		}
	}
	return true
}

// Consumers are those of a cluster, driven.
func (o *order) Consumers(c workload.Consumers) workload.Consumers { return driven{c, o} }

// Moments are those of a board, driven.
func (o *order) Moments(b *board.Board) workload.Moments { return moments{b, o} }

// driven makes consumers whose polls return what they returned in the recorded run, in its turn.
type driven struct {
	workload.Consumers
	order *order
}

func (d driven) NewMember(process string, c workload.MemberConfig) (workload.Member, error) {
	m := &drivenMember{order: d.order, process: process}
	m.joins(true)
	d.order.board.Await(board.Forever, m.mayJoin)
	inner, err := d.Consumers.NewMember(process, c)
	m.Member = inner
	return m, err
}

// moments are those that the plan and the input wait for. They are looked out for when they were, and come, or do not, as they
// did, however long that takes.
type moments struct {
	*board.Board
	order *order
}

func (m moments) Watch(match func(history.Event) bool) workload.Watch {
	process, o := m.Acting(), m.order
	if i := o.next(process); i >= 0 && o.wanted[i].arms {
		m.Await(board.Forever, func() bool { return o.over || o.ready(i) })
	}
	return drivenWatch{m.Board.Watch(match), m, process}
}

type drivenWatch struct {
	workload.Watch
	moments moments
	process string
}

func (w drivenWatch) Await(within time.Duration) (history.Event, bool) {
	o := w.moments.order
	if i := o.next(w.process); i >= 0 && o.wanted[i].vain {
		w.moments.Await(board.Forever, func() bool { return o.over || o.ready(i) })
		return history.Event{}, false
	}
	for !o.over {
		if e, ok := w.Watch.Await(lookOut); ok {
			return e, true
		}
	}
	return w.Watch.Await(within)
}

// drivenMember keeps back what its client has returned before it is its turn.
type drivenMember struct {
	workload.Member
	order   *order
	process string
	token   workload.Token
	records []workload.Record
	// changes are those that its owner knows nothing of yet.
	changes []workload.Polled
	// joining tells that it is without an assignment; it joins when what that does to the group is the next of all, which is
	// in the place first.
	joining bool
	first   int
}

// joins makes it wait with its join, or the next one: for the first change of an assignment that comes of it, or is
// what it comes to. To a newcomer what was assigned in generations before its own is neither. It need not wait so long
// where nobody has records to poll before, which a rebalance would keep from it, and where nobody else begins, to be in
// the group by then.
func (m *drivenMember) joins(newcomer bool) {
	o := m.order
	m.joining, m.first = true, len(o.wanted)
	generation := int32(0)
	if newcomer {
		generation = o.assigned(m.process)
	}
	for i, w := range o.wanted[o.cursor:] {
		before := w.point == history.PointAssigned && w.generation < generation
		given := w.point != history.PointAssigned && w.process == m.process // which is why it joins again
		if w.polled && w.point != history.PointPolled && !before && !given {
			m.first = o.cursor + i
			break
		}
	}
	for m.first > o.cursor {
		if w := o.wanted[m.first-1]; w.point == history.PointPolled || w.newcomer {
			break
		}
		m.first--
	}
}

// assigned is the generation in which a process is assigned something next.
func (o *order) assigned(process string) int32 {
	for _, i := range o.queue[process] {
		if o.wanted[i].point == history.PointAssigned {
			return o.wanted[i].generation
		}
	}
	return math.MaxInt32
}

// mayJoin also tells that it still has partitions of which records are wanted: a cooperative member reads on.
func (m *drivenMember) mayJoin() bool {
	o, i := m.order, m.order.next(m.process)
	return o.over || !m.joining || o.cursor >= m.first || i < 0 || o.ready(i) &&
		o.wanted[i].point == history.PointPolled
}

// Poll returns what there is to return, or nothing: its owner polls again.
func (m *drivenMember) Poll(most int, wait time.Duration) workload.Polled {
	if p, ok := m.take(most); ok {
		return p
	}
	switch {
	case m.givesUp():
		// Polling again would say that the change was dealt with.
		m.order.board.Await(wait, func() bool { _, ok := m.wants(most); return ok })
	case m.order.board.Await(wait, m.mayJoin):
		m.keep(m.Member.Poll(most, wait))
	}
	if p, ok := m.take(most); ok {
		return p
	}
	return workload.Polled{Token: m.token}
}

// givesUp tells whether a change is kept back by which something is given up.
func (m *drivenMember) givesUp() bool {
	return slices.ContainsFunc(m.changes, func(p workload.Polled) bool { return p.Change != workload.WasAssigned })
}

// keep keeps what the client has returned. Of what is taken away before its owner was told that it has it, nothing is
// told.
func (m *drivenMember) keep(p workload.Polled) {
	if p.Change == workload.Unchanged && p.Err == nil {
		m.token = p.Token
		m.records = append(m.records, p.Records...)
		return
	}
	if p.Change == workload.WasRevoked || p.Change == workload.WasLost {
		m.records = slices.DeleteFunc(m.records, func(r workload.Record) bool { return has(p.Partitions, r.Partition) })
		taken := p.Partitions
		p.Partitions = slices.Clone(taken)
		for i, kept := range m.changes {
			p.Partitions = slices.DeleteFunc(p.Partitions,
				func(a workload.Assigned) bool { return has(kept.Partitions, a.Partition) })
			m.changes[i].Partitions = slices.DeleteFunc(slices.Clone(kept.Partitions),
				func(a workload.Assigned) bool { return has(taken, a.Partition) })
		}
	}
	for _, p := range append(m.changes, p) {
		if len(p.Partitions) == 0 && p.Err == nil {
			m.dealtWith(p)
		}
	}
	m.changes = slices.DeleteFunc(append(m.changes, p),
		func(p workload.Polled) bool { return len(p.Partitions) == 0 && p.Err == nil })
}

func has(partitions []workload.Assigned, partition int32) bool {
	return slices.ContainsFunc(partitions, func(a workload.Assigned) bool { return a.Partition == partition })
}

// dealtWith is when the owner knows of a change, or there is nothing of it to know.
func (m *drivenMember) dealtWith(p workload.Polled) {
	m.token = p.Token
	if p.Change == workload.WasAssigned {
		m.joining = false
	} else {
		m.joins(false)
	}
}

// take takes what is to be returned now, if it is there.
func (m *drivenMember) take(most int) (workload.Polled, bool) {
	n, ok := m.wants(most)
	switch {
	case !ok:
		return workload.Polled{}, false
	case n == 0:
		p := m.changes[0]
		m.changes = m.changes[1:]
		m.dealtWith(p)
		return p, true
	}
	p := workload.Polled{Token: m.token, Records: slices.Clone(m.records[:n])}
	m.records = slices.Delete(m.records, 0, n)
	return p, true
}

// wants tells whether there is something to return now: so many of the records, which come first then, or a change
// where it is none of them.
func (m *drivenMember) wants(most int) (records int, ok bool) {
	o, i := m.order, m.order.next(m.process)
	switch {
	case len(m.changes) > 0 && (o.over || i < 0 || m.changes[0].Err != nil):
		return 0, true
	case o.over || i < 0:
		n := min(most, len(m.records))
		return n, n > 0
	case !o.ready(i) || !o.wanted[i].polled:
		return 0, false
	case o.wanted[i].point != history.PointPolled:
		return 0, len(m.changes) > 0
	}
	w := o.wanted[i]
	slices.SortStableFunc(m.records, func(a, b workload.Record) int { return other(a, w.partition) - other(b, w.partition) })
	n := slices.IndexFunc(m.records, func(r workload.Record) bool { return r.Partition == w.partition && r.Offset == w.offset })
	if n < 0 && m.givesUp() {
		return 0, true // The records will not come any more.
	}
	return n + 1, n >= 0
}

// other is 0 for a record of the partition, and 1 for one of another: the records of the partition come first.
func other(r workload.Record, partition int32) int {
	if r.Partition == partition {
		return 0
	}
	return 1
}
