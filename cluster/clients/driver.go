package clients

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster/clients/cassandra"
	"github.com/single-writer/chaos/cluster/clients/cassandra/gocql1"
	"github.com/single-writer/chaos/cluster/clients/cassandra/gocql2"
)

// Driver is the client library for Cassandra that a run goes through: a thing under test as much as the servers are. Its
// retries are its own: what is above it never sends a statement twice.
type Driver struct {
	// Name is one of DriverNames; empty is the first.
	Name string
	// Retries is how often the driver may send a statement again after an error, Pause how long it waits before each.
	Retries int
	Pause   time.Duration
}

// The most that a driver may be given: a statement must come to its end within a run.
const (
	mostRetries = 10
	mostPause   = 5 * time.Second
)

// library is one driver.
type library struct {
	name, library string
	connect       func(cassandra.Config) (cassandra.Session, error)
}

// libraries are all drivers, the one that is used unless another is asked for first.
func libraries() []library {
	return []library{
		{"gocql2", gocql2.Library, gocql2.Connect},
		{"gocql1", gocql1.Library, gocql1.Connect},
	}
}

// DriverNames are the names of all drivers, the default first.
func DriverNames() []string {
	var names []string
	for _, l := range libraries() {
		names = append(names, l.name)
	}
	return names
}

func (d Driver) library() (library, bool) {
	all := libraries()
	i := slices.IndexFunc(all, func(l library) bool { return l.name == cmp.Or(d.Name, all[0].name) })
	if i < 0 {
		return library{}, false
	}
	return all[i], true
}

// Check says what is wrong with a driver that was asked for.
func (d Driver) Check() error {
	_, ok := d.library()
	switch {
	case !ok:
		return fmt.Errorf("no driver is called %q; there are: %s", d.Name, strings.Join(DriverNames(), ", "))
	case d.Retries < 0 || d.Retries > mostRetries:
		return fmt.Errorf("%d retries: a driver may send a statement again 0 to %d times", d.Retries, mostRetries)
	case d.Pause < 0 || d.Pause > mostPause:
		return fmt.Errorf("a pause of %s: it may be 0s to %s", d.Pause, mostPause)
	case d.Pause > 0 && d.Retries == 0:
		return fmt.Errorf("a pause of %s before a retry, and no retries: add --retries", d.Pause)
	}
	return nil
}

// String is the driver as the history's header tells it.
func (d Driver) String() string {
	l, _ := d.library()
	switch {
	case d.Retries == 0:
		return l.library
	case d.Pause == 0:
		return fmt.Sprintf("%s, retries %d", l.library, d.Retries)
	}
	return fmt.Sprintf("%s, retries %d after %s", l.library, d.Retries, d.Pause)
}

// bound is how long a statement may take in all of its sendings, each of which may take the time-out.
func (d Driver) bound(timeout time.Duration) time.Duration {
	return time.Duration(d.Retries+1)*timeout + time.Duration(d.Retries)*d.Pause
}
