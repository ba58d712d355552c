// Package containerstest gives tests of other packages real servers.
package containerstest

import (
	"context"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster/containers"
	"github.com/single-writer/chaos/cluster/containers/enginetest"
)

// Open starts real servers for a test, and removes them after it. Without an engine the test is skipped, or failed where
// one must be there.
func Open(t *testing.T) *containers.Cluster {
	t.Helper()
	enginetest.Need(t)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	c, err := containers.Open(ctx, containers.Options{Log: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	f := c.Facts()
	enginetest.Ran(t, f.Kafka, f.Cassandra)
	return c
}
