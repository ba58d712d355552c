package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/single-writer/chaos/workload"
)

// timer is something that the coordinator will do, if it is one then.
func (g *group) timer(do func()) *timer {
	return &timer{do: func() {
		g.by.act(func() {
			if !g.over {
				do()
			}
		})
	}}
}

// after is such a timer, set.
func (g *group) after(d time.Duration, do func()) *timer {
	t := g.timer(do)
	g.by.net.set(t, d)
	return t
}

// name gives a new member its id, which is kept for a session.
func (g *group) name(client string, c workload.MemberConfig) string {
	named := &g.by.kafka.named
	*named++
	id := fmt.Sprintf("%s-%d", client, *named)
	g.pending[id] = g.after(c.SessionTimeout, func() { g.unname(id) })
	return id
}

// unname gives up on a new member that did not come back.
func (g *group) unname(id string) {
	g.pending[id].Stop()
	delete(g.pending, id)
	g.tryComplete()
}

// heard restarts a member's session. It does not run while the member waits for an answer: who waits is there.
func (g *group) heard(m *groupMember) {
	m.expiry.Stop()
	if g.rules.present(m) {
		return
	}
	if m.expiry == nil {
		m.expiry = g.timer(func() { g.remove(m) })
	}
	g.by.net.set(m.expiry, g.rules.session(m.session))
}

// remove takes a member out: its session expired, or it left.
func (g *group) remove(m *groupMember) {
	m.expiry.Stop()
	g.rules.dismiss(m)
	g.described = nil
	g.members = slices.DeleteFunc(g.members, func(n *groupMember) bool { return n == m })
	if g.state != statePreparing {
		g.prepare()
	}
	g.tryComplete()
}
