// Package containerstest gives tests of other packages real servers.
package containerstest

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers"
	"github.com/single-writer/chaos/cluster/containers/enginetest"
)

// Open starts real servers for a test, and removes them after it. Without an engine the test is skipped, or failed where
// one must be there. CHAOS_DRIVER names another client library for Cassandra than the default.
func Open(t testing.TB) *containers.Cluster {
	t.Helper()
	return OpenWith(t, clients.Driver{Name: os.Getenv("CHAOS_DRIVER")})
}

// OpenWith starts them for runs by one driver.
func OpenWith(t testing.TB, d clients.Driver) *containers.Cluster {
	t.Helper()
	enginetest.Need(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := containers.Open(ctx, containers.Options{Driver: d, Log: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	closed(t, c)
	f := c.Facts()
	enginetest.Ran(t, f.Kafka, f.Cassandra)
	return c
}

const patience = 3 * time.Minute

// Start starts servers for a test that connects by itself.
func Start(t testing.TB) *containers.Servers {
	t.Helper()
	enginetest.Need(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := containers.Start(ctx, containers.Options{Log: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	enginetest.Ran(t, s.KafkaVersion, s.CassandraVersion)
	return s
}

// Connect connects to them by a driver, and makes the keyspace.
func Connect(t testing.TB, s *containers.Servers, d clients.Driver, keyspace string) *clients.Servers {
	t.Helper()
	c, err := s.Connect(d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.MakeSchema(t.Context(), keyspace, len(s.Cassandra)); err != nil {
		t.Fatal(err)
	}
	return c
}

func closed(t testing.TB, c interface{ Close(context.Context) error }) {
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
