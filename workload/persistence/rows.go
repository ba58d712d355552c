// Package persistence is the arms: how a worker keeps its snapshots, and what stops an owner that is none any more.
//
// An arm is a preset of guards over one buffer a key. Decision trees, repairs and what an answer means are here, above
// the seam; below it is one typed statement and its answer.
package persistence

import (
	"fmt"
	"slices"

	"github.com/single-writer/chaos/history"
)

// Outcome is what is known of a request when its answer was awaited.
type Outcome int

const (
	// Answered: the server answered; the answer says what came of it.
	Answered Outcome = iota
	// Failed: the request definitely had no effect.
	Failed
	// Unknown: it may have taken effect, may yet, or never will.
	Unknown
)

// Type is the history's word for an operation with this outcome that nothing else is known of.
func (o Outcome) Type() history.Type {
	return [...]history.Type{history.OK, history.Fail, history.Info}[o]
}

// Call is a request that was started. Await waits for its answer; err says why there is none.
type Call[T any] interface {
	Await() (answer T, outcome Outcome, err error)
}

// Rows is the store's tables, reached by one statement at a time.
type Rows interface {
	Start(s Statement) Call[Answer]
}

// Table is what a statement is about.
type Table int

const (
	// Snapshots has one row a key: (application_id, group_id, topic, partition, key) -> offset, created, metadata, value.
	Snapshots Table = iota
	// Journal has one row an event, which is its value: the same key and, ordering its rows, the offset.
	Journal
	// Keys has one row a key, without a value: (application_id, group_id, topic, partition) and, ordering its rows, the key.
	Keys
)

// Verb is what a statement does.
type Verb int

const (
	// Select reads one row of the snapshots, all rows of a key in the journal, or all keys of a partition, in their order;
	// Scan reads all rows of the run's group.
	Select Verb = iota
	Scan
	// Update writes cells of a row, which it creates where there is none unless a condition forbids it.
	Update
	// Insert writes a whole row.
	Insert
	// Remove deletes the row; of the journal, all rows of the key.
	Remove
	// Expire makes the offset and the value of a snapshot null, with the timestamp that is given: with that of the cells, it
	// leaves what the end of their TTL leaves, as of equal timestamps the null wins.
	Expire
)

// Condition is the IF of a statement.
type Condition int

const (
	// Always: the statement is plain, and the greater timestamp wins.
	Always Condition = iota
	// IfOffsetAtMost is IF offset <= the statement's own offset.
	IfOffsetAtMost
	// IfOffsetNull is IF offset = null.
	IfOffsetNull
	// IfExists and IfNotExists ask only for the row.
	IfExists
	IfNotExists
)

// Statement is one CQL statement. Those on the journal and on the keys are plain.
type Statement struct {
	Table Table
	Verb  Verb
	// Partition and Key name the row; the rest of the primary key is the run's.
	Partition int32
	Key       string
	// Offset, Metadata and Value are the cells written. A nil Value writes null: a tombstone. NoOffset makes the offset null
	// too, where it is written and where the condition compares with it.
	Offset   int64
	NoOffset bool
	Metadata string
	Value    []byte
	If       Condition
	// TTL is the life of what is written, in seconds; 0 is for ever.
	TTL int
	// Timestamp is the client's, in microseconds; it goes with plain writes only.
	Timestamp int64
	// Serial asks for a SERIAL read, which finishes what is in doubt. Writetimes asks for WRITETIME and TTL too.
	Serial     bool
	Writetimes bool
	// Page is how many rows of a Scan one page has; 0 leaves it to the driver.
	Page int
}

// Form names the statement in histories and texts.
func (s Statement) Form() string {
	verb := [...]string{"select", "scan", "update", "insert", "delete", "expire"}[s.Verb]
	table := [...]string{"", "journal-", "keys-"}[s.Table]
	return table + verb + [...]string{"", "-if-offset", "-if-offset-null", "-if-exists", "-if-not-exists"}[s.If]
}

// Shapes are one statement of every form that the arms and the observer use, without names and cells.
func Shapes() []Statement {
	return []Statement{
		{Verb: Select}, {Verb: Scan}, {Verb: Update}, {Verb: Remove}, {Verb: Expire},
		{Verb: Update, If: IfOffsetAtMost}, {Verb: Insert, If: IfNotExists}, {Verb: Update, If: IfExists}, {Verb: Update, If: IfOffsetNull},
		{Verb: Remove, If: IfOffsetAtMost}, {Verb: Remove, If: IfExists},
		{Table: Journal, Verb: Insert}, {Table: Journal, Verb: Select}, {Table: Journal, Verb: Remove}, {Table: Journal, Verb: Scan},
		{Table: Keys, Verb: Insert}, {Table: Keys, Verb: Select}, {Table: Keys, Verb: Remove},
	}
}

// Refusal is what a conditional statement that was not applied says of the row.
type Refusal int

const (
	// RowAbsent: the answer has only [applied]: there is no row.
	RowAbsent Refusal = iota
	// OffsetNull: the row is there, its offset is null or has expired.
	OffsetNull
	// OffsetStored: the row is there, with the offset that the answer names.
	OffsetStored
)

// Answer is what a statement returned.
type Answer struct {
	// Applied is true for a plain write that was acknowledged and for a conditional one that was applied.
	Applied bool
	Refusal Refusal
	// Stored is the offset that a refusal named.
	Stored int64
	// Row is what a Select of a snapshot found, nil when there is no row; Rows what a Scan found, or a Select of the journal or
	// of the keys.
	Row  *RawRow
	Rows []RawRow
	// Earlier is what became of the sendings before the last one, where the store's client sent the statement again by
	// itself; it is known also where there is no answer.
	Earlier []*Error
}

// RawRow is a row as it is stored, before anything is made of its value.
type RawRow struct {
	Partition                       int32
	Key                             string
	Offset                          history.Opt
	Metadata                        string
	Value                           []byte
	WritetimeValue, WritetimeOffset history.Opt
	TTL                             history.Opt
}

// Error is an error of the store or the broker, with its name in the history.
type Error struct {
	Code string
	// NoEffect tells that the request definitely had none, then or later.
	NoEffect bool
	// Got and Needed are what the server said of replicas when there were too few: how many had answered in time, had accepted,
	// or were alive, and how many had to.
	Got, Needed int
	Err         error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Code, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// InDoubt tells whether an earlier sending of a statement may have taken effect.
func InDoubt(earlier []*Error) bool {
	return slices.ContainsFunc(earlier, func(e *Error) bool { return !e.NoEffect })
}
