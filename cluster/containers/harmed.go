package containers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"

	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/harm"
	"github.com/single-writer/chaos/cluster/containers/owner"
)

// harmed gives what can be done to the servers, and seen of what was.
func (s *Servers) harmed(ctx context.Context) (*harm.Servers, error) {
	var all []harm.Server
	for _, kind := range []struct {
		kind    harm.Kind
		port    int
		servers []Server
	}{{harm.Kafka, definition.KafkaPort, s.Kafka}, {harm.Cassandra, definition.CassandraPort, s.Cassandra}} {
		for i, v := range kind.servers {
			address, err := netip.ParseAddrPort(v.Client)
			if err != nil {
				return nil, fmt.Errorf("the address of %s: %w", v.Name, err)
			}
			all = append(all, harm.Server{Kind: kind.kind, Number: i + 1, Container: v.Container, Clients: address, Port: kind.port})
		}
	}
	return harm.New(ctx, s.engine.Client, all, harm.Patience)
}

// HarmedError says that something was done to warm servers that is not healed.
type HarmedError struct {
	Found []harm.Found
	// servers can heal it.
	servers *harm.Servers
}

func (e *HarmedError) Error() string {
	var all []string
	for _, f := range e.Found {
		all = append(all, f.Server+": "+f.String())
	}
	return fmt.Sprintf("the warm cluster was left harmed\n  %s\n  the next run heals it, and so does chaos up; chaos down removes it",
		strings.Join(all, "\n  "))
}

// HarmingError says that another process harms the warm servers, which are no place for others' runs meanwhile.
type HarmingError struct{}

func (*HarmingError) Error() string {
	return "another chaos is doing harm to the servers of the warm cluster\n  wait for its end, or --cold starts other servers"
}

// harmLock is held by a process from the first harm that it does to warm servers until it has ended with them. Like [warmLock]
// the kernel takes it back from a dead one.
const harmLock = "@io.github.single-writer.chaos.warm.harm"

// harming tells whether another process is at it.
func harming() bool {
	conn, err := net.Dial("unix", harmLock)
	if err == nil {
		conn.Close()
	}
	return err == nil
}

// findWell finds the warm servers, healed if a process that did not live to do it had harmed them.
func findWell(ctx context.Context, o Options) (*Servers, error) {
	if harming() {
		return nil, &HarmingError{}
	}
	servers, err := FindWarm(ctx, o)
	var left *HarmedError
	if !errors.As(err, &left) {
		return servers, err
	}
	healed, err := left.servers.HealAll(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w\n  it could not be healed: %w", left, err)
	}
	o.Log("healed what a killed run left harmed: " + strings.Join(healed, ", "))
	return FindWarm(ctx, o)
}

// looked is an error when somebody has harmed the servers, all of which run. That some do not is told otherwise.
func (s *finder) looked(ctx context.Context, found map[string]thing) error {
	v, all := s.located(ctx, found)
	if !all {
		return nil
	}
	servers, err := v.harmed(ctx)
	if err != nil {
		return err
	}
	harmed, err := servers.Look(ctx)
	if err == nil && len(harmed) > 0 {
		err = &HarmedError{harmed, servers}
	}
	return err
}

// located tells where the servers are by the engine's word, and whether all of them are there and run.
func (s *finder) located(ctx context.Context, found map[string]thing) (v *Servers, all bool) {
	v = &Servers{engine: s.engine}
	for _, name := range namesOf(found) {
		t, ok := found[name]
		f := foundServer{Server: Server{Name: name}}
		if !ok || !t.running || s.locate(ctx, t, &f) != nil {
			return nil, false
		}
		if isBroker(name) {
			v.Kafka = append(v.Kafka, f.Server)
		} else {
			v.Cassandra = append(v.Cassandra, f.Server)
		}
	}
	return v, true
}

// alone makes sure that nobody else has a run on the warm servers, or begins one, until this process has ended with them.
func (c *Cluster) alone(ctx context.Context) error {
	c.harmMu.Lock()
	defer c.harmMu.Unlock()
	if c.harming != nil {
		return nil
	}
	var config net.ListenConfig
	lock, err := config.Listen(ctx, "unix", harmLock)
	if errors.Is(err, syscall.EADDRINUSE) {
		return &HarmingError{}
	}
	if err != nil {
		return fmt.Errorf("take the lock of those who harm the warm servers: %w", err)
	}
	self, err := owner.Self()
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	others, err := tenants(ctx, c.clients, self)
	if err == nil && len(others) > 0 {
		err = &InUseError{By: others}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("harm the servers of a warm cluster: %w", err), lock.Close())
	}
	c.harming = lock
	return nil
}

// unharmed ends what [Cluster.alone] has begun.
func (c *Cluster) unharmed() error {
	if c.harming == nil {
		return nil
	}
	return c.harming.Close()
}
