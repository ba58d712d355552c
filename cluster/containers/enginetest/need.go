// Package enginetest is for tests that need a Docker engine: what to do where there is none, and how not to get into each
// other's way.
package enginetest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/moby/moby/client"
)

// Required is the variable that makes a missing engine a failure: where an engine is promised, a test that is skipped for
// want of one would be a hole that nobody sees.
const Required = "CHAOS_REQUIRE_ENGINE"

// Need skips the test where no engine answers, or fails it where one must. Tests that need one run one at a time, also
// those of different packages: servers are heavy, and two clusters at once on a small machine would time each other out.
func Need(t testing.TB) {
	t.Helper()
	if name := t.Name(); !strings.HasPrefix(name, "TestContainers") && !strings.HasPrefix(name, "Benchmark") {
		t.Fatalf("%s needs a Docker engine, so its name begins with TestContainers: by that `make test` knows what it runs by itself", name)
	}
	if err := ping(); err != nil {
		Missing(t, "no Docker engine: %v", err)
	}
	if err := place.take(); err != nil {
		t.Fatalf("take the machine's place for a cluster: %v", err)
	}
	t.Cleanup(place.give)
}

// Hold keeps the place beyond a test, for servers that several tests share.
func Hold() (release func(), err error) { return place.give, place.take() }

// Missing skips the test for want of something, or fails it where nothing may be missing.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv(Required) == "1" {
		t.Fatalf(Required+"=1, and "+format, args...)
	}
	t.Skipf(format, args...)
}

func ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	engine, err := client.New(client.FromEnv)
	if err != nil {
		return err
	}
	defer engine.Close()
	_, err = engine.Ping(ctx, client.PingOptions{})
	return err
}

// Ran is what a test logs when it has run on real servers: the summary of all tests reads it.
func Ran(t testing.TB, kafka, cassandra string) {
	t.Helper()
	t.Logf("ran on real servers: Kafka %s, Cassandra %s", kafka, cassandra)
}

// place is the machine's one place for a cluster. A test may need it more than once, as may its helpers; the kernel gives
// back the place of a process that dies.
var place machinePlace

type machinePlace struct {
	mu    sync.Mutex
	users int
	file  *os.File
}

func (p *machinePlace) take() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users > 0 {
		p.users++
		return nil
	}
	f, err := os.OpenFile(filepath.Join(os.TempDir(), "chaos-engine-tests.lock"), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return err
	}
	p.file, p.users = f, 1
	return nil
}

func (p *machinePlace) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users == 0 {
		p.file.Close()
	}
}
