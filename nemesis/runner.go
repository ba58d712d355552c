package nemesis

import (
	"fmt"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// Stage is what the nemesis can do to processes.
type Stage interface {
	Hold(process string)
	Release(process string)
	// Unwind ends the process without letting it do anything more.
	Unwind(process string)
	// Lose loses the answer to the request that the process has sent last, and tells whether it had still to take it.
	Lose(process string) bool
	// Held tells whether the process is held, in its point or at the next that it comes to.
	Held(process string) bool
	// Standing tells where the process is: the last point, whether it is still inside it, whether it runs at all.
	Standing(process string) (point string, inside, running bool)
}

// Runner carries out a plan.
type Runner struct {
	Plan    []Step
	Input   *workload.Input
	Crew    *workload.Crew
	Stage   Stage
	Moments workload.Moments
	Truth   workload.Truth
	Wire    workload.Wire
	Servers workload.Servers
	// Seed is the run's, for what is left to chance.
	Seed     int64
	Sentinel *Sentinel
	Observer *workload.Observer
	// process is the one that carries the plan out; stopped makes it go no further.
	process string
	stopped bool
	// struck are the servers that are not well, in the order in which they were struck; commanding tells that a command to
	// servers is under way, which has to come to its end before it can be undone.
	struck     []struck
	commanding bool
	// armed is what stands on the wire, or waits there for its message, late until when a message that was made late is there.
	armed []armed
	late  time.Duration
	// draws counts the rules that strike by chance.
	draws uint64
	// Done tells that it came to its end, Failed why that was too early.
	Done   bool
	Failed error
}

// Run is the process "nemesis".
func (r *Runner) Run(w workload.World) {
	r.process = w.Name()
	if !r.stopped {
		err := r.steps(w)
		if left := r.undo(w, false); left != nil {
			err = joined(left, err)
		}
		r.Failed = err
	}
	r.Done = true
}

func (r *Runner) steps(w workload.World) error {
	for i, s := range r.Plan {
		if err := r.step(w, i+1, s); err != nil {
			return err
		}
		w.Note(history.Plan, &history.PlanStep{Of: "plan", Step: i + 1, Status: "done"})
	}
	return nil
}

// step waits for the moments of a step, of which all are armed at once, and does its actions at the last of them.
func (r *Runner) step(w workload.World, number int, s Step) error {
	if s.After > 0 {
		w.Sleep(s.After)
	}
	moments := append([]workload.Trigger{s.When}, s.And...)
	watches := make([]workload.Watch, len(moments))
	for i, t := range moments {
		watches[i] = workload.WatchFor(r.Moments, t, r.Input)
	}
	done := func() {
		for _, watch := range watches {
			watch.Done()
		}
	}
	for i, t := range moments {
		if s.Maybe && !r.came(w, watches[i], number, t) {
			done()
			return nil
		}
		if s.Maybe {
			continue
		}
		if err := workload.WaitFor(w, watches[i], r.Moments, "plan", number, t); err != nil {
			done()
			return err
		}
	}
	var err error
	if s.Maybe {
		err = r.tryAll(w, number, s.Do)
	} else {
		err = r.inject(w, s.Do)
	}
	done()
	if err != nil {
		return s.failed(number, err)
	}
	return nil
}

// inject does the actions of a step, one after another.
func (r *Runner) inject(w workload.World, actions []Action) error {
	for _, a := range actions {
		if err := r.do(w, a); err != nil {
			return err
		}
	}
	return nil
}

// StopAll ends the plan, if it is not at its end yet, heals what it has left, and ends every worker without flush, for the
// rig's last reads: a plan that went on would start workers behind them.
func (r *Runner) StopAll(w workload.World) error {
	if err := r.quit(w); err != nil {
		return err
	}
	if err := r.HealAll(w); err != nil {
		return err
	}
	for _, name := range r.Crew.Names() {
		if _, running := r.Crew.Life(name); !running {
			continue
		}
		if err := r.do(w, Action{Fault: history.FaultStop, Target: name}); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) quit(w workload.World) error {
	r.stopped = true
	if r.Done || r.process == "" {
		return nil
	}
	// Unwound while it asks the coordinator, it would never give its turn back; while it commands servers, what it was about to
	// do could come after what undoes it.
	if w.Await(commandWithin, func() bool { return !r.Sentinel.asking && !r.commanding }) {
		r.Stage.Unwind(r.process)
	}
	if !w.Await(workload.DefaultWithin, func() bool { _, _, running := r.Stage.Standing(r.process); return !running }) {
		return fmt.Errorf("the plan did not end within %s", workload.DefaultWithin)
	}
	return nil
}
