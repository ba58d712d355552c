package ready

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

// Replicas says which Cassandra node is to have its peers, and these it.
type Replicas struct {
	Node string // its address for clients
	// Alone is of a node that has no peers.
	Alone bool
	// Ask gives the addresses of the nodes that can be asked, and how many reach each other; these may be others from one
	// attempt to the next.
	Ask func() (addresses []string, reach int)
	// Alive, when set, is asked after each attempt: an error ends the wait.
	Alive func(ctx context.Context) error
}

// shared is a read of a row that there is none of, in a table that each of up to three nodes has a replica of
// (SystemDistributedKeyspace.DEFAULT_RF).
const shared = "SELECT status FROM system_distributed.view_build_status WHERE keyspace_name = 'chaos' AND view_name = 'chaos'"

// Wait returns when every node that can be asked has read from as many replicas as there are nodes that reach each other, and the
// awaited one by a round of Paxos too, where they are enough for that. A node takes a request only to peers that it takes to be
// up. It tells what was read.
func (r Replicas) Wait(ctx context.Context) (said string, err error) {
	err = until(ctx, "have the node at "+r.Node+" together with its peers", r.Alive, func(ctx context.Context) error {
		asked, reach := r.Ask()
		consistency := []gocql.Consistency{gocql.One, gocql.One, gocql.Two, gocql.Three}[min(reach, 3)]
		for _, address := range asked {
			if err := read(ctx, address, consistency); err != nil {
				return fmt.Errorf("read at %s from the node at %s: %w", consistency, address, err)
			}
		}
		said = fmt.Sprintf("a read at %s is answered by %s", consistency, strings.Join(asked, ", "))
		if r.Alone || reach < 2 {
			return nil
		}
		if err := read(ctx, r.Node, gocql.Serial); err != nil {
			return fmt.Errorf("read at SERIAL from the node at %s: %w", r.Node, err)
		}
		said += ", at SERIAL by " + r.Node
		return nil
	})
	return said, err
}

func read(ctx context.Context, address string, consistency gocql.Consistency) error {
	return on(address, func(s *gocql.Session) error { return s.Query(shared).Consistency(consistency).ExecContext(ctx) })
}

// Do has one node do a statement, on a connection of its own.
func Do(ctx context.Context, address, statement string) error {
	return on(address, func(s *gocql.Session) error { return s.Query(statement).Consistency(gocql.One).ExecContext(ctx) })
}

// on lends a connection to one node and to no other.
func on(address string, use func(*gocql.Session) error) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	config := gocql.NewCluster(host)
	if config.Port, err = strconv.Atoi(port); err != nil {
		return err
	}
	config.ProtoVersion = 5
	config.ConnectTimeout = 2 * time.Second
	config.Timeout = 5 * time.Second
	config.NumConns = 1
	config.DisableInitialHostLookup = true
	config.HostFilter = gocql.WhiteListHostFilter(host)
	config.Logger = silent{}
	session, err := config.CreateSession()
	if err != nil {
		return err
	}
	defer session.Close()
	return use(session)
}
