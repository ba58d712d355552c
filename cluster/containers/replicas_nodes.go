package containers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/single-writer/chaos/cluster/containers/definition"
)

// part cuts some nodes off from all others, and waits until these know how many are left.
func (r *Replicas) part(ctx context.Context, down []int) (string, error) {
	if err := r.has(down...); err != nil {
		return "", err
	}
	r.network.Down(down...)
	r.parted = len(down) > 0
	words := ""
	for node := range r.processes {
		if slices.Contains(down, node) {
			continue
		}
		if err := r.knows(ctx, node, len(r.processes)-len(down)); err != nil {
			return "", err
		}
		words += fmt.Sprintf("node %d takes %d of %d to be up; ", node, len(r.processes)-len(down), len(r.processes))
	}
	return words, nil
}

// has says which of the nodes there is not.
func (r *Replicas) has(nodes ...int) error {
	for _, n := range nodes {
		if n < 0 || n >= len(r.processes) {
			return fmt.Errorf("there is no node %d: there are %d, from 0 on", n, len(r.processes))
		}
	}
	return nil
}

// knows waits until a node takes so many to be up.
func (r *Replicas) knows(ctx context.Context, node, alive int) error {
	for {
		n, err := r.alive(ctx, node)
		if err == nil && n == alive {
			return nil
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return fmt.Errorf("node %d takes %d of %d nodes to be up, and not %d: %w", node, n, len(r.processes), alive, errors.Join(err, context.Cause(ctx)))
		}
	}
}

// alive asks a node how many it takes to be up. It is not waited for long: who asks those that it takes to be up, and are not,
// has no answer.
func (r *Replicas) alive(ctx context.Context, node int) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*lookAgain)
	defer cancel()
	return r.clients.Alive(ctx, node+1)
}

// skew sets by how much a node's clock is ahead, and waits until it tells a time that says so.
func (r *Replicas) skew(ctx context.Context, node int, by time.Duration) (string, error) {
	if err := r.has(node); err != nil {
		return "", err
	}
	if err := setClock(r.processes[node], by); err != nil {
		return "", fmt.Errorf("set the clock of node %d: %w", node, err)
	}
	r.skewed[node] = by != 0
	for {
		from := time.Now().Add(by).Truncate(time.Millisecond)
		is, err := r.clients.Clock(ctx, node+1)
		to := time.Now().Add(by)
		if err == nil && !is.Before(from) && !is.After(to) {
			return fmt.Sprintf("the clock of node %d is %s ahead: %s", node, by, is.Format(time.RFC3339Nano)), nil
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return "", fmt.Errorf("the clock of node %d is %s ahead, and is to be %s: does the image %s have libfaketime? %w", node,
				is.Sub(from).Round(time.Millisecond)+by, by, r.servers.CassandraImage.Ref, errors.Join(err, context.Cause(ctx)))
		}
	}
}

// setClock writes the file by which libfaketime goes in the container of a process, all at once: it may be read at any moment.
func setClock(process int, ahead time.Duration) error {
	file := filepath.Join("/proc", fmt.Sprint(process), "root", definition.Clock)
	if err := os.WriteFile(file+".new", fmt.Appendf(nil, "%+.3fs\n", ahead.Seconds()), 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// restore sets all clocks right and has all nodes know that all are up, where that was otherwise. It works also when ctx has ended.
func (r *Replicas) restore(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), downTime)
	defer cancel()
	var errs []error
	for node, is := range r.skewed {
		if is {
			_, err := r.skew(ctx, node, 0)
			errs = append(errs, err)
		}
	}
	if r.parted {
		_, err := r.part(ctx, nil)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
