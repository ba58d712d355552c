package ready

import (
	"context"
	"fmt"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

// Cassandra says which node to wait for.
type Cassandra struct {
	Host string
	Port int
	// Peers is how many other nodes it must know of.
	Peers int
	Alive func(ctx context.Context) error
}

// Wait returns when a CQL session is connected and the node has answered a query and told of all its peers, and tells the
// version that it reports.
func (c Cassandra) Wait(ctx context.Context) (at Answered, version string, err error) {
	config := gocql.NewCluster(c.Host)
	config.Port = c.Port
	config.ProtoVersion = 5
	config.ConnectTimeout = 2 * time.Second
	config.Timeout = 5 * time.Second
	config.NumConns = 1
	// The peers answer for themselves.
	config.HostFilter = gocql.WhiteListHostFilter(c.Host)
	// A refused connection is what a starting node answers with, not news for the user's terminal.
	config.Logger = silent{}

	err = until(ctx, "connect to Cassandra and query it", c.Alive, func(ctx context.Context) error {
		session, err := config.CreateSession()
		if err != nil {
			return err
		}
		defer session.Close()
		at.First = time.Now()
		if err := session.Query("SELECT release_version FROM system.local").ScanContext(ctx, &version); err != nil {
			return fmt.Errorf("query the version: %w", err)
		}
		var known int
		if err := session.Query("SELECT count(*) FROM system.peers_v2").ScanContext(ctx, &known); err != nil {
			return fmt.Errorf("query the peers: %w", err)
		}
		if known < c.Peers {
			return fmt.Errorf("it knows %d of %d peers yet", known, c.Peers)
		}
		at.All = time.Now()
		return nil
	})
	return at, version, err
}

type silent struct{}

func (silent) Error(string, ...gocql.LogField)   {}
func (silent) Warning(string, ...gocql.LogField) {}
func (silent) Info(string, ...gocql.LogField)    {}
func (silent) Debug(string, ...gocql.LogField)   {}
