package sim

import (
	"slices"
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// member is one consumer, eager and classic, with the Java client's rules: it heartbeats by itself, leaves the group when
// it is not polled for max.poll.interval, joins only inside a poll, and learns of a rebalance at its next poll.
type member struct {
	world  *World
	link   string
	client string
	config workload.MemberConfig

	token workload.Token
	// assigned are the partitions that were handed out, with the next offset to fetch of each.
	assigned  map[int32]int64
	joined    bool
	rejoin    bool
	fenced    bool
	severed   bool
	join      *joining
	fetching  *board.Call[[]workload.Record]
	heartbeat *timer
	pollClock *timer
}

// joining is a join under way; it goes on while polls come and go.
type joining struct {
	done  bool
	code  string
	start []workload.Assigned
}

var _ workload.Member = (*member)(nil)

// Poll returns records or one change of the assignment.
func (m *member) Poll(maxRecords int, wait time.Duration) workload.Polled {
	m.pollClock.Stop()
	until := m.world.board.Now() + wait
	p := m.poll(maxRecords, until)
	if m.token.Member != "" {
		m.pollClock = m.world.net.After(m.config.MaxPollInterval, m.pollExpired)
	}
	return p
}

func (m *member) poll(maxRecords int, until time.Duration) workload.Polled {
	for {
		left := until - m.world.board.Now()
		switch {
		case m.fenced && len(m.assigned) > 0:
			return m.hand(workload.WasLost)
		case m.rejoin && len(m.assigned) > 0:
			return m.hand(workload.WasRevoked)
		case m.fenced:
			m.forget()
		case m.join != nil && m.join.done:
			if p, ok := m.arrived(); ok {
				return p
			}
		case left <= 0:
			return workload.Polled{Token: m.token}
		case m.join != nil:
			m.world.board.Await(left, func() bool { return m.join.done })
		case !m.joined || m.rejoin:
			m.startJoin()
		case len(m.assigned) == 0:
			m.world.board.Await(left, func() bool { return m.fenced || m.rejoin })
		default:
			if records, ok := m.fetch(maxRecords, left); ok {
				return workload.Polled{Token: m.token, Records: records}
			}
		}
	}
}

// hand hands out the end of the assignment; what was fetched for it is dropped.
func (m *member) hand(c workload.Change) workload.Polled {
	p := workload.Polled{Change: c, Token: m.token}
	for partition := range m.assigned {
		p.Partitions = append(p.Partitions, workload.Assigned{Partition: partition})
	}
	slices.SortFunc(p.Partitions, func(a, b workload.Assigned) int { return int(a.Partition - b.Partition) })
	m.assigned, m.fetching = nil, nil
	return p
}

// forget makes a member that is out of its group a new one.
func (m *member) forget() {
	m.heartbeat.Stop()
	m.token, m.joined, m.fenced, m.rejoin, m.join = workload.Token{}, false, false, false, nil
}

// fetch fetches once, and tells whether what came is to be handed out: nothing is when the assignment ended meanwhile.
func (m *member) fetch(maxRecords int, wait time.Duration) ([]workload.Record, bool) {
	if m.fetching == nil {
		positions := map[int32]int64{}
		for p, at := range m.assigned {
			positions[p] = at
		}
		m.fetching = request(m.world.board, m.world.net, m.link, wait+m.config.RequestTimeout,
			func(reply func([]workload.Record)) { m.world.broker.fetch(positions, maxRecords, wait, reply) })
	}
	m.world.board.Await(board.Forever, func() bool { return m.fetching.Done() || m.fenced || m.rejoin })
	if !m.fetching.Done() {
		return nil, false
	}
	records, _, _ := m.fetching.Await()
	m.fetching = nil
	for _, r := range records {
		m.assigned[r.Partition] = r.Offset + 1
	}
	return records, true
}

// startJoin sends JoinGroup and, with its answer, SyncGroup and OffsetFetch.
func (m *member) startJoin() {
	j := &joining{}
	m.join, m.rejoin = j, false
	fail := func(code string) { j.done, j.code = true, code }
	w := m.world
	w.net.send(m.link, func() {
		w.broker.group.Join(m.token.Member, m.client, m.config, func(a joinAnswer) {
			w.net.send(m.link+"<", func() {
				if m.severed || m.join != j {
					return
				}
				if a.code != codeNone {
					fail(a.code)
					return
				}
				m.token = workload.Token{Member: a.member, Generation: a.generation}
				m.beat()
				m.sync(j, assignRange(a.members, len(w.broker.log)))
			})
		})
	})
}

// sync sends SyncGroup.
func (m *member) sync(j *joining, assignments map[string][]int32) {
	w, token := m.world, m.token
	w.net.send(m.link, func() {
		w.broker.group.Sync(token.Member, token.Generation, assignments, func(a syncAnswer) {
			w.net.send(m.link+"<", func() {
				switch {
				case m.severed || m.join != j:
				case a.code != codeNone:
					j.done, j.code = true, a.code
				default:
					m.fetchOffsets(j, a.assignment)
				}
			})
		})
	})
}

// fetchOffsets fetches the offsets to start from, before anything is recovered.
func (m *member) fetchOffsets(j *joining, partitions []int32) {
	w := m.world
	w.net.send(m.link, func() {
		var start []workload.Assigned
		for _, p := range partitions {
			start = append(start, workload.Assigned{Partition: p, Start: w.broker.group.Committed(p).N})
		}
		w.net.send(m.link+"<", func() { j.done, j.start = true, start })
	})
}

// arrived ends a join: it hands out what was assigned, or begins anew.
func (m *member) arrived() (workload.Polled, bool) {
	j := m.join
	m.join = nil
	switch j.code {
	case codeNone:
	case codeUnknownMember:
		m.fenced = true
		return workload.Polled{}, false
	default:
		m.rejoin = true
		return workload.Polled{}, false
	}
	m.joined = true
	if len(j.start) == 0 {
		return workload.Polled{}, false
	}
	m.assigned = map[int32]int64{}
	for _, a := range j.start {
		m.assigned[a.Partition] = a.Start
	}
	return workload.Polled{Change: workload.WasAssigned, Token: m.token, Partitions: j.start}, true
}

// beat sends heartbeats until the member is out, or was severed.
func (m *member) beat() {
	m.heartbeat.Stop()
	m.heartbeat = m.world.net.After(m.config.HeartbeatInterval, func() {
		w, token := m.world, m.token
		w.net.send("", func() {
			code := w.broker.group.Heartbeat(token.Member, token.Generation)
			w.net.send("", func() { m.told(token, code) })
		})
		m.beat()
	})
}

// told takes what the coordinator said to something sent under the token.
func (m *member) told(token workload.Token, code string) {
	if m.severed || token != m.token {
		return
	}
	switch code {
	case codeUnknownMember, codeIllegalGeneration:
		m.fenced = true
		m.heartbeat.Stop()
	case codeRebalanceInProgress:
		m.rejoin = m.rejoin || m.join == nil
	}
}

// pollExpired is the Java client's rule for an owner that does not poll: the heartbeat thread leaves the group in its
// place; the owner learns of it at its next poll.
func (m *member) pollExpired() {
	if m.severed || m.fenced || m.token.Member == "" {
		return
	}
	m.fenced = true
	m.heartbeat.Stop()
	w, id := m.world, m.token.Member
	w.net.send(m.link, func() { w.broker.group.Leave(id) })
}

// Commit commits under the token that the caller captured.
func (m *member) Commit(token workload.Token, partition int32, offset int64) persistence.Call[workload.CommitAnswer] {
	return request(m.world.board, m.world.net, m.link, m.config.RequestTimeout, func(reply func(workload.CommitAnswer)) {
		code := m.world.broker.group.Commit(token.Member, token.Generation, partition, offset)
		m.world.net.send("", func() { m.told(token, code) })
		reply(workload.CommitAnswer{Code: code})
	})
}

// Leave leaves the group, if the member is in it, and ends the client.
func (m *member) Leave() {
	in := m.token.Member != "" && !m.fenced && !m.severed
	m.Sever()
	if !in {
		return
	}
	w, id := m.world, m.token.Member
	request(w.board, w.net, m.link, m.config.RequestTimeout, func(reply func(string)) {
		reply(w.broker.group.Leave(id))
	}).Await()
}

// Sever ends the client without a word.
func (m *member) Sever() {
	m.severed = true
	m.heartbeat.Stop()
	m.pollClock.Stop()
}

// assignRange is Kafka's range assignor for one topic: consecutive partitions to the members by the order of their ids.
func assignRange(members []string, partitions int) map[string][]int32 {
	if len(members) == 0 {
		return nil
	}
	ids := slices.Sorted(slices.Values(members))
	out := map[string][]int32{}
	each, more, next := partitions/len(ids), partitions%len(ids), int32(0)
	for i, id := range ids {
		n := each
		if i < more {
			n++
		}
		for range n {
			out[id] = append(out[id], next)
			next++
		}
	}
	return out
}
