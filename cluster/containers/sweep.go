package containers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/cluster/containers/owner"
)

// sweep removes the containers and networks whose owner is dead: what a killed run left behind. It
// never touches what a living process owns, what is warm, or what it can't tell. It returns the
// names of what it removed.
func sweep(ctx context.Context, engine *client.Client) ([]string, error) {
	abandoned, err := abandonment(engine)
	if err != nil {
		return nil, err
	}
	removed, err := remove(ctx, engine, owner.LabelPID, abandoned)
	if err != nil {
		return removed, fmt.Errorf("sweep what killed runs left: %w", err)
	}
	return removed, nil
}

// abandonment returns what tells, for this process, whether nobody will miss a thing.
func abandonment(engine *client.Client) (func(thing) (bool, error), error) {
	self, err := owner.Self()
	if err != nil {
		return nil, err
	}
	// An engine behind a socket of this machine saw all its boots; one elsewhere has other users.
	here := strings.HasPrefix(engine.DaemonHost(), "unix://")
	return func(t thing) (bool, error) { return t.abandoned(self, here) }, nil
}

// removeRun removes all of one run. It gives itself the time for it when ctx has ended.
func removeRun(ctx context.Context, engine *client.Client, run string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), engineTime)
	defer cancel()
	_, err := remove(ctx, engine, owner.LabelRun+"="+run, func(thing) (bool, error) { return true, nil })
	return err
}

// unused returns an error if something of a run of this id is on the engine.
func unused(ctx context.Context, engine *client.Client, run string) error {
	there, err := things(ctx, engine, owner.LabelRun+"="+run)
	if err != nil {
		return fmt.Errorf("look for what there is of run %s: %w", run, err)
	}
	if len(there) > 0 {
		return fmt.Errorf("start run %s: the engine has %v of that id already", run, there)
	}
	return nil
}

// abandoned tells whether nobody will miss the thing. here says that the engine is on this machine.
func (t thing) abandoned(self owner.Owner, here bool) (bool, error) {
	if t.warm {
		return false, nil
	}
	fate, err := t.owner.Fate(self)
	if err != nil {
		return false, err
	}
	return fate == owner.Dead || fate == owner.OtherBoot && here && !t.running, nil
}

// remove removes the containers and then the networks that have the label and that doomed says so of.
// Others may be doing the same at the same time: what is gone already is not an error.
func remove(ctx context.Context, engine *client.Client, label string, doomed func(thing) (bool, error)) (removed []string, err error) {
	all, err := things(ctx, engine, label)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, t := range all {
		yes, err := doomed(t)
		if err != nil || !yes {
			errs = append(errs, err)
			continue
		}
		switch err := t.remove(ctx, engine); {
		case err == nil:
			removed = append(removed, t.String())
		case errdefs.IsNotFound(err), errdefs.IsConflict(err): // somebody else removed it, or is about to
		default:
			errs = append(errs, fmt.Errorf("remove %s: %w", t, err))
		}
	}
	return removed, errors.Join(errs...)
}

func (t thing) remove(ctx context.Context, engine *client.Client) error {
	if t.network {
		return removeNetwork(ctx, engine, t.id)
	}
	_, err := engine.ContainerRemove(ctx, t.id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	return err
}

// removeNetwork removes a network, waiting for containers in it that are just being removed.
func removeNetwork(ctx context.Context, engine *client.Client, id string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := engine.NetworkRemove(ctx, id, client.NetworkRemoveOptions{})
		if err == nil || !strings.Contains(err.Error(), "active endpoints") {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}
