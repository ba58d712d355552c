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

// Open gives one real server of each kind: those that the tests of the package share, where its TestMain calls [Main], or else ones
// that are removed after the test. Without an engine the test is skipped, or failed where one must be there. CHAOS_DRIVER names
// another client library for Cassandra than the default.
func Open(t testing.TB) *containers.Cluster {
	t.Helper()
	return open(t, 1)
}

// Three gives three of each kind.
func Three(t testing.TB) *containers.Cluster {
	t.Helper()
	return open(t, 3)
}

// OpenWith gives one of each kind, for runs by one driver.
func OpenWith(t testing.TB, d clients.Driver) *containers.Cluster {
	t.Helper()
	return own(t, Start(t), d)
}

// Start gives one of each kind, for a test that connects by itself.
func Start(t testing.TB) *containers.Servers {
	t.Helper()
	return servers(t, 1)
}

func open(t testing.TB, each int) *containers.Cluster {
	t.Helper()
	s := servers(t, each)
	if ofProcess == nil {
		return own(t, s, standard())
	}
	c, err := ofProcess.open(t, each)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func servers(t testing.TB, each int) (s *containers.Servers) {
	t.Helper()
	enginetest.Need(t)
	var err error
	if ofProcess != nil {
		s, err = ofProcess.start(t, each)
	} else if s, err = start(t, each); err == nil {
		closed(t, s)
	}
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Ran(t, s.KafkaVersion, s.CassandraVersion)
	return s
}

// own is a cluster of a test's own, on servers that others may use too.
func own(t testing.TB, s *containers.Servers, d clients.Driver) *containers.Cluster {
	t.Helper()
	c, err := use(t, s, d)
	if err != nil {
		t.Fatal(err)
	}
	closed(t, c)
	return c
}

func standard() clients.Driver { return clients.Driver{Name: os.Getenv("CHAOS_DRIVER")} }

// patience is how long so many servers of each kind may take to answer.
func patience(each int) time.Duration { return time.Duration(each) * 3 * time.Minute }

func start(t testing.TB, each int) (*containers.Servers, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience(each))
	defer cancel()
	return containers.Start(ctx, containers.Options{Kafka: each, Cassandra: each, Log: func(s string) { t.Log(s) }})
}

func use(t testing.TB, s *containers.Servers, d clients.Driver) (*containers.Cluster, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience(1))
	defer cancel()
	return containers.Use(ctx, s, containers.Options{Driver: d, Log: func(s string) { t.Log(s) }})
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
