package history

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
