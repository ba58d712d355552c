package sim

import (
	"slices"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// groupLog is what a coordinator writes to __consumer_offsets about the group: a record for every accepted commit, and one of
// the group itself at three moments (GroupMetadataManager of Kafka 4.x): when the first JoinGroup makes the group, when the
// leader's SyncGroup brings the assignment of a generation, and when a rebalance completes with nobody left.
type groupLog struct{ by *broker }

// logged is a record, of a group with its members as the next coordinator will have them.
type logged struct {
	history.GroupLogEntry
	members []*groupMember
}

// add appends a record, and calls done when it is committed, or when the coordinator hears that it is none any more. That it was not kept
// then means nothing: the record may be in the log all the same.
func (l groupLog) add(e logged, done func(kept bool)) {
	log := l.by.kafka.offsets
	if log.leader != l.by.number {
		l.by.hearsLater(func() { done(false) })
		return
	}
	e.Position = int64(len(log.entries))
	e.Timestamp = history.Some((epoch + log.of.now.Microseconds()) / 1000)
	log.append(e, done)
}

// found stores a group that was not there before: a broker has one as soon as anything is in its log, be it a commit.
func (l groupLog) found(g *group) {
	if len(l.by.kafka.offsets.entries) == 0 {
		l.store(g, func(bool) {})
	}
}

// store writes the group as it is.
func (l groupLog) store(g *group, done func(kept bool)) {
	stored := &history.LoggedGroup{Generation: history.Some(int64(g.generation))}
	if g.generation > 0 {
		stored.ProtocolType = "consumer"
	}
	if len(g.members) > 0 {
		stored.Protocol, stored.Leader = protocol(g.members[0].assignor), g.members[0].id
	}
	e := logged{GroupLogEntry: history.GroupLogEntry{Group: stored}}
	for _, m := range g.members {
		stored.Members = append(stored.Members, history.LoggedMember{
			Member: m.id, Client: m.client, Partitions: slices.Clone(m.assignment),
			Session: int32(m.session / time.Millisecond), Rebalance: int32(m.rebalance / time.Millisecond),
		})
		e.members = append(e.members, m.stored())
	}
	l.add(e, done)
}

// stored is what the log has of a member.
func (m *groupMember) stored() *groupMember {
	return &groupMember{
		id: m.id, client: m.client, instance: m.instance, said: m.said, assignor: m.assignor, session: m.session, rebalance: m.rebalance, assignment: m.assignment,
	}
}

// load makes the group that a log tells of: the offsets that were committed, the last generation that had its assignment, and its
// members, whose sessions begin anew. Who had joined a later generation is not known.
func load(b *broker) *group {
	g := newGroup(b)
	var members []*groupMember
	for _, e := range b.kafka.offsets.entries {
		if c := e.Commit; c != nil {
			g.offsets[c.Partition] = c.Offset.N
		}
		if s := e.Group; s != nil {
			g.generation, members = int32(s.Generation.N), e.members
		}
	}
	for _, m := range members {
		g.members = append(g.members, m.stored())
		g.names(m)
	}
	if len(g.members) > 0 {
		g.state = stateStable
	}
	for _, m := range g.members {
		g.heard(m)
	}
	return g
}

// protocol is Kafka's name of an assignor; all members of a group have the same.
func protocol(a workload.Assignor) string {
	if a == workload.Cooperative {
		return "cooperative-sticky"
	}
	return "range"
}

// readGroupLog gives all records that are committed, and where they end.
func (k *kafka) readGroupLog() []history.GroupLogEntry {
	var all []history.GroupLogEntry
	for _, e := range k.offsets.entries[:k.offsets.high] {
		all = append(all, e.GroupLogEntry)
	}
	return append(all, history.GroupLogEntry{Position: int64(len(all)), Ends: true})
}
