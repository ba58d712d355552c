package sim

import (
	"slices"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// groupLog is what a broker writes to __consumer_offsets about the group: a record for every accepted commit, and one of
// the group itself at three moments (GroupMetadataManager of Kafka 4.x): when the first JoinGroup makes the group, when the
// leader's SyncGroup brings the assignment of a generation, and when a rebalance completes with nobody left.
type groupLog struct {
	net     *network
	entries []history.GroupLogEntry
}

// add appends a record.
func (l *groupLog) add(e history.GroupLogEntry) {
	e.Position = int64(len(l.entries))
	e.Timestamp = history.Some((epoch + l.net.now.Microseconds()) / 1000)
	l.entries = append(l.entries, e)
}

// found stores a group that was not there before: a broker has one as soon as anything is in its log, be it a commit.
func (l *groupLog) found(g *group) {
	if len(l.entries) == 0 {
		l.store(g)
	}
}

// store writes the group as it is.
func (l *groupLog) store(g *group) {
	stored := &history.LoggedGroup{Generation: history.Some(int64(g.generation))}
	if g.generation > 0 {
		stored.ProtocolType = "consumer"
	}
	if len(g.members) > 0 {
		stored.Protocol, stored.Leader = protocol(g.members[0].assignor), g.members[0].id
	}
	for _, m := range g.members {
		stored.Members = append(stored.Members, history.LoggedMember{
			Member: m.id, Client: m.client, Partitions: slices.Clone(m.assignment),
			Session: int32(m.session / time.Millisecond), Rebalance: int32(m.rebalance / time.Millisecond),
		})
	}
	l.add(history.GroupLogEntry{Group: stored})
}

// protocol is Kafka's name of an assignor; all members of a group have the same.
func protocol(a workload.Assignor) string {
	if a == workload.Cooperative {
		return "cooperative-sticky"
	}
	return "range"
}

// read gives all records, and where they end.
func (l *groupLog) read() []history.GroupLogEntry {
	return append(slices.Clone(l.entries), history.GroupLogEntry{Position: int64(len(l.entries)), Ends: true})
}
