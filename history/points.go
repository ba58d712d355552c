package history

import (
	"slices"
	"strings"
)

// PointReached is a named point that a worker reached.
type PointReached struct {
	Point string `json:"point"`
	// Partition is -1 where the point is of the worker as a whole.
	Partition int32  `json:"partition"`
	Key       string `json:"key,omitempty"`
	// Offset is what OffsetAt says of the point.
	Offset Opt `json:"offset,omitzero"`
	Owner
	// Outcome is one of the outcomes below where an answer was awaited.
	Outcome string `json:"outcome,omitempty"`
}

// The points at which a worker's steps can be interleaved with anything else. A point is reached before, or after, the
// thing that it is called by; what comes between two points is one step.
const (
	PointAssigned        = "assigned"
	PointRevoked         = "revoked"
	PointLost            = "lost"
	PointRecoverBegin    = "recover-begin"
	PointRecovered       = "recovered"
	PointPolled          = "polled"
	PointFolded          = "folded"
	PointJournalAnswered = "journal-answered"
	PointFlushUnderWay   = "flush-under-way"
	PointBeforePersist   = "before-persist"
	PointPersistSent     = "persist-sent"
	PointPersistAnswered = "persist-answered"
	PointBeforeDelete    = "before-delete"
	PointDeleteSent      = "delete-sent"
	PointDeleteAnswered  = "delete-answered"
	PointBeforeCommit    = "before-commit"
	PointCommitSent      = "commit-sent"
	PointCommitAnswered  = "commit-answered"
	PointFlushOnRevoke   = "flush-on-revoke"
	PointTeardown        = "teardown"
)

// answered ends the names of the points after an answer.
const answered = "-answered"

// Before names the point before a persist, a delete or a commit.
func (f F) Before() string { return "before-" + string(f) }

// Sent names the point between its request and the answer.
func (f F) Sent() string { return string(f) + "-sent" }

// Answered names the point after the answer; a row of the journal has this one alone.
func (f F) Answered() string { return string(f) + answered }

// AfterAnswer tells whether a point comes after an answer, so that it has an outcome.
func AfterAnswer(point string) bool { return strings.HasSuffix(point, answered) }

// The outcomes of points that come after an answer: refused is what was asked for and denied, failed what had no effect for
// another reason, as it was never sent.
const (
	OutcomeApplied = "applied"
	OutcomeRefused = "refused"
	OutcomeFailed  = "failed"
	OutcomeUnknown = "unknown"
)

// OffsetKind is what the offset of a point is.
type OffsetKind int

const (
	// NoOffset: the point names none.
	NoOffset OffsetKind = iota
	// RecordOffset is that of a record, the last that the point is about.
	RecordOffset
	// WriteOffset is a write's own: that of the last record folded into it.
	WriteOffset
	// NextOffset is the next one to read: one beyond the last that the point is about.
	NextOffset
)

// NamedPoint is a point, what its offset is, and what it means.
type NamedPoint struct {
	Name    string
	Offset  OffsetKind
	Meaning string
}

// points are all points, in the order in which a worker comes to them.
var points = []NamedPoint{
	{PointAssigned, NextOffset, "a partition was handed to the worker; its offset is the one to start from"},
	{PointRecoverBegin, NextOffset, "before the first row of the partition, or of a key that is recovered at its first record, is read"},
	{PointRecovered, NextOffset, "all rows of the partition, or of that key, were read"},
	{PointPolled, RecordOffset, "a poll returned records; its offset is the last one's"},
	{PointFolded, RecordOffset, "a record was folded into its key's state, or left out by the replay filter"},
	{PointJournalAnswered, RecordOffset, "an event's row in the journal came to its end, whatever the answer"},
	{PointFlushUnderWay, RecordOffset, "the poll loop has come to an account whose flush is under way, and waits for its end; without the guard " +
		"serial-flush it has folded its record already"},
	{PointBeforePersist, WriteOffset, "before a dirty state is flushed, and before its timestamp is taken"},
	{PointPersistSent, WriteOffset, "a statement of the flush was sent, its answer not awaited yet"},
	{PointPersistAnswered, WriteOffset, "the flush came to its end, whatever the answer"},
	{PointBeforeDelete, WriteOffset, "before a closed account is deleted, and before the timestamp is taken"},
	{PointDeleteSent, WriteOffset, "a statement of the delete was sent, its answer not awaited yet"},
	{PointDeleteAnswered, WriteOffset, "the delete came to its end, whatever the answer"},
	{PointBeforeCommit, NextOffset, "before the lowest held offset is committed"},
	{PointCommitSent, NextOffset, "the commit was sent, its answer not awaited yet"},
	{PointCommitAnswered, NextOffset, "the commit was answered; a trigger takes an accepted one unless it says otherwise"},
	{PointRevoked, NextOffset, "a partition is being taken from the worker, which is still in the group; its offset is the next one to read"},
	{PointLost, NextOffset, "a partition was lost: another worker may own it; its offset is the next one to read"},
	{PointFlushOnRevoke, NextOffset, "before what is dirty of a partition is stored because the worker gives it up"},
	{PointTeardown, NoOffset, "the worker ends by its own error; what it gives up comes next"},
}

// Points are all points with what each means, in the order in which a worker comes to them.
func Points() []NamedPoint { return slices.Clone(points) }

// OffsetAt tells what the offset of a point is.
func OffsetAt(point string) OffsetKind {
	i := slices.IndexFunc(points, func(p NamedPoint) bool { return p.Name == point })
	if i < 0 {
		return NoOffset
	}
	return points[i].Offset
}
