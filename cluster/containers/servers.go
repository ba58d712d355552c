package containers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/images"
)

// mostServers is how many there can be of a kind: one that has no peers, or as many as are needed for one to be lost.
const mostServers = 3

// Server is one broker or node.
type Server struct {
	// Name is what the rest of the rig calls it: kafka-1, cassandra-3. It is a label of its container too.
	Name string
	// Container is the container's id.
	Container string
	// Client is the host:port where clients reach it, Peer its address on the network of the servers. Both stay what they are
	// when the container is stopped and started.
	Client, Peer string
}

// host is the host of the address for clients.
func (s Server) host() string {
	host, _, _ := net.SplitHostPort(s.Client) // it was made by the other
	return host
}

// serverName names a server by its number, which counts from 1.
func serverName(k images.Kind, number int) string {
	return fmt.Sprintf("%s-%d", strings.ToLower(k.String()), number)
}

// serverNames are those of so many brokers and nodes.
func serverNames(kafka, cassandra int) (all []string) {
	for i := range kafka {
		all = append(all, serverName(images.Kafka, i+1))
	}
	for i := range cassandra {
		all = append(all, serverName(images.Cassandra, i+1))
	}
	return all
}

// Servers are running brokers and nodes, all of which have answered requests.
type Servers struct {
	Run string

	// Kafka are the brokers and Cassandra the nodes, by number.
	Kafka, Cassandra []Server

	// The versions are what the servers say of themselves.
	KafkaVersion, CassandraVersion string
	KafkaImage, CassandraImage     images.Image
	// ClientNetwork and PeerNetwork are the ids of the networks on which clients reach the servers, and these each other.
	ClientNetwork, PeerNetwork string

	Started time.Time // by the engine's clock
	Timings Timings

	engine engine
	closed func() error
}

// All are all servers, Kafka's first.
func (s *Servers) All() []Server { return slices.Concat(s.Kafka, s.Cassandra) }

// Size is how many there are.
func (s *Servers) Size() cluster.Size {
	return cluster.Size{Kafka: len(s.Kafka), Cassandra: len(s.Cassandra)}
}

// String is "3 Kafka 4.3.1, 1 Cassandra 5.0.5".
func (s *Servers) String() string {
	return fmt.Sprintf("%d Kafka %s, %d Cassandra %s", len(s.Kafka), s.KafkaVersion, len(s.Cassandra), s.CassandraVersion)
}

// Connect connects the rig's clients to all servers.
func (s *Servers) Connect(d clients.Driver) (*clients.Servers, error) {
	var kafka, cassandra []string
	for _, broker := range s.Kafka {
		kafka = append(kafka, broker.Client)
	}
	for _, node := range s.Cassandra {
		cassandra = append(cassandra, node.host())
	}
	return clients.Connect(kafka, cassandra, definition.CassandraPort, d)
}

// Close kills and removes the servers with all their data. Nothing is stopped politely: a run has
// taken what it wants by then. It works also when ctx has ended, in a time of its own.
func (s *Servers) Close(ctx context.Context) error {
	err := removeRun(ctx, s.engine.Client, s.Run)
	if err != nil {
		err = fmt.Errorf("remove the servers of run %s: %w", s.Run, err)
	}
	return errors.Join(err, s.closed())
}

// Detach leaves the servers running and lets go of the engine. It is for those that are warm; others
// would be taken for what a killed run left as soon as this process has ended.
func (s *Servers) Detach() error { return s.closed() }
