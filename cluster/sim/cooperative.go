package sim

import (
	"slices"

	"github.com/single-writer/chaos/workload"
)

// cooperative tells whether the member keeps what it has in a rebalance, fetches on while it joins, and is handed only what
// has changed.
func (m *member) cooperative() bool { return m.config.Assignor == workload.Cooperative }

// subscription is what the member says when it joins. An eager one has given everything back by then.
func (m *member) subscription(id string) subscription {
	if !m.cooperative() {
		return subscription{id: id}
	}
	generation := m.token.Generation
	if m.token.Member == "" {
		generation = noGeneration
	}
	return subscription{id: id, owned: m.owned(), generation: generation}
}

// added are those of the assignment that the member does not own yet.
func (m *member) added(assignment []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(assignment), func(p int32) bool { _, owns := m.assigned[p]; return owns })
}

// increment hands out what a rebalance has changed, in the order of the Java client (ConsumerCoordinator.onJoinComplete):
// the new generation holds already; first what is taken away; then, by the next poll, what has been added, also if that is
// nothing. Who has given something back joins once more, for it to go to another.
func (m *member) increment(j *joining) workload.Polled {
	p := workload.Polled{Change: workload.WasRevoked, Token: m.handed}
	for _, partition := range m.owned() {
		if !slices.Contains(j.assignment, partition) {
			p.Partitions = append(p.Partitions, workload.Assigned{Partition: partition})
			delete(m.assigned, partition)
		}
	}
	if len(p.Partitions) > 0 {
		j.gaveBack = true
		return p
	}
	m.join, m.rejoin = nil, m.rejoin || j.gaveBack
	if m.assigned == nil {
		m.assigned = map[int32]int64{}
	}
	for _, a := range j.start {
		m.assigned[a.Partition] = a.Start
	}
	return workload.Polled{Change: workload.WasAssigned, Token: m.handed, Partitions: j.start}
}
