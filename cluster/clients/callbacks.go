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
		wanted = !m.closed && m.isNews(p)
		if wanted {
			m.change, m.handed = c, false
		}
	})
	if wanted {
		waitFor(ctx, cl, c.over)
	}
}

// waitFor keeps a callback until the channel is closed, or the client ends.
func waitFor(ctx context.Context, cl *kgo.Client, over <-chan struct{}) {
	select {
	case <-over:
	case <-ctx.Done():
	case <-cl.Context().Done():
	}
}

// isNews tells whether a change is one: a loss that was handed out already, and the end of an assignment that there is not,
// are none, nor is an assignment to a member that is known to be out.
func (m *member) isNews(p workload.Polled) bool {
	if p.Change == workload.WasAssigned {
		return !m.isFenced(p.Token)
	}
	return len(m.assigned) > 0
}

func (m *member) onAssigned(ctx context.Context, cl *kgo.Client, got map[string][]int32) {
	token := m.rejoined(ctx, cl)
	fresh := got[m.world.topic.name]
	var partitions []int32
	m.world.engine.Enter(func() {
		for _, p := range fresh {
			m.franz[p] = true
		}
		for p := range m.franz {
			if _, has := m.assigned[p]; !has {
				partitions = append(partitions, p)
			}
		}
		if len(partitions) == 0 && !m.cooperative() {
			// Nothing to hand out, but a member all the same: it has to poll like any other.
			m.token = token
		}
	})
	if len(partitions) == 0 && !m.cooperative() {
		return
	}
	slices.Sort(partitions)
	p := workload.Polled{Change: workload.WasAssigned, Token: token}
	for _, partition := range partitions {
		// Fetched here, before the owner recovers anything: franz-go itself would fetch only after this callback.
		offset, err := m.startOffset(ctx, cl, partition)
		if err != nil {
			m.fail(fmt.Errorf("fetch the offset to start from: %w", err))
			return
		}
		p.Partitions = append(p.Partitions, workload.Assigned{Partition: partition, Start: offset})
		if !slices.Contains(fresh, partition) {
			m.rewind(cl, partition, offset)
		}
	}
	m.offer(ctx, cl, p)
}

func (m *member) onRevoked(ctx context.Context, cl *kgo.Client, lost map[string][]int32) {
	p := workload.Polled{Change: workload.WasRevoked}
	if m.cooperative() {
		p = m.givenBack(m.rejoined(ctx, cl), lost[m.world.topic.name])
		if len(p.Partitions) == 0 {
			return // it was told so at the end of a generation, before it joins the next
		}
	} else {
		m.world.engine.Enter(func() { clear(m.franz) })
	}
	m.offer(ctx, cl, p)
}

func (m *member) onLost(ctx context.Context, cl *kgo.Client, _ map[string][]int32) {
	var late <-chan struct{}
	m.world.engine.Enter(func() {
		clear(m.franz)
		late = m.late
	})
	m.offer(ctx, cl, workload.Polled{Change: workload.WasLost})
	if late != nil {
		// franz-go joins again when this returns. Who had nothing to lose is not waited for by offer.
		waitFor(ctx, cl, late)
	}
}

func (m *member) startOffset(ctx context.Context, cl *kgo.Client, partition int32) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, m.config.RequestTimeout)
	defer cancel()
	o, err := m.world.committed(ctx, cl, partition)
	return max(o.N, 0), err
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
