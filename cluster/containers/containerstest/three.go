package containerstest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers"
	"github.com/single-writer/chaos/cluster/containers/enginetest"
)

// Three gives three real servers of each kind. They are heavy: the first test that asks starts them, all others of the process
// get the same, and must leave them well. The package's TestMain must call [Main], which removes them.
func Three(t testing.TB) *containers.Cluster {
	t.Helper()
	enginetest.Need(t)
	c, err := three.open(t)
	if err != nil {
		t.Fatal(err)
	}
	f := c.Facts()
	enginetest.Ran(t, f.Kafka, f.Cassandra)
	return c
}

// Main runs the tests of a package that asks for [Three], and removes what was started for them.
func Main(m *testing.M) {
	three.closes = true
	code := m.Run()
	if err := three.close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// three are those of this process.
var three shared

type shared struct {
	mu      sync.Mutex
	closes  bool
	cluster *containers.Cluster
	release func()
	failed  error
}

func (s *shared) open(t testing.TB) (*containers.Cluster, error) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closes {
		return nil, errors.New("three servers of each kind are shared by the tests of a package: call containerstest.Main in its TestMain")
	}
	if s.cluster != nil || s.failed != nil {
		return s.cluster, s.failed
	}
	if s.release, s.failed = enginetest.Hold(); s.failed != nil {
		return nil, s.failed
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	s.cluster, s.failed = containers.Open(ctx, containers.Options{
		Kafka: 3, Cassandra: 3, Driver: clients.Driver{Name: os.Getenv("CHAOS_DRIVER")}, Log: func(line string) { t.Log(line) },
	})
	if s.failed != nil {
		s.release()
	}
	return s.cluster, s.failed
}

func (s *shared) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cluster == nil {
		return nil
	}
	defer s.release()
	return s.cluster.Close(context.Background())
}
