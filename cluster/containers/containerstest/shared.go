package containerstest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/single-writer/chaos/cluster/containers"
	"github.com/single-writer/chaos/cluster/containers/enginetest"
)

// Main runs the tests of a package that share servers, and removes these at the end: a start takes as long as ten runs. Each run
// has its own topic, group and rows, so that tests need only leave the servers well; whoever harms servers starts his own.
func Main(m *testing.M) {
	ofProcess = &shared{}
	code := m.Run()
	if err := ofProcess.close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// ofProcess is what the tests of this process share; nil where each has its own.
var ofProcess *shared

// shared is one set of servers, and the default driver's cluster on them. Whoever asks for another size has the set removed:
// a small machine has no room for two.
type shared struct {
	each    int
	servers *containers.Servers
	cluster *containers.Cluster
	// failed is why there is none: what took minutes to fail is not tried by every test.
	failed  error
	release func()
}

// start gives so many servers of each kind.
func (s *shared) start(t testing.TB, each int) (*containers.Servers, error) {
	t.Helper()
	if s.each == each {
		return s.servers, s.failed
	}
	if err := s.close(); err != nil {
		return nil, err
	}
	if s.release, s.failed = enginetest.Hold(); s.failed != nil {
		return nil, s.failed
	}
	s.each = each
	s.servers, s.failed = start(t, each)
	return s.servers, s.failed
}

// open gives the default driver's cluster on them.
func (s *shared) open(t testing.TB, each int) (*containers.Cluster, error) {
	t.Helper()
	servers, err := s.start(t, each)
	if err == nil && s.cluster == nil {
		s.cluster, err = use(t, servers, standard())
	}
	return s.cluster, err
}

func (s *shared) close() (err error) {
	if s.release == nil {
		return nil
	}
	defer s.release()
	if s.cluster != nil {
		err = s.cluster.Close(context.Background())
	}
	if s.servers != nil {
		err = errors.Join(err, s.servers.Close(context.Background()))
	}
	*s = shared{}
	return err
}
