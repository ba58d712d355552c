package nemesis

import (
	"fmt"

	"github.com/single-writer/chaos/workload"
)

// What is done to rows, past all workers.

func (r *Runner) probe(w workload.World, target string) (string, error) {
	return "read", r.Observer.Probe(w, target)
}

func (r *Runner) expire(w workload.World, target string) (string, error) {
	row, err := r.Observer.Expire(w, target)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("the row that %s left has no offset and no value", row.Write), nil
}

func (r *Runner) reap(w workload.World, target string) (string, error) {
	row, err := r.Observer.Reap(w, target)
	switch {
	case err != nil:
		return "", err
	case row == nil:
		return "", unfitf("%s has no row", target)
	}
	return fmt.Sprintf("the row that %s left is gone", row.Write), nil
}
