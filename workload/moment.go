package workload

import (
	"fmt"
	"time"

	"github.com/single-writer/chaos/history"
)

// Timeout is a trigger whose moment did not come.
type Timeout struct {
	Of    string
	Step  int
	For   Trigger
	Where string
}

func (t *Timeout) Error() string {
	s := fmt.Sprintf("step %d of the %s waited %s for %s", t.Step, t.Of, t.For.Limit(), t.For)
	if t.For.Where != "" {
		s = t.For.Where + ": " + s
	}
	return s + "; " + t.Where
}

// WatchFor arms a trigger. A trigger of nothing comes at once.
func WatchFor(m Moments, t Trigger, in *Input) Watch {
	if t.IsZero() {
		return noWatch{}
	}
	return m.Watch(func(e history.Event) bool { return t.Matches(e, in) })
}

// WaitFor waits for the moment of a step of the plan, or of a stage of the input. When that is a point, its worker stays in it
// until the watch is done.
func WaitFor(w World, watch Watch, m Moments, of string, step int, t Trigger) error {
	if t.IsZero() {
		return nil
	}
	w.Note(history.Plan, &history.PlanStep{Of: of, Step: step, Status: "armed", Detail: t.String()})
	if _, ok := watch.Await(t.Limit()); ok {
		return nil
	}
	late := &Timeout{Of: of, Step: step, For: t, Where: m.Where()}
	watch.Done()
	w.Note(history.Plan, &history.PlanStep{Of: of, Step: step, Status: "timeout", Detail: late.Error()})
	return late
}

// noWatch is the watch of a step that waits for nothing: its moment is now.
type noWatch struct{}

func (noWatch) Await(time.Duration) (history.Event, bool) { return history.Event{}, true }
func (noWatch) Done()                                     {}
