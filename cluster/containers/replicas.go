package containers

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers/harm"
	"github.com/single-writer/chaos/cluster/containers/internode"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// Replicas is a cluster whose nodes of Cassandra send each other everything through this process: each of its worlds is a
// [cluster.Replicas]. What it does to nodes ends with the world in which it was done; that they talk through here ends with them.
type Replicas struct {
	*Cluster
	network *internode.Network
	// processes are the nodes' on this machine, by number from 0 on.
	processes []int
	// skewed are those whose clocks are set, parted says that some were down.
	skewed map[int]bool
	parted bool
}

// storagePort is the port on which nodes listen for each other: Cassandra's default.
const storagePort = 7000

const (
	// meetTime is how long nodes may take to connect through here. They gossip with one of the others each second.
	meetTime = time.Minute
	// downTime is how long nodes may take to believe that another is down (12 s with phi_convict_threshold: 5), or is up again.
	downTime = time.Minute
	// skewTime is how long a node may take to have its clock: libfaketime reads the file each second.
	skewTime = 30 * time.Second
	// lookAgain is how long after a look at what nodes believe the next one is.
	lookAgain = 100 * time.Millisecond
)

// Replicas leads what the nodes send each other through this process. It needs root, and nodes whose messages are not packed.
// Clocks are set only where [Options.Clocks] has made nodes that have some. It is not for servers that live on, which would stay behind without a way to each other.
func (c *Cluster) Replicas(ctx context.Context) (*Replicas, error) {
	if c.warm {
		return nil, errors.New("what the nodes of a warm cluster send each other is not led through one of its users")
	}
	if err := harm.Lacks(harm.Programs()...); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, meetTime)
	defer cancel()
	r := &Replicas{Cluster: c, skewed: map[int]bool{}}
	if err := c.clients.AskNext(ctx); err != nil {
		return nil, err
	}
	if err := r.lead(ctx); err != nil {
		return nil, fmt.Errorf("lead what Cassandra's nodes send each other through this process: %w", err)
	}
	return r, nil
}

func (r *Replicas) lead(ctx context.Context) (err error) {
	var nodes []netip.AddrPort
	for _, n := range r.servers.Cassandra {
		at, err := netip.ParseAddr(n.Peer)
		if err != nil {
			return err
		}
		i, err := r.servers.engine.ContainerInspect(ctx, n.Container, client.ContainerInspectOptions{})
		if err != nil {
			return fmt.Errorf("%s: %w", n.Name, err)
		}
		nodes, r.processes = append(nodes, netip.AddrPortFrom(at, storagePort)), append(r.processes, i.Container.State.Pid)
	}
	here, err := r.servers.engine.own(ctx, r.servers.PeerNetwork)
	if err != nil {
		return err
	}
	if r.network, err = internode.Listen(ctx, here, nodes); err != nil {
		return err
	}
	end := r.end
	r.end = func(ctx context.Context) error {
		defer r.network.Close() // after the nodes, which have no other way
		return end(ctx)
	}
	for node, process := range r.processes {
		if err := r.network.Lead(ctx, node, process); err != nil {
			return err
		}
	}
	return r.network.Meet(ctx, func(ctx context.Context) error {
		for node := range nodes {
			if err := r.clients.Tell(ctx, node+1); err != nil {
				return err
			}
		}
		return nil
	})
}

// own is the address of this machine in a network of the engine's.
func (e engine) own(ctx context.Context, id string) (netip.Addr, error) {
	n, err := e.NetworkInspect(ctx, id, client.NetworkInspectOptions{})
	if err != nil {
		return netip.Addr{}, err
	}
	for _, c := range n.Network.IPAM.Config {
		if c.Subnet.Addr().Is4() {
			return c.Subnet.Masked().Addr().Next(), nil
		}
	}
	return netip.Addr{}, fmt.Errorf("the network %s has no addresses", id)
}

// Open makes a run's world.
func (r *Replicas) Open(ctx context.Context, s cluster.Spec, recorder history.Recorder) (cluster.World, error) {
	w, err := r.Cluster.Open(ctx, s, recorder)
	if err != nil {
		return nil, err
	}
	return &replicated{w.(realWorld), r}, nil
}

// realWorld is a run's world on real servers, with what looks at facts besides.
type realWorld interface {
	cluster.World
	Through(node int, s persistence.Statement) persistence.Call[persistence.Answer]
	Requests(client string) (cluster.Requests, error)
	Log(compacted bool) (cluster.Log, error)
	Do(within time.Duration, do func(ctx context.Context) (string, error)) persistence.Call[string]
}

var _ realWorld = (*world)(nil)

// replicated is such a world on nodes between which messages can be lost.
type replicated struct {
	realWorld
	on *Replicas
}

var _ cluster.Replicas = (*replicated)(nil)

// Lose loses messages between the nodes.
func (w *replicated) Lose(lost func(cluster.Message) bool) { w.on.network.Lose(lost) }

// Down has nodes hear of some no more, until they take them to be down.
func (w *replicated) Down(nodes ...int) persistence.Call[string] {
	return w.Do(downTime, func(ctx context.Context) (string, error) { return w.on.part(ctx, nodes) })
}

// Skew sets a node's clock.
func (w *replicated) Skew(node int, by time.Duration) persistence.Call[string] {
	return w.Do(skewTime, func(ctx context.Context) (string, error) { return w.on.skew(ctx, node, by) })
}

// Close ends the run, and leaves the nodes as it has found them.
func (w *replicated) Close(ctx context.Context) error {
	w.Lose(nil)
	return errors.Join(w.realWorld.Close(ctx), w.on.restore(ctx))
}
