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
	// settled tells whether a known member that joins is in the present generation already, and is just told of it.
	settled func(g *group, m *groupMember, unchanged bool) bool
	// awaitsNamed tells whether a rebalance waits because of those that were given an id and have not joined under it.
	awaitsNamed func(named int) bool
	// present tells whether a member need not be heard of.
	present func(m *groupMember) bool
	// rebalance is how long a rebalance waits of which that is the longest time-out asked for.
	rebalance func(longest time.Duration) time.Duration
	// sync is the answer to a SyncGroup that is not let in.
	sync func(g *group, id string, generation int32) string
	// dismiss answers what a member that is taken out still waits for.
	dismiss func(m *groupMember)
	// fenced is the answer to a client whose instance another is by now.
	fenced string
	// returns tells whether who comes by the name of an instance that is in the group takes its place as it is.
	returns func(g *group, sameAssignor bool) bool
	// awaited tells whether a member that has not rejoined is kept.
	awaited func(m *groupMember) bool
	// load is the group that a broker has which begins to coordinate it.
	load func(b *broker) *group
}

func kafkaRules() groupRules {
	return groupRules{
		commit:  commitAnswer,
		emptied: func(generation int32) int32 { return generation + 1 },
		session: func(asked time.Duration) time.Duration { return asked },
		left:    (*group).remove,
		// Of those whose subscription is as before, only the leader of a stable group can ask for a new generation.
		settled: func(g *group, m *groupMember, unchanged bool) bool {
			return unchanged && (g.state == stateCompleting || g.state == stateStable && m != g.members[0])
		},
		awaitsNamed: func(named int) bool { return named > 0 },
		// Who waits for an answer is there.
		present:   func(m *groupMember) bool { return m.join != nil || m.sync != nil },
		rebalance: func(longest time.Duration) time.Duration { return longest },
		sync:      syncRefusal,
		dismiss:   dismiss,
		fenced:    codeFencedInstance,
		returns:   func(g *group, sameAssignor bool) bool { return g.state == stateStable && sameAssignor },
		awaited:   func(m *groupMember) bool { return m.instance != "" },
		load:      load,
	}
}

func syncRefusal(g *group, id string, generation int32) string {
	_, code := g.valid(id, generation)
	if code == codeNone && g.state == statePreparing {
		return codeRebalanceInProgress
	}
	return code
}

// dismiss answers a join, and not a sync: who waits for that learns of it by its next heartbeat.
func dismiss(m *groupMember) {
	if m.join != nil {
		m.join(joinAnswer{code: codeUnknownMember})
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
