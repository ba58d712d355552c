package history

import "github.com/single-writer/chaos/ledger"

// The values of a worker that restores its keys from events (kafka-flow's restoreEvents): beside the snapshots it keeps a
// journal, one row an event, and a list of the keys of each partition. Both are written plainly, with the client's
// timestamp, and nothing fences them.

// JournalWrite is one event's row added to a journal.
type JournalWrite struct {
	Partition int32  `json:"partition"`
	Key       string `json:"key"`
	// Offset is the event's own, of the input.
	Offset int64 `json:"offset"`
	Owner
	// Write identifies it, as that of a persist does; it is in the row's metadata too.
	Write string       `json:"write"`
	Event ledger.Event `json:"event"`
	// Timestamp is the client's, in microseconds since 1970, taken after any hold.
	Timestamp int64 `json:"timestamp"`
	// Code is why there is no answer; in fail and info only.
	Code  string `json:"code,omitempty"`
	Error string `json:"error,omitempty"`
}

// JournalEntry is one row of a journal as a read finds it.
type JournalEntry struct {
	Partition int32  `json:"partition"`
	Key       string `json:"key"`
	Offset    int64  `json:"offset"`
	// Event is the row's value, nil when it is no event.
	Event *ledger.Event `json:"event,omitempty"`
	// Write identifies the write that the row shows; empty where its metadata do not.
	Write string `json:"write,omitempty"`
}

// JournalRemoval removes all rows of a key's journal.
type JournalRemoval struct {
	Partition int32  `json:"partition"`
	Key       string `json:"key"`
	Owner
	Timestamp int64  `json:"timestamp"`
	Code      string `json:"code,omitempty"`
	Error     string `json:"error,omitempty"`
}

// JournalRows is one read of a key's whole journal.
type JournalRows struct {
	Partition int32  `json:"partition"`
	Key       string `json:"key"`
	Owner
	// Rows are what was found, in the order of their offsets; in the answer only.
	Rows  []JournalEntry `json:"rows,omitempty"`
	Error string         `json:"error,omitempty"`
}

// KeyWrite adds a key to its partition's list, or takes it off.
type KeyWrite struct {
	Partition int32  `json:"partition"`
	Key       string `json:"key"`
	Owner
	Timestamp int64  `json:"timestamp"`
	Code      string `json:"code,omitempty"`
	Error     string `json:"error,omitempty"`
}

// KeyList is one read of the keys listed of a partition.
type KeyList struct {
	Partition int32 `json:"partition"`
	Owner
	// Keys are those found, in order; in the answer only.
	Keys  []string `json:"keys,omitempty"`
	Error string   `json:"error,omitempty"`
}

// RecoveredKey is what a recovery from events made of one key.
type RecoveredKey struct {
	Key string `json:"key"`
	// State is what the owner folds on from; nil when the account is not open.
	State *ledger.State `json:"state,omitempty"`
	// Floor is the offset below which the owner's buffer takes nothing; unknown when nothing was found.
	Floor Opt `json:"floor,omitzero"`
}
