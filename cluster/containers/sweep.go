package containers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/cluster/containers/owner"
)

// Sweep removes the containers and networks whose owner is dead: what a killed run left behind. It
// never touches what a living process owns, what is kept warm, or what it can't tell. It returns the
// names of what it removed.
func Sweep(ctx context.Context) (removed []string, err error) {
	engine, err := images.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	return sweep(ctx, engine)
}

// Down removes warm servers too, whoever started them, and otherwise what [Sweep] removes.
func Down(ctx context.Context) (removed []string, err error) {
	engine, err := images.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	removed, err = remove(ctx, engine, owner.LabelWarm, func(thing) (bool, error) { return true, nil })
	if err != nil {
		return removed, fmt.Errorf("remove the warm servers: %w", err)
	}
	swept, err := sweep(ctx, engine)
	return append(removed, swept...), err
}

func sweep(ctx context.Context, engine *client.Client) ([]string, error) {
	self, err := owner.Self()
	if err != nil {
		return nil, err
	}
	// An engine behind a socket of this machine saw all its boots; one elsewhere has other users.
	here := strings.HasPrefix(engine.DaemonHost(), "unix://")
	removed, err := remove(ctx, engine, owner.LabelPID, func(t thing) (bool, error) { return t.abandoned(self, here) })
	if err != nil {
		return removed, fmt.Errorf("sweep what killed runs left: %w", err)
	}
	return removed, nil
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
	filter := client.Filters{}.Add("label", owner.LabelRun+"="+run)
	containers, err := engine.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filter})
	if err != nil {
		return fmt.Errorf("look for containers of run %s: %w", run, err)
	}
	networks, err := engine.NetworkList(ctx, client.NetworkListOptions{Filters: filter})
	if err != nil {
		return fmt.Errorf("look for networks of run %s: %w", run, err)
	}
	if n := len(containers.Items) + len(networks.Items); n > 0 {
		return fmt.Errorf("start run %s: the engine has %d containers and networks of that id already", run, n)
	}
	return nil
}

// thing is a container or a network of ours.
type thing struct {
	id, name string
	running  bool
	labels   map[string]string
	owner    owner.Owner
}

// abandoned tells whether nobody will miss the thing. here says that the engine is on this machine.
func (t thing) abandoned(self owner.Owner, here bool) (bool, error) {
	if t.labels[owner.LabelWarm] != "" {
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
	filter := client.Filters{}.Add("label", label)
	containers, err := engine.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filter})
	if err != nil {
		return nil, fmt.Errorf("list the containers: %w", err)
	}
	var errs []error
	for _, c := range containers.Items {
		t := thing{id: c.ID, name: strings.TrimPrefix(slices.Concat(c.Names, []string{c.ID})[0], "/"),
			running: c.State == container.StateRunning || c.State == container.StatePaused, labels: c.Labels}
		errs = append(errs, t.remove(doomed, &removed, func() error {
			_, err := engine.ContainerRemove(ctx, t.id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
			return err
		}))
	}
	networks, err := engine.NetworkList(ctx, client.NetworkListOptions{Filters: filter})
	if err != nil {
		return removed, errors.Join(append(errs, fmt.Errorf("list the networks: %w", err))...)
	}
	for _, n := range networks.Items {
		t := thing{id: n.ID, name: "network " + n.Name, labels: n.Labels}
		errs = append(errs, t.remove(doomed, &removed, func() error { return removeNetwork(ctx, engine, t.id) }))
	}
	return removed, errors.Join(errs...)
}

func (t thing) remove(doomed func(thing) (bool, error), removed *[]string, do func() error) error {
	o, ok := owner.FromLabels(t.labels)
	if !ok {
		return nil // labels by chance like ours
	}
	t.owner = o
	if yes, err := doomed(t); err != nil || !yes {
		return err
	}
	switch err := do(); {
	case err == nil:
		*removed = append(*removed, t.name)
	case errdefs.IsNotFound(err), errdefs.IsConflict(err): // somebody else removed it, or is about to
	default:
		return fmt.Errorf("remove %s: %w", t.name, err)
	}
	return nil
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
