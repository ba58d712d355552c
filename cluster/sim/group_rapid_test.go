package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// groupMachine asks a coordinator for anything at any time, rightly and wrongly, and keeps what it was told. Whatever is
// asked: a generation gives a partition to one member, generations rise, only members own and commit, and nobody waits for
// ever.
type groupMachine struct {
	*bench
	clients []*client
	// owners are, by generation and partition, who was told to own it; last is the highest generation that was told.
	owners map[string]string
	last   int32
}

const rapidPartitions = 3

func (m *groupMachine) draw(t *rapid.T) *client {
	return rapid.SampledFrom(m.clients).Draw(t, "client")
}

func (m *groupMachine) Join(t *rapid.T) {
	c := m.draw(t)
	if c.joined == nil && c.id != "" && m.g.find(c.id) != nil && m.g.find(c.id).join != nil {
		t.Skip("it waits for a join already")
	}
	c.join()
}

func (m *groupMachine) Sync(t *rapid.T) {
	c := m.draw(t)
	if c.joined == nil || c.joined.code != codeNone {
		t.Skip("it has not joined")
	}
	c.synced = nil
	generation := c.generation
	m.g.Sync(c.id, generation, assignRange(c.joined.members, rapidPartitions), func(a syncAnswer) {
		c.synced = &a
		if a.code != codeNone {
			return
		}
		for _, p := range a.assignment {
			at := fmt.Sprintf("generation %d partition %d", generation, p)
			if who, ok := m.owners[at]; ok && who != c.id {
				t.Fatalf("%s belongs to %s and to %s", at, who, c.id)
			}
			m.owners[at] = c.id
		}
	})
}

func (m *groupMachine) Heartbeat(t *rapid.T) { m.draw(t).beat() }

func (m *groupMachine) Leave(t *rapid.T) { m.g.Leave(m.draw(t).id) }

// Crash makes a client forget what it was; the coordinator does not know.
func (m *groupMachine) Crash(t *rapid.T) {
	c := m.draw(t)
	*c = *m.client(c.name)
}

func (m *groupMachine) Pass(t *rapid.T) {
	m.pass(time.Duration(rapid.IntRange(1, 4000).Draw(t, "milliseconds")) * time.Millisecond)
}

func (m *groupMachine) Commit(t *rapid.T) {
	c := m.draw(t)
	if c.id == "" {
		t.Skip("anybody may commit to an empty group")
	}
	generation := c.generation - int32(rapid.IntRange(0, 1).Draw(t, "older"))
	member, state := m.g.find(c.id), m.g.state
	code := c.commit(generation)
	if code == codeNone && (member == nil || generation != m.g.generation || state == stateCompleting) {
		t.Fatalf("a commit of %s generation %d was accepted in %s generation %d", c.id, generation, state, m.g.generation)
	}
}

// Check is asked after each of the above.
func (m *groupMachine) Check(t *rapid.T) {
	if m.g.generation < m.last {
		t.Fatalf("generation %d after %d", m.g.generation, m.last)
	}
	m.last = m.g.generation
	if (m.g.state == stateEmpty) != (len(m.g.members) == 0) && m.g.state != statePreparing {
		t.Fatalf("%s with %d members", m.g.state, len(m.g.members))
	}
	owned := map[int32]bool{}
	for _, n := range m.g.Describe().Group.Members {
		for _, p := range n.Partitions {
			if owned[p] {
				t.Fatalf("partition %d is listed twice: %s", p, m.g.Describe().Raw)
			}
			owned[p] = true
		}
	}
	for _, n := range m.g.members {
		if n.join != nil && m.g.state != statePreparing {
			t.Fatalf("%s waits for its join in %s", n.id, m.g.state)
		}
		if n.sync != nil && m.g.state != stateCompleting {
			t.Fatalf("%s waits for its sync in %s", n.id, m.g.state)
		}
		if n.join == nil && n.sync == nil && (n.expiry == nil || n.expiry.do == nil) {
			t.Fatalf("%s has no session: it would stay for ever", n.id)
		}
	}
	for _, c := range m.clients {
		if c.joined == nil && c.id != "" && m.g.find(c.id) == nil {
			t.Fatalf("%s waits for a join that nobody will answer", c.id)
		}
	}
}

func TestGroupMachine(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := &groupMachine{bench: newBench(t), owners: map[string]string{}}
		for _, name := range []string{"a", "b", "c"} {
			m.clients = append(m.clients, m.client(name))
		}
		r.Repeat(map[string]func(*rapid.T){
			"join": m.Join, "sync": m.Sync, "heartbeat": m.Heartbeat, "leave": m.Leave, "crash": m.Crash, "pass": m.Pass,
			"commit": m.Commit, "": m.Check,
		})
		// Left alone, it empties: nothing keeps a dead member.
		m.pass(time.Minute)
		if m.g.state != stateEmpty || len(m.g.pending) > 0 {
			ids := slices.Collect(func(yield func(string) bool) {
				for _, n := range m.g.members {
					yield(n.id)
				}
			})
			r.Fatalf("after a minute of silence it is %s with %v", m.g.state, ids)
		}
	})
}
