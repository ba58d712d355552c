package sim

import "time"

// groupRules are the facts of Kafka that the coordinator obeys and package conformance looks for in real brokers too. As with
// those of Cassandra, a test of this package breaks them one by one.
type groupRules struct {
	// commit is the answer to an OffsetCommit.
	commit func(g *group, id string, generation, partition int32) string
	// emptied is the generation of a group whose last member has gone, by the one that it had.
	emptied func(generation int32) int32
	// session is how long a member that asked for a session lives after it was last heard of.
	session func(asked time.Duration) time.Duration
	// left is what becomes of a member that has said goodbye.
	left func(g *group, m *groupMember)
}

func kafka() groupRules {
	return groupRules{
		commit:  commitAnswer,
		emptied: func(generation int32) int32 { return generation + 1 },
		session: func(asked time.Duration) time.Duration { return asked },
		left:    (*group).remove,
	}
}

// commitAnswer asks who commits and under which generation, never who owns the partition.
func commitAnswer(g *group, id string, generation, _ int32) string {
	if g.state == stateEmpty && id == "" && generation < 0 {
		return codeNone
	}
	_, code := g.valid(id, generation)
	if code == codeNone && g.state == stateCompleting {
		return codeRebalanceInProgress
	}
	return code
}
