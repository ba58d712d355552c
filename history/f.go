package history

import "reflect"

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

// kind is what an event of one F is: the type of its Value, whether it is of an operation, and whether that one changes
// what is stored.
type kind struct {
	value     reflect.Type
	op, write bool
}

func note[V any]() kind      { return kind{value: reflect.TypeFor[V]()} }
func operation[V any]() kind { return kind{value: reflect.TypeFor[V](), op: true} }
func writing[V any]() kind   { return kind{value: reflect.TypeFor[V](), op: true, write: true} }

// vocabulary is every F that there is. It is what makes a decoded event typed.
var vocabulary = map[F]kind{
	Produce: operation[Produced](),
	Recover: operation[Recovery](),
	Read:    operation[RowRead](),
	Scan:    operation[TableScan](),
	Persist: writing[Write](),
	Delete:  writing[Write](),

	Journal:      writing[JournalWrite](),
	JournalClear: writing[JournalRemoval](),
	JournalRead:  operation[JournalRows](),
	KeyAdd:       writing[KeyWrite](),
	KeyRemove:    writing[KeyWrite](),
	KeysRead:     operation[KeyList](),

	Commit:    operation[OffsetCommit](),
	Committed: operation[CommittedOffset](),

	Point:    note[PointReached](),
	Fault:    note[FaultDone](),
	Group:    note[GroupSeen](),
	Evicted:  note[Eviction](),
	Plan:     note[PlanStep](),
	Dropped:  note[DroppedHere](),
	Life:     note[LifeEvent](),
	Record:   note[InputRecord](),
	GroupLog: note[GroupLogEntry](),
	Truth:    note[GroundTruth](),
	End:      note[Ending](),
}

// IsOp tells whether f is an operation; the other known ones are notes.
func (f F) IsOp() bool { return vocabulary[f].op }

// IsWrite tells whether f is an operation that changes a table of the store.
func (f F) IsWrite() bool { return vocabulary[f].write }
