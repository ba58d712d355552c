package nemesis

import (
	"errors"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// errPoison is what a worker that is made to fail fails by.
var errPoison = errors.New("made to fail by the plan")

// fail waits until the worker is about to tear down. It goes on only when the next step of the plan looks out already, as
// nothing lets it before.
func (r *Runner) fail(_ workload.World, name string) (string, error) {
	process, err := r.running(name)
	if err != nil {
		return "", err
	}
	down := r.Moments.Watch(func(e history.Event) bool {
		v, ok := e.Value.(*history.PointReached)
		return ok && e.Process == process && v.Point == history.PointTeardown
	})
	r.Crew.Poison(name, errPoison)
	r.Stage.Release(process)
	_, came := down.Await(workload.DefaultWithin)
	down.Done()
	if !came {
		return "", unfitf("%s came to no error within %s: %s", process, workload.DefaultWithin, r.Moments.Where())
	}
	return process + " stands in teardown", nil
}
