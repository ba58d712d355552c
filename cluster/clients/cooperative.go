package clients

import (
	"context"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/single-writer/chaos/workload"
)

// cooperative tells whether the member keeps what it has in a rebalance, reads on while it joins, and is handed only what has
// changed.
func (m *member) cooperative() bool { return m.config.Assignor == workload.Cooperative }

// balancer gives the member the assignor that it was made with.
func (m *member) balancer() kgo.GroupBalancer {
	if m.cooperative() {
		return claims{kgo.CooperativeStickyBalancer(), m}
	}
	return kgo.RangeBalancer()
}

// claims is the cooperative balancer of a member that claims nothing of what it has lost. franz-go can be told in its very
// JoinGroup that it is out, and then joins as a new member, claims all that it had, and calls nobody back.
type claims struct {
	kgo.GroupBalancer
	of *member
}

// JoinGroupMetadata is what the member tells the leader when it joins.
func (c claims) JoinGroupMetadata(topics []string, owned map[string][]int32, generation int32) []byte {
	if len(owned) > 0 {
		c.of.world.engine.Enter(func() {
			if c.of.id() != c.of.token.Member || c.of.isFenced(c.of.token) {
				owned, generation = nil, -1
			}
		})
	}
	return c.GroupBalancer.JoinGroupMetadata(topics, owned, generation)
}

// rejoined gives the token that franz-go has come to. When that is another member's, all that the one before had is lost, and
// its owner learns of that first.
func (m *member) rejoined(ctx context.Context, cl *kgo.Client) workload.Token {
	id, generation := cl.GroupMetadata()
	another := false
	m.world.engine.Enter(func() { another = m.token.Member != id })
	if another {
		m.offer(ctx, cl, workload.Polled{Change: workload.WasLost})
	}
	return workload.Token{Member: id, Generation: generation}
}

// givenBack is the loss of what another member is to have. franz-go tells its owner only after it has come to the new
// generation, and joins once more when it has been dealt with.
func (m *member) givenBack(token workload.Token, lost []int32) workload.Polled {
	p := workload.Polled{Change: workload.WasRevoked, Token: token}
	m.world.engine.Enter(func() {
		for _, partition := range slices.Sorted(slices.Values(lost)) {
			delete(m.franz, partition)
			if _, has := m.assigned[partition]; has {
				p.Partitions = append(p.Partitions, workload.Assigned{Partition: partition})
			}
		}
	})
	return p
}

// rewind makes franz-go go on from an offset in a partition that it believes to have kept.
func (m *member) rewind(cl *kgo.Client, partition int32, offset int64) {
	cl.SetOffsets(map[string]map[int32]kgo.EpochOffset{m.world.topic.name: {partition: {Epoch: -1, Offset: offset}}})
}
