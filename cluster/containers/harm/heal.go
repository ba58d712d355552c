package harm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/single-writer/chaos/cluster/containers/ready"
)

// Heal takes from a server whatever is the matter with it, and waits until it is well. It gives what proves that.
func (s *Servers) Heal(ctx context.Context, server string) (string, error) {
	if err := s.Free(ctx, server); err != nil {
		return "", err
	}
	m, err := s.find(server)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	proof, err := s.Well(ctx, server)
	if err != nil {
		return "", fmt.Errorf("%s was healed, and is not well within %s: %w", server, s.patience, err)
	}
	s.end(m)
	return proof, nil
}

// Free takes from a server whatever is the matter with it, and does not wait for what comes of that.
func (s *Servers) Free(ctx context.Context, server string) error {
	m, err := s.find(server)
	if err != nil {
		return err
	}
	if err := s.undo(ctx, m); err != nil {
		return fmt.Errorf("free %s: %w", server, err)
	}
	return nil
}

// HealAll heals whatever is the matter with any server, and tells of which that was.
func (s *Servers) HealAll(ctx context.Context) (healed []string, err error) {
	harmed, err := s.Look(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range harmed {
		m, _ := s.find(f.Server)
		_ = s.begin(m, f.trouble()) // by a rig that did not live to heal it
	}
	for _, m := range s.all {
		if s.Ill(m.Name()) {
			healed = append(healed, m.Name())
		}
	}
	return healed, s.HealThese(ctx, healed...)
}

// HealThese heals servers. All their troubles are taken away before the first is waited for: one may need the others.
func (s *Servers) HealThese(ctx context.Context, servers ...string) error {
	var errs []error
	for _, name := range servers {
		errs = append(errs, s.Free(ctx, name))
	}
	for _, name := range servers {
		_, err := s.Heal(ctx, name)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// undo takes away what engine and kernel say is the matter.
func (s *Servers) undo(ctx context.Context, m *member) error {
	found, err := s.look(ctx, m)
	if err != nil {
		return err
	}
	if found.Ended || found.Paused {
		if err := s.run(ctx, m); err != nil {
			return err
		}
	}
	if found.Cut {
		if err := s.restore(ctx, m, nil); err != nil {
			return err
		}
	}
	if !found.Full {
		return nil
	}
	pid, err := s.process(ctx, m)
	if err == nil {
		err = limit(pid, unlimited)
	}
	if errors.Is(err, errNoProcess) { // it has ended of it meanwhile
		return s.run(ctx, m)
	}
	return err
}

// Well waits until the server answers clients, and it and its peers have each other again. It gives what proves that.
func (s *Servers) Well(ctx context.Context, server string) (string, error) {
	m, err := s.find(server)
	if err != nil {
		return "", err
	}
	if m.Kind == Kafka {
		return s.wellBroker(ctx, m)
	}
	return s.wellNode(ctx, m)
}

// wellBroker: every broker that can be asked knows it, and has it in sync with every partition that it has a replica of. Of
// brokers that are fewer than half there is no controller, and none of them answers before there is.
func (s *Servers) wellBroker(ctx context.Context, m *member) (string, error) {
	reach, _ := s.together(m)
	if all := len(s.peers(m)) + 1; len(reach) <= all/2 {
		return fmt.Sprintf("it runs; %d of %d brokers are too few to have a controller, and to answer before they have", len(reach), all),
			s.alive(m)(ctx)
	}
	return ready.InSync{Broker: int32(m.Number), Alive: s.alive(m), Ask: func() (addresses []string) {
		_, asked := s.together(m)
		for _, p := range asked {
			addresses = append(addresses, p.Clients.String())
		}
		return addresses
	}}.Wait(ctx)
}

// wellNode: every node that can be asked reads from it, and from all others that are well, and it can coordinate a round of
// Paxos.
func (s *Servers) wellNode(ctx context.Context, m *member) (string, error) {
	return ready.Replicas{Node: m.Clients.String(), Alone: len(s.peers(m)) == 0, Alive: s.alive(m), Ask: func() (addresses []string, replicas int) {
		reach, asked := s.together(m)
		for _, p := range asked {
			addresses = append(addresses, p.Clients.String())
		}
		return addresses, len(reach)
	}}.Wait(ctx)
}

// alive is a check that the server's process still runs: for one that has ended again there is nothing to wait for.
func (s *Servers) alive(m *member) func(context.Context) error {
	return func(ctx context.Context) error {
		c, err := s.inspect(ctx, m)
		if err != nil || c.State.Running {
			return err
		}
		return fmt.Errorf("it ended again, with %d%s", c.State.ExitCode, strings.TrimSuffix(" ("+c.State.Error+")", " ()"))
	}
}
