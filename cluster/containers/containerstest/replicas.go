package containerstest

import (
	"context"
	"testing"

	"github.com/single-writer/chaos/cluster/containers"
	"github.com/single-writer/chaos/cluster/containers/enginetest"
)

// Replicas gives three nodes of Cassandra, which send each other everything through the test, and are its own. It is for the default
// driver: that a conditional write is in doubt of contention is told by version 5 of the protocol alone.
func Replicas(t testing.TB) *containers.Replicas {
	t.Helper()
	enginetest.Need(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience(2))
	defer cancel()
	c, err := containers.Open(ctx, containers.Options{Cassandra: 3, Clocks: true, Log: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	closed(t, c)
	f := c.Facts()
	enginetest.Ran(t, f.Kafka, f.Cassandra)
	r, err := c.Replicas(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
