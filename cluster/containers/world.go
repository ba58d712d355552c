package containers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers/harm"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// world is a run's world on servers that can be harmed, since this package has started them.
type world struct {
	*clients.World
	cluster *Cluster
	// run ends when the run is interrupted.
	run context.Context
}

var _ cluster.World = (*world)(nil)

const (
	// strikeTime is above the time that the proof of any trouble may take, and healTime above that of a server that starts.
	strikeTime = time.Minute
	healTime   = harm.Patience + strikeTime/2
	// electTime is for a server that is killed, another that starts, and both being well again.
	electTime = healTime
)

// Servers names the servers, Kafka's first.
func (w *world) Servers() []string { return w.cluster.harm.Names() }

// Cannot says why such trouble cannot be brought upon the server; it is empty where it can.
func (w *world) Cannot(server string, t workload.Trouble) string {
	return w.cluster.harm.Cannot(server, t)
}

// Strike brings trouble upon a server.
func (w *world) Strike(server string, t workload.Trouble) persistence.Call[string] {
	return w.Do(strikeTime, func(ctx context.Context) (string, error) { return w.cluster.strike(ctx, server, t) })
}

// Heal heals a server.
func (w *world) Heal(server string) persistence.Call[string] {
	return w.Do(healTime, func(ctx context.Context) (string, error) { return w.cluster.harm.Heal(ctx, server) })
}

// Elect makes a broker lead the input that was kept from its newest records.
func (w *world) Elect(server string) persistence.Call[string] {
	return w.Do(electTime, func(ctx context.Context) (string, error) { return w.elect(ctx, server) })
}

// Close ends the run's clients, and heals the servers for whoever comes next: a run that was aborted may not have.
func (w *world) Close(ctx context.Context) error {
	err := w.World.Close(ctx)
	if w.run.Err() != nil && !w.cluster.warm { // they are removed at once
		return err
	}
	return errors.Join(err, w.cluster.heal(ctx))
}

// strike brings trouble upon a server. Those of a warm cluster are harmed by one process at a time, and only when nobody else
// has a run on them.
func (c *Cluster) strike(ctx context.Context, server string, t workload.Trouble) (string, error) {
	if c.warm {
		if err := c.alone(ctx); err != nil {
			return "", refused(err)
		}
	}
	return c.harm.Strike(ctx, server, t)
}

// heal heals whatever this process has done to the servers.
func (c *Cluster) heal(ctx context.Context) error {
	if !c.harm.Harmed() {
		return nil
	}
	_, err := c.harm.HealAll(ctx)
	if err != nil && c.warm {
		err = fmt.Errorf("%w\n  the warm cluster is left harmed: chaos down removes it", err)
	}
	return err
}

// refused is an error that came before anything was done.
func refused(err error) error { return &persistence.Error{Code: "refused", NoEffect: true, Err: err} }
