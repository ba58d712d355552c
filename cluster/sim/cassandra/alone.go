package cassandra

import "github.com/single-writer/chaos/workload/persistence"

// alone is what a lone node answers. It is its own quorum, so that a round is promised, accepted and committed in one instant,
// and nothing is left of it but the time of its ballot. That three nodes of which nothing is lost answer the same is a test.
func (s *Store) alone(n *node, st persistence.Statement) persistence.Answer {
	t, second, at := n.tables[st.Table], s.clock(n)/1e6, Stamp(st.Timestamp)
	if s.rounds(st) {
		at = s.ballot(n, 0).at
	}
	if reads(st) {
		return t.read(s.Rules, st, second)
	}
	if st.If != persistence.Always {
		if found := (view{t.rows[keyOf(st)], s.Rules, second}).found(); !s.Rules.Holds(st, found) {
			return s.Rules.Refusal(found)
		}
	}
	t.apply(s.Rules, write{st, at, second})
	return persistence.Answer{Applied: true}
}

func reads(st persistence.Statement) bool {
	return st.Verb == persistence.Select || st.Verb == persistence.Scan
}

// rounds tells whether a statement takes a round of Paxos.
func (s *Store) rounds(st persistence.Statement) bool {
	return st.If != persistence.Always || reads(st) && s.Rules.Serial(st)
}
