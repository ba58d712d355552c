package cassandra

import (
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/workload/persistence"
)

// How long a coordinator waits, from the statement's beginning on, and how long it stands back at most when another's round was
// later than its own. A real node has 2 s (write_request_timeout, read_request_timeout), 3 s (range_request_timeout), 1 s
// (cas_contention_timeout) and 100 ms: these are a twentieth, as the poll intervals and sessions of the catalogue, of a second
// or less, are of real ones, and longer than those of a message all the same. A recovery that meets one time-out is to fail
// before its member is put out, as it would.
const (
	requestTimeout    = 100 * time.Millisecond
	rangeTimeout      = 150 * time.Millisecond
	contentionTimeout = 50 * time.Millisecond
	standBack         = 5 * time.Millisecond
)

// operation is a statement at the node that coordinates it.
type operation struct {
	*Store
	at *node
	// lives are those that the node had had by then.
	lives int
	// of is the process that it is of.
	of string
	persistence.Statement
	// second is the coordinator's clock when it began: by it lives begin and end.
	second int64
	began  time.Duration
	done   func(persistence.Answer, error)
}

// Ask has a node coordinate a statement of a process. Done is called once.
func (s *Store) Ask(coordinator int, process string, st persistence.Statement, done func(persistence.Answer, error)) {
	if err := s.Rules.Invalid(st); err != nil {
		done(persistence.Answer{}, err)
		return
	}
	at := s.nodes[coordinator]
	if len(s.nodes) == 1 {
		done(s.alone(at, st), nil)
		return
	}
	o := &operation{Store: s, at: at, of: process, lives: at.lives, Statement: st, second: s.clock(at) / 1e6,
		began: s.net.Now(), done: done}
	switch {
	case s.rounds(st):
		(&round{operation: o, reads: reads(st)}).begin()
	case reads(st):
		o.read(func(t *table) { done(t.read(s.Rules, st, o.second), nil) }, o.fail)
	default:
		w := write{st, Stamp(st.Timestamp), o.second}
		o.acknowledged(cluster.Write, func(n *node) { n.tables[w.Table].apply(s.Rules, w) },
			func() { done(persistence.Answer{Applied: true}, nil) }, o.fail)
	}
}

func (o *operation) fail(err error) { o.done(persistence.Answer{}, err) }

func (o *operation) needed() int { return o.Rules.Quorum(len(o.nodes)) }

// message is one to a node.
func (o *operation) message(to *node, about cluster.Phase) cluster.Message {
	return cluster.Message{From: o.at.number, To: to.number, About: about, For: o.of}
}

// ask has nodes do something and tells what each answers, until heard says what comes next; late is called instead when that
// took too long. Whatever is on its way then arrives all the same.
func ask[T any](o *operation, to []*node, about cluster.Phase, do func(n *node) T, heard func(n *node, answer T) (next func()), late func()) {
	over := false
	var expiry Timer
	for _, n := range to {
		o.net.Send(o.message(n, about), func() {
			answer := do(n)
			back := cluster.Message{From: n.number, To: o.at.number, About: about, Answer: true, For: o.of}
			o.net.Send(back, func() {
				if over || o.lives != o.at.lives {
					return
				}
				next := heard(n, answer)
				if over = next != nil; over {
					expiry.Stop()
					next()
				}
			})
		})
	}
	within := requestTimeout
	if o.Verb == persistence.Scan {
		within = rangeTimeout
	}
	expiry = o.net.After(o.at.number, max(0, o.began+within-o.net.Now()), func() {
		over = true
		late()
	})
}

// acknowledged has all nodes that the coordinator takes to be up do something, and goes on when a quorum has: the others do it later, or never.
func (o *operation) acknowledged(about cluster.Phase, do func(n *node), then func(), failed func(error)) {
	to := o.at.live
	if !o.Rules.Begins(len(to), o.needed()) {
		failed(unavailable(len(to), o.needed(), o.If == persistence.Always))
		return
	}
	got := 0
	ask(o, to, about, func(n *node) struct{} { do(n); return struct{}{} }, func(*node, struct{}) func() {
		if got++; got == o.needed() {
			return then
		}
		return nil
	}, func() { failed(timedOut(writeTimeout+o.Rules.Says(true), got, o.needed())) })
}

// replied is what a replica has of what a read is about.
type replied struct {
	by   *node
	part *table
}

// read merges what a quorum has, cell by cell. All nodes that are taken to be up are asked, and the first that answer are the quorum: which of
// them a real coordinator asks is its snitch's choice, and the driver's.
func (o *operation) read(then func(*table), failed func(error)) {
	to := o.at.live
	if !o.Rules.Begins(len(to), o.needed()) {
		failed(unavailable(len(to), o.needed(), o.If == persistence.Always))
		return
	}
	merged := newTable()
	var quorum []replied
	ask(o, to, cluster.Read, func(n *node) *table { return n.tables[o.Table].part(o.Statement) }, func(n *node, part *table) func() {
		quorum = append(quorum, replied{n, part})
		merged.merge(o.Rules, part)
		if len(quorum) < o.needed() {
			return nil
		}
		return func() { o.repair(merged, quorum, then, failed) }
	}, func() { failed(timedOut(readTimeout, len(quorum), o.needed())) })
}

// repair writes what was merged to those of the quorum that lack some of it, and waits for them before it is shown: what one
// read at QUORUM has shown no later one misses (read_repair = 'BLOCKING', the default; CASSANDRA-14635).
func (o *operation) repair(merged *table, quorum []replied, then func(*table), failed func(error)) {
	var stale []*node
	for _, r := range quorum {
		if r.part.merge(o.Rules, merged) {
			stale = append(stale, r.by)
		}
	}
	if len(stale) == 0 || !o.Rules.Repairs {
		then(merged)
		return
	}
	got := 0
	ask(o, stale, cluster.Repair, func(n *node) struct{} { n.tables[o.Table].merge(o.Rules, merged); return struct{}{} },
		func(*node, struct{}) func() {
			if got++; got == len(stale) {
				return func() { then(merged) }
			}
			return nil
		}, func() { failed(timedOut(readTimeout, o.needed()-len(stale)+got, o.needed())) })
}
