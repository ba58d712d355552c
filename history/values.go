package history

import (
	"reflect"
	"strings"

	"github.com/single-writer/chaos/ledger"
)

// F names what an event is about.
type F string

// The operations. Each is an invoke and, unless the run was cut, an ok, fail or info.
const (
	// Produce appends one event to the input. Value: Produced.
	Produce F = "produce"
	// Recover is a new owner's recovery of one partition, around the reads of its keys. Value: Recovery.
	Recover F = "recover"
	// Read is one read of a row. Value: RowRead.
	Read F = "read"
	// Scan is one plain read of the whole table for this run's group. Value: TableScan.
	Scan F = "scan"
	// Persist stores a state, Delete removes one: each the whole compound of the arm. Value: Write.
	Persist F = "persist"
	Delete  F = "delete"
	// Journal adds one event's row to a key's journal, JournalClear removes all of a key's rows, JournalRead reads them.
	// Values: JournalWrite, JournalRemoval, JournalRows.
	Journal      F = "journal"
	JournalClear F = "journal-clear"
	JournalRead  F = "journal-read"
	// KeyAdd and KeyRemove change the list of a partition's keys, KeysRead reads it. Values: KeyWrite, KeyList.
	KeyAdd    F = "key-add"
	KeyRemove F = "key-remove"
	KeysRead  F = "keys-read"
	// Commit commits an offset for the group. Value: OffsetCommit.
	Commit F = "commit"
	// Committed reads a committed offset back. Value: CommittedOffset.
	Committed F = "committed"
)

// The notes.
const (
	// Point is a named point that a worker reached. Value: PointReached.
	Point F = "point"
	// Fault is something done by the nemesis. Value: FaultDone.
	Fault F = "fault"
	// Group is the coordinator's own answer about the group, noted when it changed. Value: GroupSeen.
	Group F = "group"
	// Evicted is a member that the coordinator listed before and does not list any more, though it did not leave by
	// itself. Value: Eviction.
	Evicted F = "evicted"
	// Plan is the state of one step of the plan. Value: PlanStep.
	Plan F = "plan"
	// Dropped is something that a worker's own guard kept from being folded or written. Value: DroppedHere.
	Dropped F = "dropped"
	// Life is the beginning or the end of one member's one life. Value: LifeEvent.
	Life F = "life"
	// Record is one record of the input, read from the log itself at the end. Value: InputRecord.
	Record F = "record"
	// GroupLog is one entry of the coordinator's own log of the group, read at the end. Value: GroupLogEntry.
	GroupLog F = "group-log"
	// Truth is the ground truth at the start or at the end. Value: GroundTruth.
	Truth F = "truth"
	// End is the last event of a run that came to its end. Value: Ending.
	End F = "end"
)

// values gives the type of Value for each F; it is what makes a decoded event typed.
var values = map[F]reflect.Type{
	Produce: reflect.TypeFor[Produced](),
	Recover: reflect.TypeFor[Recovery](),
	Read:    reflect.TypeFor[RowRead](),
	Scan:    reflect.TypeFor[TableScan](),
	Persist: reflect.TypeFor[Write](),
	Delete:  reflect.TypeFor[Write](),

	Journal:      reflect.TypeFor[JournalWrite](),
	JournalClear: reflect.TypeFor[JournalRemoval](),
	JournalRead:  reflect.TypeFor[JournalRows](),
	KeyAdd:       reflect.TypeFor[KeyWrite](),
	KeyRemove:    reflect.TypeFor[KeyWrite](),
	KeysRead:     reflect.TypeFor[KeyList](),

	Commit:    reflect.TypeFor[OffsetCommit](),
	Committed: reflect.TypeFor[CommittedOffset](),
	Point:     reflect.TypeFor[PointReached](),
	Fault:     reflect.TypeFor[FaultDone](),
	Group:     reflect.TypeFor[GroupSeen](),
	Evicted:   reflect.TypeFor[Eviction](),
	Plan:      reflect.TypeFor[PlanStep](),
	Dropped:   reflect.TypeFor[DroppedHere](),
	Life:      reflect.TypeFor[LifeEvent](),
	Record:    reflect.TypeFor[InputRecord](),
	GroupLog:  reflect.TypeFor[GroupLogEntry](),
	Truth:     reflect.TypeFor[GroundTruth](),
	End:       reflect.TypeFor[Ending](),
}

// IsOp tells whether f is an operation; the other known ones are notes.
func (f F) IsOp() bool {
	switch f {
	case Produce, Recover, Read, Scan, Persist, Delete, Commit, Committed,
		Journal, JournalClear, JournalRead, KeyAdd, KeyRemove, KeysRead:
		return true
	}
	return false
}

// Produced is one append to the input.
type Produced struct {
	Partition int32        `json:"partition"`
	Event     ledger.Event `json:"event"`
	// Offset is where the broker put it; in the answer only.
	Offset Opt    `json:"offset,omitzero"`
	Error  string `json:"error,omitempty"`
}

// Owner is under what a worker acts: captured when the partition was handed to it.
type Owner struct {
	Member     string `json:"member"`
	Generation int32  `json:"generation"`
}

// Recovery is a new owner's recovery of one partition.
type Recovery struct {
	Partition int32 `json:"partition"`
	// Start is the offset that the owner will read from: fetched, with stable offsets required, before the store is read.
	Start int64 `json:"start"`
	// Keys are the keys that it reads: all of the partition's, those that are listed, or one at its first record.
	Keys []string `json:"keys"`
	Owner
	// Deadline is the time of the run, in nanoseconds, by which the member has to poll again, or it is put out of the group.
	Deadline Opt `json:"deadline,omitzero"`
	// States are what it made of each key, where that is not just the row: of an owner that restores from events. In the
	// answer only.
	States []RecoveredKey `json:"states,omitempty"`
	Error  string         `json:"error,omitempty"`
}

// Purpose is what a row is read for.
type Purpose string

const (
	// ForRecovery is a new owner's read.
	ForRecovery Purpose = "recovery"
	// ForProbe is the rig's read in the middle of a run, plain, at the arm's own consistency.
	ForProbe Purpose = "probe"
	// ForEnd is the rig's plain read after all writers were stopped.
	ForEnd Purpose = "end"
	// ForOwnWrite is a worker's plain read of a row that has refused it and may hold its own write.
	ForOwnWrite Purpose = "own-write"
	// ForSettling is the rig's SERIAL read after that, which finishes what was in doubt.
	ForSettling Purpose = "settling"
)

// RowRead is one read of a row. The row is absent when the answer is ok and Row is nil.
type RowRead struct {
	Partition   int32   `json:"partition"`
	Key         string  `json:"key"`
	Purpose     Purpose `json:"purpose"`
	Consistency string  `json:"consistency"`
	// Member and Generation are of the owner that recovers; empty for the rig's own reads.
	Member     string `json:"member,omitempty"`
	Generation int32  `json:"generation,omitempty"`
	Row        *Row   `json:"row,omitempty"`
	Error      string `json:"error,omitempty"`
}

// Row is what a read of a key returned.
type Row struct {
	// Offset is the row's offset cell, not the offset inside the value; unknown when the cell is null.
	Offset Opt `json:"offset,omitzero"`
	// State is the row's value, nil when the cell is null: then the row is a tombstone.
	State *ledger.State `json:"state,omitempty"`
	// Broken is the value as it was found, where it is no state.
	Broken string `json:"broken,omitempty"`
	// Write and Generation are of the write that the row shows, from its metadata; empty when there is none.
	Write      string `json:"write,omitempty"`
	Generation int32  `json:"generation,omitempty"`
	// WritetimeValue and WritetimeOffset are the timestamps of the two cells in microseconds; unknown unless asked for.
	WritetimeValue  Opt `json:"writetime_value,omitzero"`
	WritetimeOffset Opt `json:"writetime_offset,omitzero"`
	// TTL is the rest of the value's life in seconds; unknown when it has none or was not asked for.
	TTL Opt `json:"ttl,omitzero"`
}

// Tombstone tells whether the row is there but holds no value.
func (r *Row) Tombstone() bool { return r != nil && r.State == nil && r.Broken == "" }

// TableScan is one plain read of all rows of this run.
type TableScan struct {
	Consistency string `json:"consistency"`
	// Rows are the keys found, in order.
	Rows  []KeyedRow `json:"rows,omitempty"`
	Error string     `json:"error,omitempty"`
}

// KeyedRow is a row with its key.
type KeyedRow struct {
	Partition int32  `json:"partition"`
	Key       string `json:"key"`
	Row       Row    `json:"row"`
}

// Write is one persist or delete: the whole compound of the arm.
type Write struct {
	Partition int32  `json:"partition"`
	Key       string `json:"key"`
	// Offset is the write's own: that of the last record folded into it.
	Offset int64 `json:"offset"`
	Owner
	// Write identifies it: the process and a number, also stored in the row's metadata.
	Write string `json:"write"`
	// State is what is stored; nil for a delete.
	State *ledger.State `json:"state,omitempty"`
	// Timestamp is the client's, in microseconds since 1970, taken after any hold; unknown for conditional writes, whose
	// timestamp the server sets.
	Timestamp Opt `json:"timestamp,omitzero"`
	// Statements are those sent for it, with what came of each; in the answer only.
	Statements []StatementDone `json:"statements,omitempty"`
	// Settled is SettledOwn where the row refused the write because it held it already; in ok only.
	Settled string `json:"settled,omitempty"`
	// Code is why it was refused or is unknown; in fail and info only. CodeCondition is the row's own refusal.
	Code string `json:"code,omitempty"`
	// Stored is the offset that the refusal named.
	Stored Opt    `json:"stored,omitzero"`
	Error  string `json:"error,omitempty"`
}

// CodeCondition is the Code of a write that the row's condition refused. CodeResent is that of one which was refused when
// the driver sent it again: an earlier sending may have taken effect.
const (
	CodeCondition = "condition"
	CodeResent    = "resent"
)

// SettledOwn is how a write was settled whose refusal was by its own earlier sending: a read found its id in the row.
const SettledOwn = "own-write"

// StatementDone is one statement of a compound.
type StatementDone struct {
	// CQL names the statement's form: "update-if-offset", "insert-if-not-exists", "update", "delete", ...; what it asks the
	// row before it changes it comes after an "if".
	CQL string `json:"cql"`
	// Result is "applied", "absent" (refused: no row), "null" (refused: the offset is null), "refused", or an error.
	Result string `json:"result"`
	Stored Opt    `json:"stored,omitzero"`
	// Earlier are the errors after which the driver sent it again by itself, by the names of results.
	Earlier []string `json:"earlier,omitempty"`
}

// Conditional tells whether the statement asked the row before it changed it.
func (s StatementDone) Conditional() bool { return strings.Contains(s.CQL, "-if-") }

// OffsetCommit is one commit by a worker. Offset is the next one to read.
type OffsetCommit struct {
	Partition int32 `json:"partition"`
	Offset    int64 `json:"offset"`
	Owner
	// Code is the broker's error code name; in fail and info only.
	Code  string `json:"code,omitempty"`
	Error string `json:"error,omitempty"`
}

// CommittedOffset is one committed offset read back: the next one to read; unknown in an ok answer means none.
type CommittedOffset struct {
	Partition int32  `json:"partition"`
	Offset    Opt    `json:"offset,omitzero"`
	Error     string `json:"error,omitempty"`
}

// PointReached is a named point that a worker reached.
type PointReached struct {
	Point string `json:"point"`
	// Partition is -1 where the point is of the worker as a whole.
	Partition int32  `json:"partition"`
	Key       string `json:"key,omitempty"`
	// Offset is the record's, the write's own, the committed or the start offset, by the kind of point.
	Offset Opt `json:"offset,omitzero"`
	Owner
	// Outcome is "applied", "refused", "failed" or "unknown" where an answer was awaited.
	Outcome string `json:"outcome,omitempty"`
}

// FaultDone is something done by the nemesis.
type FaultDone struct {
	// Fault is start, stop, hold, release, kill, evict or probe.
	Fault string `json:"fault"`
	// Target is the worker's name; Life its process at that moment.
	Target string `json:"target"`
	Life   string `json:"life,omitempty"`
	// Phase is "begin" when the fault is ordered and "done" when its effect was proved.
	Phase string `json:"phase"`
	// Proof is the raw answer, or the fact, that shows the effect.
	Proof string `json:"proof,omitempty"`
}

// GroupSeen is the coordinator's own answer about the group.
type GroupSeen struct {
	State   string        `json:"state"`
	Members []MemberAtAll `json:"members"`
}

// MemberAtAll is one member as the coordinator lists it. Client is the process that it serves.
type MemberAtAll struct {
	Member string `json:"member"`
	Client string `json:"client"`
	// Partitions are those assigned, known only while the group is stable.
	Partitions []int32 `json:"partitions,omitempty"`
}

// Eviction is a member that the coordinator does not list any more.
type Eviction struct {
	Target string `json:"target"`
	Life   string `json:"life"`
	Member string `json:"member"`
	// Proof is the coordinator's raw answer.
	Proof string `json:"proof"`
}

// PlanStep is the state of one step of the plan, or of one stage of the input.
type PlanStep struct {
	// Of is "plan" or "input"; Step counts from 1 in each.
	Of   string `json:"of"`
	Step int    `json:"step"`
	// Status is "armed", "done", "timeout", or "passed": what a step of a drawn plan could not do.
	Status string `json:"status"`
	// Detail says what is waited for, at a timeout where each worker stands, or what was passed over and why.
	Detail string `json:"detail,omitempty"`
}

// DroppedHere is something that never left the worker, because one of its own guards stopped it.
type DroppedHere struct {
	Partition int32  `json:"partition"`
	Key       string `json:"key"`
	// Offset is that of the record that was not folded, or of the state that was not held to be written.
	Offset int64 `json:"offset"`
	// By is the guard: "replay-filter" or "monotone-buffer". Floor is the offset that it compared with.
	By    string `json:"by"`
	Floor int64  `json:"floor"`
	Owner
}

// LifeEvent is the beginning of one member's one life, or its end by an error of its own; what ends it from outside is a
// FaultDone.
type LifeEvent struct {
	// Status is "begin", or "failed": it will be restarted, as the next life.
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
}

// InputRecord is one record of the input, read from the log itself.
type InputRecord struct {
	Partition int32        `json:"partition"`
	Offset    int64        `json:"offset"`
	Event     ledger.Event `json:"event"`
}

// GroundTruth is what is stored and committed before the first, or after the last, worker acted.
type GroundTruth struct {
	// At is "start" or "end".
	At string `json:"at"`
	// Rows are all rows of the run's group; Committed the next offset to read by partition, -1 for none.
	Rows      []KeyedRow `json:"rows"`
	Committed []int64    `json:"committed"`
	// Journal is the events left in the journal, where a worker keeps one; at the end only.
	Journal []JournalEntry `json:"journal,omitempty"`
}

// Ending says how the run ended.
type Ending struct {
	// Finished tells whether the plan and the stages were done.
	Finished bool `json:"finished"`
	// Reason says why it ended.
	Reason string `json:"reason"`
}
