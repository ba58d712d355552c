package sim

import "github.com/single-writer/chaos/workload"

// What a broker answers about the group: what the group says, if the broker coordinates it, and else that it does not.

// coordinates gives the group that the broker coordinates, or why it does not.
func (b *broker) coordinates() (g *group, code string) {
	switch {
	case b.group != nil:
		return b.group, codeNone
	case b.loading:
		return nil, codeLoading
	}
	return nil, codeNotCoordinator
}

// offsetsAnswer is the answer to an OffsetFetch.
type offsetsAnswer struct {
	code  string
	start []workload.Assigned
}

func (b *broker) join(s subscription, client string, c workload.MemberConfig, reply func(joinAnswer)) {
	g, code := b.coordinates()
	if code != codeNone {
		reply(joinAnswer{code: code})
		return
	}
	g.Join(s, client, c, reply)
}

func (b *broker) sync(t workload.Token, assignments map[string][]int32, reply func(syncAnswer)) {
	g, code := b.coordinates()
	if code != codeNone {
		reply(syncAnswer{code: code})
		return
	}
	g.Sync(t.Member, t.Generation, assignments, reply)
}

func (b *broker) offsets(partitions []int32, reply func(offsetsAnswer)) {
	g, code := b.coordinates()
	a := offsetsAnswer{code: code}
	if code == codeNone {
		for _, p := range partitions {
			a.start = append(a.start, workload.Assigned{Partition: p, Start: g.Committed(p).N})
		}
	}
	reply(a)
}

func (b *broker) heartbeat(t workload.Token) string {
	g, code := b.coordinates()
	if code != codeNone {
		return code
	}
	return g.Heartbeat(t.Member, t.Generation)
}

func (b *broker) commit(t workload.Token, partition int32, offset int64, reply func(string)) {
	g, code := b.coordinates()
	if code != codeNone {
		reply(code)
		return
	}
	g.Commit(t.Member, t.Generation, partition, offset, reply)
}

func (b *broker) leave(id string) string {
	g, code := b.coordinates()
	if code != codeNone {
		return code
	}
	return g.Leave(id)
}
