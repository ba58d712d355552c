package history

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

// LifeEvent is the beginning of one member's one life, or its end by an error of its own; what ends it from outside is a
// FaultDone.
type LifeEvent struct {
	// Status is "begin", or "failed": it will be restarted, as the next life.
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
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
