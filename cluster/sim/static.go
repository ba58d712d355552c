package sim

import (
	"fmt"

	"github.com/single-writer/chaos/workload"
)

// Static members (KIP-345): those that name themselves by an instance id, which lasts longer than a client. Whoever comes by an
// instance's name is that instance, and the client that was it before is fenced.

// replaced ends the client of an instance that another is by now: its owner learns that all is lost, and then of the error, by
// which in Java every call ends.
func (m *member) replaced() {
	m.heartbeat.Stop()
	m.fenced = true
	m.failure = fmt.Errorf("another client is the static member %s by now: %s", m.config.Instance, codeFencedInstance)
}

const codeFencedInstance = "FENCED_INSTANCE_ID"

// instance finds the member that an instance is by now.
func (g *group) instance(name string) *groupMember {
	for _, m := range g.members {
		if name != "" && m.instance == name {
			return m
		}
	}
	return nil
}

// unknown is the answer to who asks under an id that the group does not have: that another is its instance by now, or that it is
// not known at all. The instance goes with each request of a static member.
func (g *group) unknown(id string) string {
	if of := g.static[id]; g.instance(of) != nil {
		return g.rules.fenced
	}
	return codeUnknownMember
}

// names remembers whose id it is that a static member has.
func (g *group) names(m *groupMember) {
	if m.instance == "" {
		return
	}
	if g.static == nil {
		g.static = map[string]string{}
	}
	g.static[m.id] = m.instance
}

// joinStatic serves a JoinGroup by an instance's name alone. It is in at once, under an id of its own that only it knows.
func (g *group) joinStatic(s subscription, client string, c workload.MemberConfig, reply func(joinAnswer)) {
	g.log.found(g)
	named := &g.by.kafka.named
	*named++
	s.id = fmt.Sprintf("%s-%d", c.Instance, *named)
	m := g.instance(c.Instance)
	if m == nil {
		m = &groupMember{id: s.id, client: client, instance: c.Instance}
		g.names(m)
		g.members = append(g.members, m)
		g.admit(m, s, c, reply)
		return
	}
	// The client that it was before learns that it is none any more, if it waits for an answer; its name stays in the record.
	if m.join != nil {
		m.join(joinAnswer{code: g.rules.fenced})
	}
	if m.sync != nil {
		m.sync(syncAnswer{code: g.rules.fenced})
	}
	m.id, m.join, m.sync = s.id, nil, nil
	g.names(m)
	if !g.rules.returns(g, c.Assignor == m.assignor) {
		g.admit(m, s, c, reply)
		return
	}
	m.said, m.session, m.rebalance = s, c.SessionTimeout, c.MaxPollInterval
	g.described = nil
	g.heard(m)
	g.log.store(g, func(kept bool) {
		if kept {
			reply(joinAnswer{member: m.id, generation: g.generation})
		} else {
			reply(joinAnswer{code: codeNotCoordinator})
		}
	})
}
