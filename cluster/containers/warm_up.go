package containers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/cluster/containers/owner"
)

// Up makes sure that a warm cluster is up, and tells whether it started it. Several processes may ask
// at once: one starts it, the others find it. It removes what killed runs left, on the engine and on
// the servers.
func Up(ctx context.Context, o Options) (servers *Servers, started bool, err error) {
	o = o.withDefaults(90 * time.Second)
	engine, err := images.Connect(ctx)
	if err != nil {
		return nil, false, err
	}
	defer engine.Close()
	release, err := lockWarm(ctx, o.Log)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, release()) }()
	removed, err := sweep(ctx, engine)
	if err != nil {
		return nil, false, err
	}
	if len(removed) > 0 {
		o.Log("removed what a killed run left: " + strings.Join(removed, ", "))
	}
	servers, err = findWell(ctx, o)
	switch {
	case errors.Is(err, ErrNoWarm):
		servers, err = startWarm(ctx, o)
		return servers, true, err
	case err != nil:
		return nil, false, err
	}
	err = servers.withClients(func(c *clients.Servers, self owner.Owner) error {
		removed, err := sweepTenants(ctx, c, self)
		if len(removed) > 0 {
			o.Log("removed from the servers what a killed run left: " + strings.Join(removed, ", "))
		}
		return err
	})
	return servers, false, errors.Join(err, servers.Detach())
}

func startWarm(ctx context.Context, o Options) (*Servers, error) {
	o.Warm = true
	servers, err := Start(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := servers.makeWarm(ctx); err != nil {
		return nil, errors.Join(err, servers.Close(ctx))
	}
	return servers, servers.Detach()
}

// withClients lends clients of the servers.
func (s *Servers) withClients(use func(*clients.Servers, owner.Owner) error) error {
	self, err := owner.Self()
	if err != nil {
		return err
	}
	c, err := s.Connect(clients.Driver{})
	if err != nil {
		return err
	}
	defer c.Close()
	return use(c, self)
}

// leaveWarm makes a run's servers warm when it has ended, and removes them where that can't be: the run was
// interrupted, a server does not answer any more, or others are warm already.
func leaveWarm(run, closing context.Context, s *Servers, log func(string)) error {
	if run.Err() != nil {
		return s.Close(closing)
	}
	release, err := lockWarm(closing, log)
	if err != nil {
		return errors.Join(err, s.Close(closing))
	}
	defer func() { _ = release() }()
	if err := s.makeWarm(closing); err != nil {
		log(fmt.Sprintf("%v: removed the servers of this run", err))
		return s.Close(closing)
	}
	log("kept the servers for the next run: chaos down removes them")
	return s.Detach()
}

// InUseError says that the warm servers were not removed, since somebody has a run on them.
type InUseError struct{ By []string }

func (e *InUseError) Error() string {
	return fmt.Sprintf("the warm cluster is in use by %s: it is left alone\n  end that first, or chaos down --force",
		strings.Join(e.By, " and "))
}

// Down removes the warm servers, and what killed runs left. It touches nothing of a live run: when one
// is on the warm servers, the error is an [InUseError], unless it is forced. It returns the names of
// what it removed.
func Down(ctx context.Context, o Options, force bool) (removed []string, err error) {
	o = o.withDefaults(5 * time.Second)
	engine, err := images.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	release, err := lockWarm(ctx, o.Log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	removed, err = sweep(ctx, engine)
	if err != nil {
		return removed, err
	}
	if !force {
		if harming() { // they answer as they are harmed, and so cannot tell who uses them
			return removed, &InUseError{By: []string{"a process that is doing harm to its servers"}}
		}
		users, err := warmUsers(ctx, o)
		if err != nil {
			return removed, err
		}
		if len(users) > 0 {
			return removed, &InUseError{By: users}
		}
	}
	warm, err := remove(ctx, engine, owner.LabelWarm, func(t thing) (bool, error) { return t.warm, nil })
	if err != nil {
		err = fmt.Errorf("remove the warm servers: %w", err)
	}
	return append(removed, warm...), err
}

// warmUsers names the processes that have a run on the warm servers. Nobody has one on servers that are half dead.
func warmUsers(ctx context.Context, o Options) (users []string, err error) {
	o.anyVersion = true
	servers, err := FindWarm(ctx, o)
	var dead *HalfDeadError
	switch {
	case errors.Is(err, ErrNoWarm), errors.As(err, &dead):
		return nil, nil
	case err != nil:
		return nil, err
	}
	err = servers.withClients(func(c *clients.Servers, self owner.Owner) (err error) {
		users, err = tenants(ctx, c, self)
		return err
	})
	return users, errors.Join(err, servers.Detach())
}
