package containers

import (
	"context"
	"fmt"
	"slices"

	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers/owner"
)

// Several processes may have runs on the same warm servers. Each makes a keyspace, topics and groups whose names begin with
// its own, and removes them at its end; what a killed one left is known by its name.

// fateOf gives the owner of a name, and what became of it.
func fateOf(name string, self owner.Owner) (o owner.Owner, fate owner.Fate, ours bool) {
	o, ours = owner.FromName(name, self)
	if !ours {
		return o, owner.Elsewhere, false
	}
	fate, err := o.Fate(self)
	if err != nil {
		fate = owner.Elsewhere // what can't be read is no proof of death
	}
	return o, fate, true
}

// sweepTenants removes from the servers what dead processes left there, and returns the names of it.
func sweepTenants(ctx context.Context, c *clients.Servers, self owner.Owner) ([]string, error) {
	left, err := c.Remains(ctx, func(name string) bool {
		_, fate, ours := fateOf(name, self)
		return ours && fate == owner.Dead
	})
	if err == nil {
		err = c.Remove(ctx, left)
	}
	if err != nil {
		return nil, fmt.Errorf("remove what killed runs left on the warm servers: %w", err)
	}
	return slices.Concat(left.Keyspaces, left.Topics), nil
}

// tenants names the other processes that have something on the servers and may be alive.
func tenants(ctx context.Context, c *clients.Servers, self owner.Owner) (out []string, err error) {
	_, err = c.Remains(ctx, func(name string) bool {
		o, fate, ours := fateOf(name, self)
		if !ours || fate == owner.Dead || o == self {
			return false
		}
		who := fmt.Sprintf("process %d", o.PID)
		if fate != owner.Alive {
			who += ", which can't be seen from here"
		}
		if !slices.Contains(out, who) {
			out = append(out, who)
		}
		return false
	})
	if err != nil {
		return nil, fmt.Errorf("look who uses the warm servers: %w", err)
	}
	return out, nil
}
