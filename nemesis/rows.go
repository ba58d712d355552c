package nemesis

import (
	"fmt"

	"github.com/single-writer/chaos/workload"
)

// What is done to rows, past all workers.

func (r *Runner) probe(w workload.World, target string) (string, error) {
	return "read", r.excused(r.Observer.Probe(w, target))
}

// excused makes an error of the rig's own reads one that the moment explains, while a server is not well.
func (r *Runner) excused(err error) error {
	if err != nil && len(r.struck) > 0 {
		return &unfit{err}
	}
	return err
}

func (r *Runner) expire(w workload.World, target string) (string, error) {
	row, err := r.Observer.Expire(w, target)
	if err != nil {
		return "", r.excused(err)
	}
	return fmt.Sprintf("the row that %s left has no offset and no value", row.Write), nil
}

func (r *Runner) reap(w workload.World, target string) (string, error) {
	row, err := r.Observer.Reap(w, target)
	switch {
	case err != nil:
		return "", r.excused(err)
	case row == nil:
		return "", unfitf("%s has no row", target)
	}
	return fmt.Sprintf("the row that %s left is gone", row.Write), nil
}
