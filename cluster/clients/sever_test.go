package clients_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// TestContainersSever cuts and closes many members at whatever moment they are in: joining, polling, between two polls. A
// franz-go client that is closed before its last poll has ended waits for itself for ever; about one in a hundred did.
func TestContainersSever(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	w, err := containerstest.Open(t).Open(ctx, cluster.Spec{Partitions: 1, Arm: "sever"}, history.NewMemory(history.Header{}))
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
