package clients

import (
	"fmt"
	"sync"

	"github.com/single-writer/chaos/cluster/clients/cassandra"
)

// nodeSessions are sessions of which each uses one node alone. They are made when they are asked for first.
type nodeSessions struct {
	mu sync.Mutex
	by map[int]cassandra.Session
}

// Through gives a session of which every statement is coordinated by the one node, which counts from 1. It is closed with the
// servers' other clients.
func (s *Servers) Through(node int) (cassandra.Session, error) {
	if node < 1 || node > len(s.cassandra.Hosts) {
		return nil, fmt.Errorf("there is no node %d of %d", node, len(s.cassandra.Hosts))
	}
	s.through.mu.Lock()
	defer s.through.mu.Unlock()
	if session, ok := s.through.by[node]; ok {
		return session, nil
	}
	config := s.cassandra
	config.Hosts, config.Only = config.Hosts[node-1:node], true
	library, _ := s.driver.library()
	session, err := library.connect(config)
	if err != nil {
		return nil, fmt.Errorf("connect to node %d of Cassandra, at %s: %w", node, config.Hosts[0], err)
	}
	if s.through.by == nil {
		s.through.by = map[int]cassandra.Session{}
	}
	s.through.by[node] = session
	return session, nil
}

func (n *nodeSessions) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, session := range n.by {
		session.Close()
	}
}
