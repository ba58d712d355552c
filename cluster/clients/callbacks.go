package clients

import (
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/single-writer/chaos/workload"
)

// change is one callback of franz-go, waiting in its own goroutine.
type change struct {
	polled workload.Polled
	// over is closed when the change has been dealt with, and the callback may return.
	over chan struct{}
}

// offer waits, in a callback's goroutine, until the change was handed out and dealt with.
func (m *member) offer(ctx context.Context, cl *kgo.Client, p workload.Polled) {
	c := &change{polled: p, over: make(chan struct{})}
	wanted := false
	m.world.engine.Enter(func() {
		// A loss that was handed out already, and the end of an assignment that there is not, are no news.
		wanted = !m.closed && (p.Change == workload.WasAssigned || len(m.assigned) > 0)
		if wanted {
			m.change, m.handed = c, false
		}
	})
	if !wanted {
		return
	}
	select {
	case <-c.over:
	case <-ctx.Done():
	case <-cl.Context().Done():
	}
}

func (m *member) onAssigned(ctx context.Context, cl *kgo.Client, got map[string][]int32) {
	partitions := slices.Sorted(slices.Values(got[m.world.topic.name]))
	id, generation := cl.GroupMetadata()
	token := workload.Token{Member: id, Generation: generation}
	if len(partitions) == 0 {
		// Nothing to hand out, but a member all the same: it has to poll like any other.
		m.world.engine.Enter(func() {
			if len(m.assigned) == 0 {
				m.token = token
			}
		})
		return
	}
	p := workload.Polled{Change: workload.WasAssigned, Token: token}
	for _, partition := range partitions {
		// Fetched here, before the owner recovers anything: franz-go itself would fetch only after this callback.
		offset, err := m.startOffset(ctx, cl, partition)
		if err != nil {
			m.fail(fmt.Errorf("fetch the offset to start from: %w", err))
			return
		}
		p.Partitions = append(p.Partitions, workload.Assigned{Partition: partition, Start: offset})
	}
	m.offer(ctx, cl, p)
}

func (m *member) startOffset(ctx context.Context, cl *kgo.Client, partition int32) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, m.config.RequestTimeout)
	defer cancel()
	o, err := m.world.committed(ctx, cl, partition)
	return max(o.N, 0), err
}

func (m *member) onRevoked(ctx context.Context, cl *kgo.Client, _ map[string][]int32) {
	m.offer(ctx, cl, workload.Polled{Change: workload.WasRevoked})
}

func (m *member) onLost(ctx context.Context, cl *kgo.Client, _ map[string][]int32) {
	m.offer(ctx, cl, workload.Polled{Change: workload.WasLost})
}

// startOffsets makes franz-go fetch from the offsets that were handed out with the assignment, not from those that it
// fetched itself some time later.
func (m *member) startOffsets(_ context.Context, fetched map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	m.world.engine.Enter(func() {
		for partition := range fetched[m.world.topic.name] {
			if at, ok := m.assigned[partition]; ok {
				fetched[m.world.topic.name][partition] = kgo.NewOffset().At(at)
			}
		}
	})
	return fetched, nil
}
