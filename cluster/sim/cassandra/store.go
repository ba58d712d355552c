// Package cassandra is a simulated Cassandra: one node, or a few that each have all rows, which agree on conditional writes by
// rounds of Paxos as Cassandra does by default (paxos_variant: v1). It knows statements and answers, and of the world
// nothing but a network between its nodes, which takes time and may lose what it carries, and a clock.
//
// A statement goes to any node, which coordinates it: operation.go asks a quorum, round.go takes a conditional statement
// through its phases, acceptor.go is what a node remembers of them, table.go and row.go what it has stored. rules.go holds
// the facts of Cassandra that all of it obeys. A lone node (alone.go) answers at once, and none of its writes is ever in doubt.
package cassandra

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/workload/persistence"
)

// Network is between the nodes.
type Network interface {
	// Now is the time since the world began, Micros the true time in microseconds since 1970.
	Now() time.Duration
	Micros() int64
	// Send has arrive called when the message arrives, if it does.
	Send(m cluster.Message, arrive func())
	// After lets a node do something when the time has passed, unless that is stopped before or the node has ended.
	After(node int, d time.Duration, f func()) Timer
}

// Timer is something that will happen.
type Timer interface{ Stop() }

// Store is the nodes.
type Store struct {
	Rules *Rules
	nodes []*node
	net   Network
	// rng draws how long a coordinator stands back from another's round.
	rng *rand.Rand
	// ballots counts them, so that no two are the same.
	ballots int64
}

// node is one of them.
type node struct {
	number    int
	tables    [persistence.Keys + 1]*table
	acceptors map[rowKey]*acceptor
	// last is the time of its last ballot.
	last Stamp
	// ahead is by how many microseconds its clock is ahead.
	ahead int64
	// live are the nodes that it takes to be up, itself among them.
	live []*node
	// lives counts its processes that have ended: a statement that one of those coordinated goes no further.
	lives int
}

// New makes a store of so many nodes.
func New(nodes int, n Network, rng *rand.Rand) *Store {
	s := &Store{Rules: Cassandra(), net: n, rng: rng}
	for i := range nodes {
		n := &node{number: i, acceptors: map[rowKey]*acceptor{}}
		for t := range n.tables {
			n.tables[t] = newTable()
		}
		s.nodes = append(s.nodes, n)
	}
	for _, n := range s.nodes {
		n.live = s.nodes
	}
	return s
}

// Nodes is how many there are.
func (s *Store) Nodes() int { return len(s.nodes) }

// Down has a node take another to be down, or to be up.
func (s *Store) Down(observer, number int, is bool) {
	at, of := s.nodes[observer], s.nodes[number]
	at.live = slices.DeleteFunc(slices.Clone(s.nodes), func(n *node) bool {
		return n == of && is || n != of && !slices.Contains(at.live, n)
	})
}

// Up tells whether a node takes another to be up.
func (s *Store) Up(observer, number int) bool {
	return slices.Contains(s.nodes[observer].live, s.nodes[number])
}

// Ended says that a node's process has ended. What it had written is there when it is back; the statements that it coordinated are
// nobody's.
func (s *Store) Ended(number int) {
	n := s.nodes[number]
	n.lives++
	n.last = 0
}

// Skew sets by how much a node's clock is ahead.
func (s *Store) Skew(node int, by time.Duration) { s.nodes[node].ahead = by.Microseconds() }

// clock is a node's own, in microseconds since 1970.
func (s *Store) clock(n *node) int64 { return s.Rules.Clock(s.net.Micros(), n.ahead) }

// ballot is a node's next, no earlier than least.
func (s *Store) ballot(n *node, least Stamp) ballot {
	s.ballots++
	b := ballot{id: s.ballots}
	b.at, n.last = s.Rules.Ballot(n.last, least, s.clock(n))
	return b
}

// acceptor is what the node remembers of a row's rounds. Conditional statements are about the snapshots alone.
func (n *node) acceptor(k rowKey) *acceptor {
	a, ok := n.acceptors[k]
	if !ok {
		a = &acceptor{}
		n.acceptors[k] = a
	}
	return a
}

// The codes of time-outs; a write's goes on with the kind of write.
const (
	writeTimeout = "write-timeout-"
	readTimeout  = "read-timeout"
)

// timedOut, contended, unavailable and unknown are errors in the words into which those of real servers are put. Every time-out leaves
// open what came of the statement.
func timedOut(code string, got, needed int) error {
	return &persistence.Error{Code: code, Got: got, Needed: needed, Err: fmt.Errorf("%d of %d replicas answered in time", got, needed)}
}

func contended(code string, needed, times int) error {
	return &persistence.Error{Code: code, Needed: needed, Err: fmt.Errorf("0 of %d replicas after %d contention retries", needed, times)}
}

func unavailable(alive, needed int, noEffect bool) error {
	return &persistence.Error{Code: "unavailable", NoEffect: noEffect, Got: alive, Needed: needed, Err: fmt.Errorf("%d of the %d replicas needed are alive", alive, needed)}
}

func unknown(accepted, needed int) error {
	return &persistence.Error{Code: "cas-write-unknown", Got: accepted, Needed: needed, Err: fmt.Errorf("the proposal was accepted by %d but not a quorum", accepted)}
}

func isWriteTimeout(err error) bool { return strings.HasPrefix(persistence.CodeOf(err), writeTimeout) }
