// Package history is the record of a run: one append-only log of everything that the rig did and saw, in JSON lines.
//
// The first line is the Header, each further line one Event. The field names are Jepsen's: index, time, process, type,
// f, value. Operations are an invoke followed by ok, fail or info of the same op id; everything else is a note.
// docs/history.md gives every field. The package knows the shape of a history and refuses one that is malformed; what
// a history means is the checker's to say.
package history

import "fmt"

// Schema is the version of the format that this package writes, and the only one it reads.
const Schema = 1

// Type is what an event is to its operation.
type Type string

const (
	// Invoke begins an operation.
	Invoke Type = "invoke"
	// OK ends an operation that took effect, or a read that got its answer.
	OK Type = "ok"
	// Fail ends an operation that definitely had no effect, then or later.
	Fail Type = "fail"
	// Info ends an operation whose outcome is unknown: it may have taken effect, may yet, or never will. An operation
	// without any ending counts as this.
	Info Type = "info"
	// Note is an event that is no part of an operation.
	Note Type = "note"
)

// Event is one line of the history.
type Event struct {
	// Index is the event's place: 0 for the first after the header, without gaps.
	Index int
	// Time is nanoseconds on the run's monotonic clock (virtual in simulation) since its beginning.
	Time int64
	// Process is who did it: one member's one life ("a/1", after a restart "a/2"), or one of the rig's own (processes.go).
	Process string
	Type    Type
	F       F
	// Op pairs the events of one operation; 0 for a note.
	Op int64
	// Value holds what this f needs: a pointer to the type that the table in f.go gives for F.
	Value any
}

// Line is the number of the event's line in a history file; the header is line 1.
func (e Event) Line() int { return e.Index + 2 }

// String is the short form used in error texts.
func (e Event) String() string {
	return fmt.Sprintf("event %d (%s %s %s)", e.Index, e.Process, e.Type, e.F)
}

// Recorder takes events in the order in which they happen. It gives each its index and returns it.
type Recorder interface {
	Record(e Event) Event
}

// Header is the first line: what was run.
type Header struct {
	Schema   int    `json:"schema"`
	Rig      string `json:"rig"`
	Version  string `json:"version"`
	Scenario string `json:"scenario"`
	Arm      string `json:"arm"`
	// Guards are those that the arm had in this run, Without those that were taken from it.
	Guards  []string     `json:"guards"`
	Without []string     `json:"without"`
	Seed    int64        `json:"seed"`
	Cluster ClusterFacts `json:"cluster"`
	Input   InputFacts   `json:"input"`
	// Requires are the preconditions of the scenario for this arm, in the scenario's words.
	Requires []string `json:"requires"`
}

// ClusterFacts says what the run ran against.
type ClusterFacts struct {
	// Kind is "sim", "containers" or "external".
	Kind string `json:"kind"`
	// Kafka and Cassandra are the servers' versions, or "sim".
	Kafka     string `json:"kafka"`
	Cassandra string `json:"cassandra"`
	// Consistency is the level of plain reads and writes, Serial that of conditional writes.
	Consistency string `json:"consistency"`
	Serial      string `json:"serial"`
	Driver      string `json:"driver,omitempty"`
	// Schedule is how the simulator drew the schedule, where that was not the plain random walk with one node of each.
	Schedule string `json:"schedule,omitempty"`
}

// InputFacts says what the whole input is, whether or not all of it was produced.
type InputFacts struct {
	Partitions int `json:"partitions"`
	// Keys are the accounts, in the order of their numbers; key i is in partition i mod Partitions.
	Keys   []string `json:"keys"`
	Events int64    `json:"events"`
}

// History is a whole history in memory.
type History struct {
	Header Header
	Events []Event
	// Warnings say what the reader left out: a torn last line.
	Warnings []string
}

// Ended tells whether the history has its end: the run came to its end and the rig's last reads are in it.
func (h *History) Ended() bool {
	return len(h.Events) > 0 && h.Events[len(h.Events)-1].F == End
}
