package nemesis

import (
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// Stage is what the nemesis can do to processes.
type Stage interface {
	Hold(process string)
	Release(process string)
	// Unwind ends the process without letting it do anything more.
	Unwind(process string)
	// Standing tells where the process is: the last point, whether it is still inside it, whether it runs at all.
	Standing(process string) (point string, inside, running bool)
}

// Runner carries out a plan.
type Runner struct {
	Plan     []Step
	Input    *workload.Input
	Crew     *workload.Crew
	Stage    Stage
	Moments  workload.Moments
	Truth    workload.Truth
	Sentinel *Sentinel
	Observer *workload.Observer
	// Done tells that it came to its end, Failed why that was too early.
	Done   bool
	Failed error
}

// Run is the process "nemesis".
func (r *Runner) Run(w workload.World) {
	r.Failed = r.steps(w)
	r.Done = true
}

func (r *Runner) steps(w workload.World) error {
	for i, s := range r.Plan {
		watch := workload.Arm(r.Moments, s.When, r.Input)
		if err := workload.Wait(w, watch, r.Moments, "plan", i+1, s.When); err != nil {
			return err
		}
		for _, a := range s.Do {
			if err := r.inject(w, a); err != nil {
				return err
			}
		}
		watch.Done()
		w.Note(history.Plan, &history.PlanStep{Of: "plan", Step: i + 1, Status: "done"})
	}
	return nil
}

// StopAll ends every worker without flush, for the rig's last reads.
func (r *Runner) StopAll(w workload.World) error {
	for _, name := range r.Crew.Names() {
		if _, running := r.Crew.Life(name); !running {
			continue
		}
		if err := r.inject(w, Action{Fault: "stop", Target: name}); err != nil {
			return err
		}
	}
	return nil
}
