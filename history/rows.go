package history

import "github.com/single-writer/chaos/ledger"

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
