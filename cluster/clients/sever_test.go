package clients_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers"
	"github.com/single-writer/chaos/cluster/containers/enginetest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// servers starts real servers for a test, and removes them after it.
func servers(t *testing.T) *containers.Cluster {
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
	enginetest.Ran(t, c.Facts().Kafka, c.Facts().Cassandra)
	return c
}

// TestContainersSever cuts and closes many members at whatever moment they are in: joining, polling, between two polls. A
// franz-go client that is closed before its last poll has ended waits for itself for ever; about one in a hundred did.
func TestContainersSever(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	w, err := servers(t).Open(ctx, cluster.Spec{Partitions: 1, Arm: "sever"}, history.NewMemory(history.Header{}))
	if err != nil {
		t.Fatal(err)
	}
	config := workload.DefaultConfig("a").Member
	config.SessionTimeout, config.MaxPollInterval, config.HeartbeatInterval = time.Second, time.Second, 50*time.Millisecond
	const members = 80
	err = w.Board().Run("severing", func(p workload.World) {
		for i := range members {
			m, err := w.NewMember(fmt.Sprintf("a/%d", i), config)
			if err != nil {
				t.Error(err)
				return
			}
			// The wait makes some polls end by themselves and others be cut, while the member joins or has joined.
			for range i % 4 {
				m.Poll(1, time.Duration(i%7)*5*time.Millisecond)
			}
			if i%3 == 0 {
				m.Leave()
			} else {
				m.Sever()
			}
		}
	})
	if err != nil {
		t.Error(err)
	}
	if err := w.Close(ctx); err != nil {
		t.Error(err)
	}
}
