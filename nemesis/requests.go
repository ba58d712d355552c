package nemesis

import (
	"fmt"
	"slices"

	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// What is done to a worker's requests. The request is the worker's own, and so is what it makes of the outcome: it is told
// of a connection that ended, or that there is none, as a driver would tell it.

// lose is for a worker that stands between a request and its answer, or whose task does: the point of either ends in -sent. When
// both do, it is the task's that is lost while that stands in its point, kept there by the very step perhaps, else the worker's.
func (r *Runner) lose(_ workload.World, name string) (string, error) {
	life, err := r.running(name)
	if err != nil {
		return "", err
	}
	both := []string{life, life + "/" + workload.TaskFlush}
	if _, inside, _ := r.Stage.Standing(both[1]); inside {
		slices.Reverse(both)
	}
	for _, process := range both {
		point, _, _ := r.Stage.Standing(process)
		if r.Stage.Lose(process) {
			return fmt.Sprintf("%s will not learn what came of its request, after %s", process, point), nil
		}
	}
	return "", fmt.Errorf("%s awaits no answer: %s", life, r.Moments.Where())
}

func (r *Runner) phantom(_ workload.World, name string) (string, error) {
	process, err := r.running(name)
	if err != nil {
		return "", err
	}
	point, _, _ := r.Stage.Standing(process)
	r.Crew.Phantom(name)
	return fmt.Sprintf("%s will be told so by its next first write, after %s", process, point), nil
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

// deliver is for a worker whose commit was lost in its present life.
func (r *Runner) deliver(_ workload.World, name string) (string, error) {
	process, err := r.running(name)
	if err != nil {
		return "", err
	}
	words, outcome, err := r.Wire.Deliver(process).Await()
	if outcome != persistence.Answered {
		return "", unfitf("%v", err)
	}
	return words, nil
}
