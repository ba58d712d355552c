// Package workload is what runs under test: the producer of the input, the workers that fold it and keep snapshots, and
// the observer that reads what is really stored.
//
// The same code runs in the simulator and against real servers. It is blocking code, one loop a process, and reaches
// everything outside itself through the small interfaces of this file. All processes of a run share one baton: between
// two calls of the world a process runs alone, and gives the baton away only inside such a call. So nothing here needs a
// lock, a channel or a goroutine of its own, and nothing here may read the clock, wait or draw a random number by itself.
//
// A killed process is unwound by a panic that the world raises from its calls. Code here never recovers, and does
// nothing that matters in a defer.
package workload

import (
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// World is what a process may ask of the world that it runs in. Every method may unwind the process. A task inside a process
// ("a/1/flush" of "a/1") may use the process's own: what it does by it, it does itself.
type World interface {
	// Name is the process's name in the history.
	Name() string
	// Now is the time since the run began.
	Now() time.Duration
	// Clock is the process's own wall clock in microseconds since 1970: what it stamps plain writes with. It may be
	// skewed, and no two calls in a run give the same unless the scenario is about ties.
	Clock() int64
	// Sleep waits on the world's clock.
	Sleep(d time.Duration)
	// Await waits until the condition holds, at most for the given time; it tells whether the condition held. The condition
	// is asked again whenever another process or an answer may have changed it, and must have no effects.
	Await(within time.Duration, ready func() bool) bool
	// Go starts another process.
	Go(name string, run func(World))
	// Point reaches a named point: it is recorded, and the process may be held, stopped or killed in it.
	Point(p history.PointReached)
	// Invoke records the beginning of an operation and gives its id; Answer records its end; Note records anything else.
	Invoke(f history.F, value any) (op int64)
	Answer(op int64, t history.Type, f history.F, value any)
	Note(f history.F, value any)
}

// Token is under what a member acts: its id and generation as its last poll gave them. It is taken from the poll and never
// read again at commit time, or a zombie that has rejoined would commit under fresh authority. A partition that an eager
// member owns has one token as long as it owns it; one that a cooperative member keeps gets a new one with each rebalance.
type Token = history.Owner

// Record is one record of the input as a member polls it.
type Record struct {
	Partition int32
	Offset    int64
	Value     []byte
}

// Assigned is one partition handed to the member. Start is the next offset to read: the committed one, fetched with
// stable offsets required, or 0 when there is none.
type Assigned struct {
	Partition int32
	Start     int64
}

// Change says what a poll returned besides records.
type Change int

const (
	// Unchanged: the poll returned records, or nothing.
	Unchanged Change = iota
	// WasAssigned: partitions were handed to the member.
	WasAssigned
	// WasRevoked: partitions are taken from the member, which still is in the group; they go to another only after the
	// next poll.
	WasRevoked
	// WasLost: partitions are gone already; another member may own them.
	WasLost
)

// Polled is what one poll returned: records, or one change of the assignment, or neither.
type Polled struct {
	Change Change
	// Token is what holds from now on, for all partitions but those that are taken away by this very poll: what is done
	// with them is still done under what held before.
	Token Token
	// Partitions are those that the change is about. A cooperative member is told of the end of each rebalance, and may
	// have been assigned none that it did not have.
	Partitions []Assigned
	Records    []Record
	// Err ends the member: its client cannot go on.
	Err error
}

// Member is one consumer of the group. Like the Java consumer it heartbeats by itself while its owner is busy, leaves
// the group when the owner has not polled for max.poll.interval, and joins only inside a poll.
type Member interface {
	// Poll returns at most max records, or a change; nothing when the wait is over. Polling again after a change means that
	// it has been dealt with.
	Poll(max int, wait time.Duration) Polled
	// Commit starts a commit of the next offset to read.
	Commit(token Token, partition int32, offset int64) persistence.Call[CommitAnswer]
	// Leave leaves the group, if the member is still in it, and ends the client.
	Leave()
	// Sever ends the client without a word to anybody, as a crash does.
	Sever()
}

// CommitAnswer is the broker's answer to a commit: Code is empty when it was accepted.
type CommitAnswer struct{ Code string }

// Assignor says how the members of a group share its partitions, and what each keeps meanwhile. All members of a group have
// the same.
type Assignor string

const (
	// Eager is the range assignor: whoever rebalances gives everything back first.
	Eager Assignor = "eager"
	// Cooperative is the cooperative-sticky assignor (KIP-429): a member keeps what it can, reads on while the group
	// rebalances, and gives back only what another is to have, which gets it in a second rebalance.
	Cooperative Assignor = "cooperative"
)

// MemberConfig is how a member is in its group. MaxPollInterval is also the rebalance time-out that it asks for.
type MemberConfig struct {
	Assignor Assignor
	// Instance makes it a static member of that name (group.instance.id, KIP-345); empty is a dynamic one.
	Instance          string
	MaxPollInterval   time.Duration
	SessionTimeout    time.Duration
	HeartbeatInterval time.Duration
	RequestTimeout    time.Duration
}

// Consumers makes members of the run's group. The client id is the process's name.
type Consumers interface {
	NewMember(process string, c MemberConfig) (Member, error)
}

// Producer appends to the input topic.
type Producer interface {
	Produce(partition int32, key string, value []byte) persistence.Call[ProduceAnswer]
}

// ProduceAnswer is where the broker put a record.
type ProduceAnswer struct{ Offset int64 }

// Truth reads what is really there, past all members: the rig's own reads.
type Truth interface {
	// Committed reads the group's committed offset; unknown when there is none.
	Committed(partition int32) persistence.Call[history.Opt]
	// Input reads the whole input topic from its beginning.
	Input(partition int32) persistence.Call[[]Record]
	// Coordinator asks the group's coordinator for its own record of the group.
	Coordinator() persistence.Call[CoordinatorAnswer]
	// GroupLog reads the coordinator's own log of the group, from the run's beginning to its end at this moment, which is
	// the last entry.
	GroupLog() persistence.Call[[]history.GroupLogEntry]
	// Evict makes the coordinator remove the member, as if it had left.
	Evict(member string) persistence.Call[CommitAnswer]
}

// CoordinatorAnswer is the coordinator's record of the group; Raw is its answer in its own words, kept as a proof.
type CoordinatorAnswer struct {
	Group history.GroupSeen
	Raw   string
}

// Watch waits for one moment in the history; see Moments.
type Watch interface {
	// Await waits for the moment, and tells whether it came.
	Await(within time.Duration) (history.Event, bool)
	// Done disarms the watch and lets the process that it stopped go on.
	Done()
}

// Moments arms watches: the first event after now that matches is the moment; when it is a point, its process stays
// inside the point until the watch is done.
type Moments interface {
	Watch(match func(history.Event) bool) Watch
	// Where says where each process stands.
	Where() string
}
