package workload

import (
	"fmt"

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

// Arm arms a trigger for a step of the plan or a stage of the input and waits for its moment. When that is a point, its
// worker stays in it until the watch is done. A trigger of nothing comes at once.
func Arm(w World, m Moments, of string, step int, t Trigger, in *Input) (Watch, error) {
	if t.IsZero() {
		return noWatch{}, nil
	}
	watch := m.Watch(func(e history.Event) bool { return t.Matches(e, in) })
	w.Note(history.Plan, &history.PlanStep{Of: of, Step: step, Status: "armed", Detail: t.String()})
	if _, ok := watch.Await(t.Limit()); !ok {
		late := &Timeout{Of: of, Step: step, For: t, Where: m.Where()}
		watch.Done()
		w.Note(history.Plan, &history.PlanStep{Of: of, Step: step, Status: "timeout", Detail: late.Error()})
		return nil, late
	}
	return watch, nil
}

// noWatch is the watch of a step that waits for nothing.
type noWatch struct{ Watch }

func (noWatch) Done() {}
