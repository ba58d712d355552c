package containers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/cluster/containers/owner"
)

// thing is a container or a network of ours.
type thing struct {
	id, name string
	network  bool
	running  bool
	// warm is said of all that belongs to servers which are complete and stay: it has no owner any more.
	warm    bool
	created time.Time // of a container, to the second
	labels  map[string]string
	owner   owner.Owner
}

func (t thing) run() string { return t.labels[owner.LabelRun] }

// String names the thing in a message.
func (t thing) String() string {
	if t.network {
		return "network " + t.name
	}
	return t.name
}

// things lists what the engine has of ours with a label: containers, running or not, and then networks.
func things(ctx context.Context, engine *client.Client, label string) ([]thing, error) {
	filter := client.Filters{}.Add("label", label)
	containers, err := engine.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filter})
	if err != nil {
		return nil, fmt.Errorf("list the containers: %w", err)
	}
	networks, err := engine.NetworkList(ctx, client.NetworkListOptions{Filters: filter})
	if err != nil {
		return nil, fmt.Errorf("list the networks: %w", err)
	}
	var all []thing
	warm := map[string]bool{}
	for _, c := range containers.Items {
		t := thing{id: c.ID, name: strings.TrimPrefix(slices.Concat(c.Names, []string{c.ID})[0], "/"),
			running: c.State == container.StateRunning || c.State == container.StatePaused,
			created: time.Unix(c.Created, 0), labels: c.Labels}
		warm[t.run()] = warm[t.run()] || t.labels[owner.LabelWarm] != "" && strings.HasPrefix(t.name, warmName)
		all = append(all, t)
	}
	for _, n := range networks.Items {
		all = append(all, thing{id: n.ID, name: n.Name, network: true, labels: n.Labels})
	}
	ours := all[:0]
	for _, t := range all {
		o, ok := owner.FromLabels(t.labels)
		if !ok {
			continue // labels by chance like ours
		}
		t.owner, t.warm = o, warm[t.run()]
		ours = append(ours, t)
	}
	return ours, nil
}
