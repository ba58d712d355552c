package ready

import (
	"context"
	"fmt"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

// Cassandra says which node to wait for.
type Cassandra struct {
	Host  string
	Port  int
	Alive func(ctx context.Context) error
}

// Wait returns when a CQL session is connected and a query was answered, and tells the version that
// the node reports.
func (c Cassandra) Wait(ctx context.Context) (at Answered, version string, err error) {
	config := gocql.NewCluster(c.Host)
	config.Port = c.Port
	config.ProtoVersion = 5
	config.ConnectTimeout = 2 * time.Second
	config.Timeout = 5 * time.Second
	config.NumConns = 1
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
