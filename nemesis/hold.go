package nemesis

import (
	"fmt"

	"github.com/single-writer/chaos/workload"
)

// hold holds the worker's present life; when that fails before it comes to a point, the next one, which the worker begins by
// itself: what is held is the worker.
func (r *Runner) hold(w workload.World, name string) (string, error) {
	process, err := r.running(name)
	if err != nil {
		return "", err
	}
	until := w.Now() + workload.DefaultWithin
	for {
		r.Stage.Hold(process)
		came := w.Await(until-w.Now(), func() bool {
			_, inside, running := r.Stage.Standing(process)
			return inside || !running
		})
		point, inside, _ := r.Stage.Standing(process)
		next, running := r.Crew.Life(name)
		switch {
		case inside:
			return fmt.Sprintf("%s stands in %s", process, point), nil
		case !came:
			return "", unfitf("%s came to no point within %s: %s", process, workload.DefaultWithin, r.Moments.Where())
		case !running || next == process:
			return "", unfitf("%s ended before it came to a point", process)
		}
		process = next
	}
}

func (r *Runner) release(_ workload.World, name string) (string, error) {
	process, err := r.running(name)
	if err != nil {
		return "", err
	}
	if !r.Stage.Held(process) {
		return "", unfitf("%s is not held: %s", process, r.Moments.Where())
	}
	point, _, _ := r.Stage.Standing(process)
	r.Stage.Release(process)
	return fmt.Sprintf("%s may go on from %s", process, point), nil
}
