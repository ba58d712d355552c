package checker

import (
	"fmt"

	"github.com/single-writer/chaos/history"
)

// groupLog is the coordinator's own log of the group, as far as the history has it. Its commits are with the other
// commits of their partitions.
type groupLog struct {
	// first is the note of its first entry, end the one that says where the log ends: with it nothing is missing. -1 where
	// the history has none.
	first, end int
	groups     []storedGroup
	// strange are the notes of records that the checker cannot read.
	strange []int
	// generation is the newest that was stored: commits of an older one are refused from then on.
	generation int64
	// clients are the processes that members serve, by member id.
	clients map[string]string
}

// storedGroup is one record of the group.
type storedGroup struct {
	note int
	v    *history.LoggedGroup
}

// readGroupLog takes in the log, after all operations.
func (r *Run) readGroupLog() {
	l := &r.log
	l.first, l.end, l.generation, l.clients = -1, -1, -1, map[string]string{}
	for i, e := range r.events {
		v, ok := e.Value.(*history.GroupLogEntry)
		if !ok || v == nil {
			continue
		}
		if l.first < 0 {
			l.first = i
		}
		switch {
		case v.Ends:
			l.end = i
		case v.Commit != nil:
			offset := max(v.Commit.Offset.N, 0)
			c := r.commitsOf(v.Commit.Partition)
			c.log = append(c.log, accepted{
				note: i, offset: offset, signature: signature{v.Commit.Member, v.Commit.Generation, offset},
			})
		case v.Group != nil:
			l.groups = append(l.groups, storedGroup{i, v.Group})
			l.generation = max(l.generation, v.Group.Generation.N)
			for _, m := range v.Group.Members {
				l.clients[m.Member] = m.Client
			}
		default:
			l.strange = append(l.strange, i)
		}
	}
}

// client names a member by the process that it serves, where the log knows it.
func (l *groupLog) client(member string) string {
	if client, ok := l.clients[member]; ok {
		return client
	}
	return member
}

// told says what an entry of the log is.
func (l *groupLog) told(e *accepted) string {
	if e.member == "" {
		return fmt.Sprintf("%d by nobody of the run", e.offset)
	}
	return fmt.Sprintf("%d by %s", e.offset, l.client(e.member))
}
