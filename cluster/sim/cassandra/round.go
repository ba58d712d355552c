package cassandra

import (
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/workload/persistence"
)

// round takes a conditional statement, or a SERIAL read, through Cassandra's Paxos: prepare, read, propose, commit
// (StorageProxy.doPaxos and beginAndRepairPaxos). Where it ends early, how it ended says what may have come of it:
//
//   - in prepare or in the read, nothing will: it had proposed nothing;
//   - in propose, whoever has accepted may be asked by a later round, which then finishes it, or none of them is, and the
//     proposal is shut out for good;
//   - in commit, it is decided, and any later round of the row sees it.
//
// The coordinator tells which it was by the kind of write that timed out and by how many it waited for.
type round struct {
	*operation
	reads bool
	// least is one above what the others are known to have seen; contentions counts the attempts that another's shut out.
	least       Stamp
	contentions int
}

func (r *round) begin() {
	if alive := len(r.at.live); !r.Rules.Begins(alive, r.needed()) {
		r.fail(unavailable(alive, r.needed(), true))
		return
	}
	r.prepare()
}

// fail ends a round. A SERIAL read has no writes that could time out.
func (r *round) fail(err error) {
	if r.reads && isWriteTimeout(err) {
		err = timedOut(readTimeout, 0, r.needed())
	}
	r.operation.fail(err)
}

// again begins anew, after a while in which the other round can end.
func (r *round) again() {
	r.contentions++
	r.net.After(r.at.number, time.Duration(r.rng.Int64N(int64(standBack))), r.prepare)
}

// summary is what a quorum says that promises a ballot: what is accepted and not committed, and the last commit.
type summary struct {
	of                  []promised
	accepted, committed proposal
}

// promised is who promised, and the last commit that it knows of.
type promised struct {
	by        *node
	committed ballot
}

func (s *summary) add(n *node, p promise) {
	s.of = append(s.of, promised{n, p.committed.ballot})
	if p.accepted.at > s.accepted.at {
		s.accepted = p.accepted
	}
	if p.committed.at > s.committed.at {
		s.committed = p.committed
	}
}

// prepare asks for promises.
func (r *round) prepare() {
	if r.net.Now() >= r.began+contentionTimeout {
		r.fail(contended(writeTimeout+r.Rules.Says(false), r.needed(), r.contentions))
		return
	}
	b := r.ballot(r.at, r.least)
	var heard summary
	ask(r.operation, r.at.live, cluster.Prepare,
		func(n *node) promise { return n.acceptor(keyOf(r.Statement)).prepare(r.Rules, b) },
		func(n *node, p promise) func() {
			r.least = max(r.least, p.seen.at+1)
			if !p.given {
				return r.again
			}
			if heard.add(n, p); len(heard.of) < r.needed() {
				return nil
			}
			return func() { r.promised(b, heard) }
		},
		func() { r.fail(timedOut(writeTimeout+r.Rules.Says(false), len(heard.of), r.needed())) })
}

// promised first finishes what others have left: a round that was accepted and not committed is proposed again, under this
// ballot; and who of the quorum has missed the last commit is told, or the next could be decided by nodes that do not know it
// (CASSANDRA-5062). After either the round begins anew.
func (r *round) promised(b ballot, heard summary) {
	if p := heard.accepted; p.write != nil && r.Rules.Finishes(p.at, heard.committed.at) {
		r.finish(proposal{b, p.write})
		return
	}
	missing := false
	for _, p := range heard.of {
		if p.committed != heard.committed.ballot {
			missing = true
			r.net.Send(r.message(p.by, cluster.Commit), func() { r.commitAt(p.by, heard.committed) })
		}
	}
	switch {
	case missing:
		r.prepare()
	case r.reads:
		r.seal(b, func() { r.read(func(t *table) { r.done(t.read(r.Rules, r.Statement, r.second), nil) }, r.fail) })
	default:
		r.read(func(t *table) { r.decide(b, t) }, r.fail)
	}
}

// finish proposes and commits another's write, with this round's timestamp.
func (r *round) finish(p proposal) {
	r.propose(p, true, func() {
		r.commit(p, r.prepare, func(err error) {
			if isWriteTimeout(err) { // The round is still being prepared (CASSANDRA-8672).
				err = timedOut(writeTimeout+r.Rules.Says(false), 0, r.needed())
			}
			r.fail(err)
		})
	})
}

// decide proposes what the condition allows.
func (r *round) decide(b ballot, t *table) {
	found := view{t.rows[keyOf(r.Statement)], r.Rules, r.second}.found()
	if !r.Rules.Holds(r.Statement, found) {
		r.seal(b, func() { r.done(r.Rules.Refusal(found), nil) })
		return
	}
	p := proposal{b, &write{Statement: r.Statement, second: r.second}}
	r.propose(p, false, func() { r.commit(p, func() { r.done(persistence.Answer{Applied: true}, nil) }, r.fail) })
}

// seal proposes nothing, so that no unfinished round before this one can come to be decided after it. It is not committed.
func (r *round) seal(b ballot, then func()) {
	if r.Rules.Seals {
		r.propose(proposal{ballot: b}, false, then)
	} else {
		then()
	}
}

// propose asks for a proposal to be accepted, and waits for a quorum, or else for all: one that nobody has accepted is tried
// again, one that somebody has may be finished by another round, and so nobody knows (CASSANDRA-6013). Of another's write
// there is nothing to say to anybody, and it is tried again in any case.
func (r *round) propose(p proposal, anothers bool, then func()) {
	to := r.at.live
	answers, accepts := 0, 0
	ask(r.operation, to, cluster.Propose,
		func(n *node) bool {
			ok := n.acceptor(keyOf(r.Statement)).accept(r.Rules, p)
			if ok && r.Rules.Writes(false) {
				n.write(r.Rules, p)
			}
			return ok
		},
		func(_ *node, accepted bool) func() {
			answers++
			if accepted {
				accepts++
			}
			switch refused := answers - accepts; {
			case accepts == r.needed():
				return then
			case anothers && len(to)-refused < r.needed():
				return r.again
			case answers < len(to):
				return nil
			case r.Rules.Unsure(accepts):
				return func() { r.fail(unknown(accepts, r.needed())) }
			}
			return r.again
		},
		func() { r.fail(timedOut(writeTimeout+r.Rules.Says(false), answers, len(to))) })
}

// commit tells all that a proposal is decided.
func (r *round) commit(p proposal, then func(), failed func(error)) {
	r.acknowledged(cluster.Commit, func(n *node) { r.commitAt(n, p) }, then, failed)
}

func (r *round) commitAt(n *node, p proposal) {
	n.acceptor(keyOf(r.Statement)).commit(p)
	if r.Rules.Writes(true) {
		n.write(r.Rules, p)
	}
}

// write writes what was proposed, at the time of its ballot.
func (n *node) write(r *Rules, p proposal) {
	if p.write == nil {
		return
	}
	w := *p.write
	w.at = p.at
	n.tables[w.Table].apply(r, w)
}
