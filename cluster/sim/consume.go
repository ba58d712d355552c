package sim

import (
	"slices"
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload"
)

// fetch fetches once from each leader, and tells whether what came is to be handed out: nothing is when the assignment ended
// meanwhile, or may have changed, or records of it would be folded after its end. They are fetched again.
func (m *member) fetch(maxRecords int, wait time.Duration) (workload.Polled, bool) {
	m.startFetches(maxRecords, wait)
	if len(m.fetches) == 0 {
		return m.elsewhere(wait)
	}
	for len(m.fetches) > 0 {
		m.world.board.Await(board.Forever, func() bool { return m.fetched() >= 0 || m.interrupted() })
		var came fetched
		var err error
		if i := m.fetched(); i >= 0 {
			came, _, err = m.fetches[i].Await()
			m.fetches = slices.Delete(m.fetches, i, i+1)
		}
		// Only now: taking the answer gives the baton away once more.
		switch {
		case m.interrupted():
			return workload.Polled{}, false
		case err != nil:
			m.leaders = nil
			return workload.Polled{Token: m.handed}, true
		case came.code == codeNotLeader:
			return m.elsewhere(wait)
		case came.code == codeOutOfRange:
			return m.beyond(came.partition)
		case len(came.records) > 0:
			return m.take(came.records), true
		}
	}
	return workload.Polled{Token: m.handed}, true
}

// fetched is the place of a fetch that has its answer, below 0 if none has.
func (m *member) fetched() int { return slices.IndexFunc(m.fetches, (*board.Call[fetched]).Done) }

// startFetches asks each broker that leads any of the member's partitions, as far as the member knows.
func (m *member) startFetches(maxRecords int, wait time.Duration) {
	k := m.world.kafka
	m.fetches = m.fetches[:0]
	if m.leaders == nil && k.asked() {
		for p := range k.input {
			m.leaders = append(m.leaders, k.leader(int32(p)))
		}
	}
	for _, b := range k.brokers {
		positions := m.positions(b)
		if positions == nil {
			continue
		}
		m.fetches = append(m.fetches, m.ask(b, positions, maxRecords, wait))
	}
}

// positions are the next offsets of those of the member's partitions that a broker leads.
func (m *member) positions(b *broker) (at map[int32]int64) {
	for p, next := range m.assigned {
		if m.leaders == nil || m.leaders[p] != b {
			continue
		}
		if at == nil {
			at = map[int32]int64{}
		}
		at[p] = next
	}
	return at
}

// take takes records.
func (m *member) take(records []workload.Record) workload.Polled {
	for _, r := range records {
		m.assigned[r.Partition] = r.Offset + 1
		m.turn = r.Partition + 1
	}
	m.read = true
	return workload.Polled{Token: m.handed, Records: records}
}

// elsewhere is that the leaders are others by now: it looks for them after a while.
func (m *member) elsewhere(wait time.Duration) (workload.Polled, bool) {
	m.leaders = nil
	m.world.board.Await(min(wait, backoff), m.interrupted)
	return workload.Polled{}, false
}

// beyond is that a partition ends before what is to be read next. What was committed may be beyond the end, and then it is begun
// anew (auto.offset.reset=earliest); who has read records that are no more cannot go on (franz-go, ErrDataLoss).
func (m *member) beyond(partition int32) (workload.Polled, bool) {
	if m.read {
		return workload.Polled{Token: m.handed, Err: errTruncated}, true
	}
	m.assigned[partition] = 0
	return workload.Polled{}, false
}
