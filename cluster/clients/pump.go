package clients

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/single-writer/chaos/workload"
)

// pumpState says whether franz-go is being polled.
type pumpState int

const (
	pumpIdle pumpState = iota
	pumpPolling
	pumpStopping
)

// startPump polls franz-go, in a goroutine of its own, until there are records or it is told to stop. AllowRebalance and
// PollRecords are called nowhere else, and only between the beginning of a Poll and its end: between two polls franz-go
// waits with every rebalance, as the Java consumer does. A poll that a callback interrupts is left waiting: franz-go lets
// it go on when the callback has returned.
func (m *member) startPump(maxRecords int) {
	if m.pump != pumpIdle || m.closed {
		return
	}
	m.pump = pumpPolling
	ctx, cancel := context.WithCancel(m.client.Context())
	m.stopPoll = cancel
	m.world.requests.Add(1)
	m.pumping.Add(1)
	go func() {
		defer m.world.requests.Done()
		defer m.pumping.Done()
		defer cancel()
		m.client.AllowRebalance()
		fetches := m.client.PollRecords(ctx, maxRecords)
		m.world.engine.Enter(func() { m.pumped(fetches) })
	}()
}

// stopPump makes a poll under way end.
func (m *member) stopPump() {
	if m.pump == pumpPolling {
		m.pump = pumpStopping
		m.stopPoll()
	}
}

// pumped takes what a poll returned.
func (m *member) pumped(fetches kgo.Fetches) {
	m.pump = pumpIdle
	fetches.EachError(func(_ string, _ int32, err error) {
		// That the member is out of its group is no failure: the callback says so too, and franz-go joins again by itself.
		if m.fencedBy(err) {
			return
		}
		var out *kgo.ErrGroupSession
		ours := errors.Is(err, context.Canceled) || errors.Is(err, kgo.ErrClientClosed) || errors.As(err, &out)
		if !ours && m.failure == nil && !m.closed {
			m.failure = err
		}
	})
	fetches.EachRecord(func(r *kgo.Record) {
		m.records = append(m.records, workload.Record{Partition: r.Partition, Offset: r.Offset, Value: r.Value})
	})
}
