package history

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
