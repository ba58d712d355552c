package history

// GroupLogEntry is one record about the run's group in the coordinator's own log (Kafka's topic __consumer_offsets), in
// the log's order. It is one of its last four fields.
type GroupLogEntry struct {
	// Position is the record's offset in its partition of that topic. Other groups have records there too, so that
	// positions rise and have gaps.
	Position int64 `json:"position"`
	// Timestamp is the record's, in milliseconds since 1970 by the broker's clock; unknown where the log ends.
	Timestamp Opt           `json:"timestamp,omitzero"`
	Commit    *LoggedCommit `json:"commit,omitempty"`
	Group     *LoggedGroup  `json:"group,omitempty"`
	// KeyVersion is that of a record whose meaning the rig does not know.
	KeyVersion Opt `json:"key_version,omitzero"`
	// Ends: there is no record here. Everything before this position was read, and all that is the group's is above.
	Ends bool `json:"ends,omitempty"`
}

// LoggedCommit is a commit that the coordinator accepted.
type LoggedCommit struct {
	Partition int32 `json:"partition"`
	// Offset is the next one to read; unknown when the record removes what was committed.
	Offset Opt `json:"offset,omitzero"`
	// Member and Generation are under what a worker of the run committed, as it wrote into the commit's own metadata;
	// empty for a commit by anybody else.
	Member     string `json:"member,omitempty"`
	Generation int32  `json:"generation,omitempty"`
}

// LoggedGroup is what the coordinator stored of a classic group: who is in it and what each was assigned.
type LoggedGroup struct {
	// Generation is unknown when the record removes the group.
	Generation Opt `json:"generation,omitzero"`
	// ProtocolType, Protocol (the name of the assignor) and Leader (a member id) are empty where there is none.
	ProtocolType string         `json:"protocol_type,omitempty"`
	Protocol     string         `json:"protocol,omitempty"`
	Leader       string         `json:"leader,omitempty"`
	Members      []LoggedMember `json:"members,omitempty"`
}

// LoggedMember is one member of a stored group. Session and Rebalance are its time-outs in milliseconds.
type LoggedMember struct {
	Member     string  `json:"member"`
	Client     string  `json:"client"`
	Session    int32   `json:"session_timeout"`
	Rebalance  int32   `json:"rebalance_timeout"`
	Partitions []int32 `json:"partitions,omitempty"`
}
