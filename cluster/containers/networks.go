package containers

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"

	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/cluster/containers/images"
)

// networks are the two of a run: clients reach the servers on one, and the servers each other on the other, so that a server
// can be cut off from either alone. The engine publishes ports, and routes to the world, on the first.
type networks struct{ clients, peers subnet }

// subnet is a network with the addresses that it has.
type subnet struct {
	name, id string
	internal bool
	prefix   netip.Prefix
}

// networksOf are those of a run by their names, before they are made.
func networksOf(run string) networks {
	return networks{clients: subnet{name: "chaos-" + run}, peers: subnet{name: "chaos-" + run + "-peers", internal: true}}
}

// make makes both.
func (n *networks) make(ctx context.Context, e engine, labels map[string]string) error {
	var wg sync.WaitGroup
	both := []*subnet{&n.clients, &n.peers}
	errs := make([]error, len(both))
	for i, s := range both {
		wg.Go(func() { errs[i] = s.make(ctx, e, labels) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// subnetTries is how often a network is made before others who make some at the same time are too many.
const subnetTries = 10

// make makes the network. A server keeps its address over a restart only when that was chosen for it, which the engine allows
// only where the subnet was chosen too; but which one is free it knows best. So a first network tells a subnet that is,
// and makes room for the second.
func (s *subnet) make(ctx context.Context, e engine, labels map[string]string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("start the containers: %w", context.Cause(ctx))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), engineTime)
	defer cancel()
	options := client.NetworkCreateOptions{Driver: "bridge", Internal: s.internal, Labels: labels}
	for try := 1; ; try++ {
		prefix, err := e.freeSubnet(ctx, s.name, options)
		if err != nil {
			return &NetworkError{Cause: err}
		}
		chosen := options
		// An engine that chooses its own address tells it only when it was started anew.
		chosen.IPAM = &network.IPAM{Config: []network.IPAMConfig{{Subnet: prefix, Gateway: prefix.Masked().Addr().Next()}}}
		created, err := e.NetworkCreate(ctx, s.name, chosen)
		if err == nil {
			s.id, s.prefix = created.ID, prefix
			return nil
		}
		// Somebody else made one on it just then. The engine has no error code for that.
		if try == subnetTries || !strings.Contains(err.Error(), "overlap") {
			return &NetworkError{Cause: err}
		}
	}
}

// freeSubnet gives one that the engine takes for free.
func (e engine) freeSubnet(ctx context.Context, name string, options client.NetworkCreateOptions) (netip.Prefix, error) {
	created, err := e.NetworkCreate(ctx, name, options)
	if err != nil {
		return netip.Prefix{}, err
	}
	n, err := e.NetworkInspect(ctx, created.ID, client.NetworkInspectOptions{})
	if err == nil {
		_, err = e.NetworkRemove(ctx, created.ID, client.NetworkRemoveOptions{})
	}
	if err != nil {
		return netip.Prefix{}, err
	}
	for _, c := range n.Network.IPAM.Config {
		if c.Subnet.Addr().Is4() {
			return c.Subnet, nil
		}
	}
	return netip.Prefix{}, errors.New("the engine gave it no addresses")
}

// address is that of a server by its number, the same whenever it is started: the first of the subnet is the engine's own, then
// come the brokers, then the nodes.
func (s subnet) address(k images.Kind, number int) (netip.Addr, error) {
	at := s.prefix.Masked().Addr().Next()
	for range int(k)*mostServers + number {
		at = at.Next()
	}
	if !s.prefix.Contains(at.Next()) { // the last one is the broadcast's
		return at, &NetworkError{Cause: fmt.Errorf("the engine's subnet %s has no room for %d servers", s.prefix, 2*mostServers)}
	}
	return at, nil
}

// addresses are those of the first servers of a kind.
func (s subnet) addresses(k images.Kind, n int) (all []string, err error) {
	for number := range n {
		at, err := s.address(k, number+1)
		if err != nil {
			return nil, err
		}
		all = append(all, at.String())
	}
	return all, nil
}
