package cluster

import "github.com/single-writer/chaos/workload/persistence"

// Log is one partition of a topic of its own, appended to batch by batch. Unlike a producer it numbers nothing by itself and
// sends nothing again. No run uses it; it is for who looks at the broker.
type Log interface {
	// Append appends a batch, all of it or nothing.
	Append(b Batch) persistence.Call[Appended]
	// Read gives what there is, by rising offset; where something was compacted away there are gaps.
	Read() persistence.Call[[]LogRecord]
}

// Batch is records that one producer sends together: Sequence is the number of the first, counted by producer, epoch and
// partition (KIP-98).
type Batch struct {
	Producer int64
	Epoch    int16
	Sequence int32
	Records  []LogRecord
}

// LogRecord is a record with a key; one whose value is nil is a tombstone. Its offset is the broker's to give.
type LogRecord struct {
	Offset int64
	Key    string
	Value  []byte
}

// Appended is the answer to a batch: Code is empty when it is in the log, from Base on.
type Appended struct {
	Code string
	Base int64
}
