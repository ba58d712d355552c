package nemesis

import (
	"strings"

	"github.com/single-writer/chaos/workload"
)

func (r *Runner) start(w workload.World, name string) (string, error) {
	process, err := r.Crew.Start(w, name)
	return process + " has begun", err
}

// running gives the process of a worker that must run for the fault to mean anything, or of the task "a/flush" of one.
func (r *Runner) running(target string) (string, error) {
	name, task, isTask := strings.Cut(target, "/")
	process, running := r.Crew.Life(name)
	switch {
	case process == "":
		return "", unfitf("the worker does not run: it was never started")
	case !running:
		return "", unfitf("the worker does not run: %s has ended, and no other life was begun", process)
	case isTask:
		process += "/" + task
		if _, _, runs := r.Stage.Standing(process); !runs {
			return "", unfitf("%s does not run now: %s", process, r.Moments.Where())
		}
	}
	return process, nil
}
