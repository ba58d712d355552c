package scenarios

import (
	"slices"
	"strings"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// Much of what a plan asks for and cannot have is seen only in the run. What the plan alone shows is refused before it: a
// second start, a release of what is not held, a fault done to a worker that was stopped.

// act is one fault that a plan does to a worker, or to the flush of one.
type act struct {
	fault  string
	target word
	step   int
	// at are the workers that stand still at the step's moments. Maybe: the step may be passed over.
	at    []string
	maybe bool
}

// actsOf notes of a step's acts what only the whole step says.
func (l *loader) actsOf(number int, step nemesis.Step) {
	var at []string
	for _, t := range append([]workload.Trigger{step.When}, step.And...) {
		if t.Worker != "" {
			at = append(at, t.Worker)
		}
	}
	for _, acts := range [][]act{l.acts, l.strikes, l.wires} {
		for i := range acts {
			if acts[i].step == number {
				acts[i].at, acts[i].maybe = at, step.Maybe
			}
		}
	}
}

// standing is what a plan has made of a worker so far.
type standing struct {
	runs bool
	// since is the line that started or ended it.
	since int
	// held are the worker itself and its flush, as far as they are held. Unsure: a step that may be passed over did
	// something to the worker, and from there on nothing is known of it.
	held   map[string]bool
	unsure bool
}

// judgeActs goes through the plan as it will be carried out. Of a worker that was never started there is nothing to say:
// that is reported with its name.
func (l *loader) judgeActs() {
	if !l.planRead {
		return
	}
	workers := map[string]*standing{}
	for _, a := range l.acts {
		name, _, _ := strings.Cut(a.target.text, "/")
		w := workers[name]
		switch {
		case w == nil && a.fault != history.FaultStart:
			continue
		case w == nil:
			w = &standing{}
			workers[name] = w
		}
		w.unsure = w.unsure || a.maybe
		if !w.unsure {
			l.judgeAct(a, name, w)
		}
		w.take(a)
	}
}

func (l *loader) judgeAct(a act, name string, w *standing) {
	at := a.target.at
	switch {
	case a.fault == history.FaultStart && w.runs:
		l.fail(at, "", "%s runs already: line %d starts it", name, w.since)
	case a.fault == history.FaultStart:
	case !w.runs:
		l.fail(at, "", "%s does not run any more: line %d ends it", name, w.since)
	case a.fault == history.FaultRelease && !w.held[a.target.text]:
		l.fail(at, "", "%s is not held here", a.target.text)
	case a.fault == history.FaultFail && slices.Contains(a.at, name):
		l.fail(at, "write {fail: "+name+"} as a step of its own, after this one",
			"%s stands still at the moment of this step until the step is over, and comes to no error before", name)
	}
}

// take notes what the act makes of the worker.
func (w *standing) take(a act) {
	switch a.fault {
	case history.FaultStart:
		*w = standing{runs: true, since: a.target.at.line, held: map[string]bool{}, unsure: w.unsure}
	case history.FaultStop, history.FaultKill:
		w.runs, w.since = false, a.target.at.line
		clear(w.held)
	case history.FaultHold:
		w.held[a.target.text] = true
	case history.FaultRelease, history.FaultFail:
		delete(w.held, a.target.text)
	}
}
