package nemesis

import (
	"fmt"

	"github.com/single-writer/chaos/workload"
)

// What is done to a worker's requests. The request is the worker's own, and so is what it makes of the outcome: it is told
// of a connection that ended, or that there is none, as a driver would tell it.

// lose is for a worker that stands between a request and its answer: its point ends in -sent.
func (r *Runner) lose(_ workload.World, name string) (string, error) {
	process, err := r.running(name)
	if err != nil {
		return "", err
	}
	point, _, _ := r.Stage.Standing(process)
	if !r.Stage.Lose(process) {
		return "", fmt.Errorf("%s awaits no answer: %s", process, r.Moments.Where())
	}
	return fmt.Sprintf("%s will not learn what came of its request, after %s", process, point), nil
}

func (r *Runner) unreachable(_ workload.World, name string) (string, error) {
	process, err := r.running(name)
	if err != nil {
		return "", err
	}
	point, _, _ := r.Stage.Standing(process)
	r.Crew.CutOff(name)
	return fmt.Sprintf("%s has no connection for its next statement, after %s", process, point), nil
}
