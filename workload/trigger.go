package workload

import (
	"fmt"
	"time"

	"github.com/single-writer/chaos/history"
)

// DefaultWithin is how long a trigger waits, on the world's clock, unless it says otherwise.
const DefaultWithin = 30 * time.Second

// LastCommit is how long the committed offset may take to reach the end after plan and stages are done.
const LastCommit = 30 * time.Second

// Trigger is a moment that a step of the plan, or a stage of the input, waits for: a worker at a point, or a worker out
// of its group. It sees only what happens after it was armed.
type Trigger struct {
	// Evicted names a worker that the coordinator does not list any more; the other fields but Within are then unused.
	Evicted string
	// Worker and Point name a worker, in whatever life, at a point.
	Worker string
	Point  string
	// Event is the number of an event that the point must cover; a later one counts too. 0 for any.
	Event int64
	// Answer is the outcome that the point must have: applied, refused, failed, unknown or any. Empty is applied for
	// commit-answered and any elsewhere.
	Answer string
	// Within is how long to wait; 0 is DefaultWithin.
	Within time.Duration
	// Where is file:line:col, for messages.
	Where string
}

// AnyAnswer is the Answer of a trigger that takes a point whatever its outcome.
const AnyAnswer = "any"

// IsZero tells whether there is nothing to wait for.
func (t Trigger) IsZero() bool { return t.Evicted == "" && t.Worker == "" }

// Limit is how long the trigger waits.
func (t Trigger) Limit() time.Duration {
	if t.Within > 0 {
		return t.Within
	}
	return DefaultWithin
}

// Matches tells whether the event is the moment; in finds out which offset an event number means.
func (t Trigger) Matches(e history.Event, in *Input) bool {
	switch v := e.Value.(type) {
	case *history.Eviction:
		return t.Evicted != "" && v.Target == t.Evicted
	case *history.PointReached:
		return t.Evicted == "" && history.WorkerOf(e.Process) == t.Worker && v.Point == t.Point &&
			t.covers(v, in) && t.answered(v)
	}
	return false
}

// covers tells whether the point's offset covers the event.
func (t Trigger) covers(v *history.PointReached, in *Input) bool {
	if t.Event == 0 {
		return true
	}
	partition, offset, ok := in.Position(t.Event)
	if !ok || !v.Offset.Known || v.Partition != partition {
		return false
	}
	last := v.Offset.N
	if history.OffsetAt(v.Point) == history.NextOffset {
		last--
	}
	return last >= offset
}

func (t Trigger) answered(v *history.PointReached) bool {
	want := t.Answer
	if want == "" {
		want = AnyAnswer
		if t.Point == history.PointCommitAnswered {
			want = history.OutcomeApplied
		}
	}
	return want == AnyAnswer || v.Outcome == want
}

// String says what is waited for.
func (t Trigger) String() string {
	switch {
	case t.IsZero():
		return "nothing"
	case t.Evicted != "":
		return fmt.Sprintf("the coordinator to list no %s", t.Evicted)
	}
	s := fmt.Sprintf("%s at `%s`", t.Worker, t.Point)
	if t.Event > 0 {
		s += fmt.Sprintf(" covering event %d", t.Event)
	}
	if t.Answer != "" {
		s += ", answer " + t.Answer
	}
	return s
}
