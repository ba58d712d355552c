// Package harm does to servers in containers what goes wrong with servers: they are killed, stand still, are cut off from
// their peers or from clients, and cannot write. Each trouble ends with its proof, a fact told by the engine, by the kernel or
// by the server itself, and is taken away again until the server answers clients and its peers have it with them.
//
// What is the matter with a server is kept in the engine and in the kernel alone, and can be seen there by whoever comes later
// ([Servers.Look]): a paused container, rules in the packet filter of the container's own network, a limit of its process.
// With the container's end all of it is gone.
package harm

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/workload"
)

// Kind is which of the two a server is, by how its name begins.
type Kind string

// The kinds.
const (
	Kafka     Kind = workload.Brokers
	Cassandra Kind = workload.Nodes
)

// Server is one server in a container of its own.
type Server struct {
	Kind Kind
	// Number is its number among those of its kind, from 1 on: a broker's id.
	Number int
	// Container is the id of its container.
	Container string
	// Clients is the address, host:port, at which clients reach it, and Port the one at which it listens for them.
	Clients netip.AddrPort
	Port    int
}

// Name is what the server is called.
func (s Server) Name() string { return fmt.Sprintf("%s%d", s.Kind, s.Number) }

// Servers are those of one cluster.
type Servers struct {
	engine *client.Client
	// patience is how long a server may take until it is well again.
	patience time.Duration
	all      []*member

	mu sync.Mutex
	// troubles are what is the matter with servers, by name, from before the moment that it is done to after the one in which
	// they are well again.
	troubles map[string]workload.Trouble
}

// member is a server with what the engine said of it when all was well.
type member struct {
	Server
	// addresses are those that its peers, or clients, have for it, in all its networks.
	addresses []netip.Addr
}

// Patience is how long a server may take to be well again: a Cassandra node on a busy machine is half a minute in starting, and
// its peers take as long to believe it.
const Patience = 2 * time.Minute

// New is for servers that run and answer, in any order.
func New(ctx context.Context, engine *client.Client, all []Server, patience time.Duration) (*Servers, error) {
	s := &Servers{engine: engine, patience: patience, troubles: map[string]workload.Trouble{}}
	for _, server := range all {
		m := &member{Server: server}
		c, err := s.inspect(ctx, m)
		if err != nil {
			return nil, err
		}
		for _, n := range c.NetworkSettings.Networks {
			at := n.IPAddress
			if !at.IsValid() && n.IPAMConfig != nil { // it does not run, and will have this one when it does
				at = n.IPAMConfig.IPv4Address
			}
			if at.IsValid() {
				m.addresses = append(m.addresses, at)
			}
		}
		slices.SortFunc(m.addresses, netip.Addr.Compare)
		s.all = append(s.all, m)
	}
	slices.SortFunc(s.all, func(a, b *member) int { // Kafka's first
		return cmp.Or(-cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Number, b.Number))
	})
	return s, nil
}

// Names are the names of all servers, Kafka's first.
func (s *Servers) Names() (names []string) {
	for _, m := range s.all {
		names = append(names, m.Name())
	}
	return names
}

func (s *Servers) find(name string) (*member, error) {
	for _, m := range s.all {
		if m.Name() == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("no server is called %s; there are: %s", name, strings.Join(s.Names(), ", "))
}

// peers are the others of a server's kind.
func (s *Servers) peers(m *member) (peers []*member) {
	for _, p := range s.all {
		if p.Kind == m.Kind && p != m {
			peers = append(peers, p)
		}
	}
	return peers
}

// Cannot says why such trouble cannot be brought upon the server; it is empty where it can.
func (s *Servers) Cannot(server string, t workload.Trouble) string {
	m, err := s.find(server)
	if err != nil {
		return err.Error()
	}
	switch t {
	case workload.Killed, workload.Paused:
		return ""
	case workload.Isolated, workload.Deaf, workload.Mute:
		if len(s.peers(m)) == 0 {
			return fmt.Sprintf("%s has no peers that it could be cut off from: it is the only one of its kind", server)
		}
		return s.noWayIn(cutting...)
	case workload.Unreachable, starved:
		return s.noWayIn(cutting...)
	case workload.Full:
		return s.noWayIn()
	}
	return fmt.Sprintf("nothing is known of a trouble called %q", t)
}

// noWayIn says why the processes and networks of the containers cannot be reached with these programs.
func (s *Servers) noWayIn(programs ...string) string {
	if !strings.HasPrefix(s.engine.DaemonHost(), "unix://") {
		return fmt.Sprintf("the engine at %s is on another machine: run chaos on that", s.engine.DaemonHost())
	}
	if lack := Lacks(programs...); lack != nil {
		return lack.Error()
	}
	return ""
}

// Ill tells whether something was done to the server that is not healed.
func (s *Servers) Ill(server string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, is := s.troubles[server]
	return is
}

// Harmed tells whether something was done to any server that is not healed.
func (s *Servers) Harmed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.troubles) > 0
}

// begin marks the server as one in trouble. One trouble at a time can be told, and healed, with certainty.
func (s *Servers) begin(m *member, t workload.Trouble) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if there, is := s.troubles[m.Name()]; is {
		return fmt.Errorf("%s is %s already: heal it first", m.Name(), there)
	}
	s.troubles[m.Name()] = t
	return nil
}

func (s *Servers) end(m *member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.troubles, m.Name())
}

// together are the servers of a kind that reach each other, with those of them that clients can ask. The one that is being
// healed is among both.
func (s *Servers) together(healed *member) (reach, asked []*member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.all {
		if m.Kind != healed.Kind {
			continue
		}
		t, harmed := s.troubles[m.Name()]
		if m == healed || !harmed || t == workload.Unreachable {
			reach = append(reach, m)
		}
		if m == healed || !harmed {
			asked = append(asked, m)
		}
	}
	return reach, asked
}
