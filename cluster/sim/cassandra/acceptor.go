package cassandra

// ballot is a round's place among the rounds of its row: they are ordered by time, and who has promised one knows it by its id.
// Two of equal time shut each other out, so that no two decided writes have the same timestamp.
type ballot struct {
	at Stamp
	id int64
}

// proposal is what a round wants written. One without a write shuts out the unfinished rounds before it, and is all that a
// SERIAL read and a condition that does not hold propose (CASSANDRA-12126).
type proposal struct {
	ballot
	write *write
}

// acceptor is what a node remembers of the rounds of a row: system.paxos.
type acceptor struct {
	promised  ballot
	accepted  proposal
	committed proposal
}

// promise is the answer to a prepare. Of a refusal, seen is the ballot that was promised to another.
type promise struct {
	given               bool
	seen                ballot
	accepted, committed proposal
}

// witnessed is the latest ballot that the node has anything of.
func (a *acceptor) witnessed() ballot {
	latest := a.promised
	for _, b := range []ballot{a.accepted.ballot, a.committed.ballot} {
		if b.at > latest.at {
			latest = b
		}
	}
	return latest
}

// prepare promises to accept nothing of an earlier ballot, unless a later one was seen.
func (a *acceptor) prepare(r *Rules, b ballot) promise {
	if !r.After(b.at, a.witnessed().at) {
		return promise{seen: a.promised}
	}
	a.promised = b
	p := promise{given: true, committed: a.committed}
	if a.accepted.at > a.committed.at {
		p.accepted, p.seen = a.accepted, a.accepted.ballot
	}
	return p
}

// accept accepts a proposal, unless a later ballot was seen.
func (a *acceptor) accept(r *Rules, p proposal) bool {
	if w := a.witnessed(); p.ballot != w && !r.After(p.at, w.at) {
		return false
	}
	a.accepted = p
	return true
}

// commit learns that a proposal was decided. Commits may come in any order: the timestamps of the cells put them right.
func (a *acceptor) commit(p proposal) {
	if p.at > a.committed.at {
		a.committed = p
	}
}
