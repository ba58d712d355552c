package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// member is one consumer of a classic group, with the Java client's rules: it heartbeats by itself, leaves the group when
// it is not polled for max.poll.interval, joins only inside a poll, and learns of a rebalance at its next poll. What a
// cooperative one does otherwise than an eager one is in cooperative.go.
type member struct {
	world  *World
	client string
	config workload.MemberConfig
	// coordinator is the connection for everything about the group. A broker serves the requests of one connection one after
	// another, so that a heartbeat, a commit and a goodbye arrive, and are answered, in the order in which they were sent.
	// Records come over another connection.
	coordinator, leader link

	// token is what the coordinator has told it last, handed what its owner knows of: between the two a join is under way.
	token, handed workload.Token
	// assigned are the partitions that were handed out, with the next offset to fetch of each.
	assigned map[int32]int64
	// turn is the partition that the next fetch begins with: a consumer goes round its partitions, so that none is read
	// only when the others have nothing more.
	turn   int32
	joined bool
	rejoin bool
	// fenced: the assignment is lost. out: the member itself is, its id is worth nothing any more.
	fenced, out bool
	// leaving: the client is being closed. severed: it is, nothing is sent and nothing heard any more.
	leaving, severed bool
	// failure ends a static member whose instance another client is by now.
	failure error
	join    *joining
	// heartbeat and pollClock are set again and again.
	heartbeat, pollClock timer
}

// joining is a join under way; it goes on while polls come and go.
type joining struct {
	done bool
	code string
	// assignment is all that the member is assigned, start what of it is new to it, with the offset to start from.
	assignment []int32
	start      []workload.Assigned
	// gaveBack tells that it was handed the loss of something since.
	gaveBack bool
}

// breaks is that the connection broke over which it went on: it begins anew.
func (j *joining) breaks() { j.done, j.code = true, codeNotCoordinator }

var _ workload.Member = (*member)(nil)

// Poll returns records or one change of the assignment.
func (m *member) Poll(maxRecords int, wait time.Duration) workload.Polled {
	m.pollClock.Stop()
	until := m.world.board.Now() + wait
	p := m.poll(maxRecords, until)
	m.world.net.set(&m.pollClock, m.config.MaxPollInterval)
	return p
}

func (m *member) poll(maxRecords int, until time.Duration) workload.Polled {
	for {
		left := until - m.world.board.Now()
		switch {
		case m.fenced && len(m.assigned) > 0:
			return m.hand(workload.WasLost)
		case m.failure != nil:
			return workload.Polled{Err: m.failure}
		case m.rejoin && !m.cooperative() && len(m.assigned) > 0:
			return m.hand(workload.WasRevoked)
		case m.fenced:
			m.forget()
		case m.join != nil && m.join.done:
			if p, ok := m.arrived(); ok {
				return p
			}
		case left <= 0:
			return workload.Polled{Token: m.handed}
		case m.join == nil && (!m.joined || m.rejoin):
			m.startJoin()
		case len(m.assigned) == 0:
			m.world.board.Await(left, m.interrupted)
		default:
			if records, ok := m.fetch(maxRecords, left); ok {
				return workload.Polled{Token: m.handed, Records: records}
			}
		}
	}
}

// interrupted tells whether there is something to see to before records: news of the group, or a join that has come to its
// end.
func (m *member) interrupted() bool {
	if m.join != nil {
		return m.join.done || m.fenced
	}
	return m.fenced || m.rejoin
}

// hand hands out the end of the assignment.
func (m *member) hand(c workload.Change) workload.Polled {
	p := workload.Polled{Change: c, Token: m.handed}
	for _, partition := range m.owned() {
		p.Partitions = append(p.Partitions, workload.Assigned{Partition: partition})
	}
	m.assigned = nil
	return p
}

// owned are the partitions that were handed out, in order.
func (m *member) owned() []int32 { return slices.Sorted(maps.Keys(m.assigned)) }

// forget makes a member that lost its assignment begin anew: under another id if the coordinator knows it no more.
func (m *member) forget() {
	m.heartbeat.Stop()
	m.token = workload.Token{Member: m.token.Member, Generation: noGeneration}
	if m.out {
		m.token = workload.Token{}
	}
	m.handed = m.token
	m.joined, m.fenced, m.out, m.rejoin, m.join = false, false, false, false, nil
}

// noGeneration is that of a member that has an id and is in no generation.
const noGeneration = -1

// fetch fetches once, and tells whether what came is to be handed out: nothing is when the assignment ended meanwhile, or
// may have changed, or records of it would be folded after its end. They are fetched again.
func (m *member) fetch(maxRecords int, wait time.Duration) ([]workload.Record, bool) {
	positions := maps.Clone(m.assigned)
	fetching := m.ask(positions, maxRecords, wait)
	m.world.board.Await(board.Forever, func() bool { return fetching.Done() || m.interrupted() })
	var records []workload.Record
	if fetching.Done() {
		records, _, _ = fetching.Await()
	}
	// Only now: taking the answer gives the baton away once more.
	if m.interrupted() {
		return nil, false
	}
	for _, r := range records {
		m.assigned[r.Partition] = r.Offset + 1
		m.turn = r.Partition + 1
	}
	return records, true
}

// startJoin begins a join: JoinGroup and, with its answer, SyncGroup and OffsetFetch. Heartbeats rest until JoinGroup is
// answered, as in the Java client (HeartbeatThread, hasNotJoinedGroup): who waits for the coordinator need not call it.
func (m *member) startJoin() {
	j := &joining{}
	m.join, m.rejoin = j, false
	m.heartbeat.Stop()
	m.sendJoin(j, m.token.Member)
}

// sendJoin sends JoinGroup: a new member's first gets it an id, its second makes it a member (KIP-394).
func (m *member) sendJoin(j *joining, id string) {
	w, s := m.world, m.subscription(id)
	// A join waits for others as long as they may take; the Java client gives it 5 s more (AbstractCoordinator, JOIN_GROUP_TIMEOUT_LAPSE).
	send(w, joins(m, "JoinGroup", m.config.MaxPollInterval+5*time.Second,
		func(reply func(joinAnswer)) { w.broker.group.Join(s, m.client, m.config, reply) },
		func(a joinAnswer) string { return a.code },
		func(a joinAnswer) {
			switch {
			case m.severed || m.join != j:
			case a.code == codeMemberIDRequired:
				m.token = workload.Token{Member: a.member, Generation: noGeneration}
				if !m.leaving {
					m.sendJoin(j, a.member)
				}
			case a.code != codeNone:
				j.done, j.code = true, a.code
			default:
				m.token = workload.Token{Member: a.member, Generation: a.generation}
				m.beat()
				m.sync(j, assign(m.config.Assignor, a.members, len(w.broker.log)))
			}
		}, j))
}

// sync sends SyncGroup.
func (m *member) sync(j *joining, assignments map[string][]int32) {
	w, token := m.world, m.token
	send(w, joins(m, "SyncGroup", m.config.RequestTimeout,
		func(reply func(syncAnswer)) { w.broker.group.Sync(token.Member, token.Generation, assignments, reply) },
		func(a syncAnswer) string { return a.code },
		func(a syncAnswer) {
			switch {
			case m.severed || m.join != j:
			case a.code != codeNone:
				j.done, j.code = true, a.code
			default:
				j.assignment = a.assignment
				m.fetchOffsets(j, m.added(a.assignment))
			}
		}, j))
}

// fetchOffsets fetches the offsets to start from, before anything is recovered.
func (m *member) fetchOffsets(j *joining, partitions []int32) {
	w := m.world
	send(w, joins(m, "OffsetFetch", m.config.RequestTimeout, func(reply func([]workload.Assigned)) {
		var start []workload.Assigned
		for _, p := range partitions {
			start = append(start, workload.Assigned{Partition: p, Start: w.broker.group.Committed(p).N})
		}
		reply(start)
	}, func([]workload.Assigned) string { return codeNone },
		func(start []workload.Assigned) { j.done, j.start = true, start }, j))
}

// arrived ends a join: it hands out what was assigned, or begins anew.
func (m *member) arrived() (workload.Polled, bool) {
	j := m.join
	switch j.code {
	case codeNone:
	case codeFencedInstance:
		m.replaced()
		return workload.Polled{}, false
	case codeUnknownMember:
		m.join, m.fenced, m.out = nil, true, true
		return workload.Polled{}, false
	default:
		m.join, m.rejoin = nil, true
		return workload.Polled{}, false
	}
	m.joined, m.handed = true, m.token
	if m.cooperative() {
		return m.increment(j), true
	}
	m.join = nil
	if len(j.start) == 0 {
		return workload.Polled{}, false
	}
	m.assigned = map[int32]int64{}
	for _, a := range j.start {
		m.assigned[a.Partition] = a.Start
	}
	return workload.Polled{Change: workload.WasAssigned, Token: m.token, Partitions: j.start}, true
}

// beat lets the member send heartbeats until it is out, joins anew, or was severed.
func (m *member) beat() { m.world.net.set(&m.heartbeat, m.config.HeartbeatInterval) }

// sendHeartbeat sends one, and lets the next follow.
func (m *member) sendHeartbeat() {
	w, token := m.world, m.token
	s := coordinated(m, "Heartbeat", m.config.RequestTimeout,
		func(reply func(string)) { reply(w.broker.group.Heartbeat(token.Member, token.Generation)) }, itself,
		func(code string) { m.told(token, code) }, func() {})
	s.what, s.lossy = func() string { return "a heartbeat" }, true
	send(w, s)
	m.beat()
}

// told takes what the coordinator said to something sent under the token. What it said of an earlier one is old news.
func (m *member) told(token workload.Token, code string) {
	if m.severed || token != m.token {
		return
	}
	switch code {
	case codeUnknownMember, codeIllegalGeneration:
		// The Java client keeps its id when only the generation was refused.
		m.fenced, m.out = true, m.out || code == codeUnknownMember
		m.heartbeat.Stop()
	case codeFencedInstance:
		m.replaced()
	case codeRebalanceInProgress:
		m.rejoin = m.rejoin || m.join == nil || m.join.done
	}
}

// pollExpired is the Java client's rule for an owner that does not poll: the heartbeat thread leaves the group in its
// place; the owner learns of it at its next poll.
func (m *member) pollExpired() {
	if m.severed || m.out || m.token.Member == "" {
		return
	}
	m.fenced, m.out = true, true
	m.heartbeat.Stop()
	if m.config.Instance == "" {
		m.goodbye(func(string) {})
	}
}

// goodbye sends LeaveGroup.
func (m *member) goodbye(answered func(string)) {
	w, id := m.world, m.token.Member
	send(w, coordinated(m, "LeaveGroup", m.config.RequestTimeout, func(reply func(string)) { reply(w.broker.group.Leave(id)) }, itself, answered,
		func() { answered(codeNotCoordinator) }))
}

// Commit commits under the token that the caller captured.
func (m *member) Commit(token workload.Token, partition int32, offset int64) persistence.Call[workload.CommitAnswer] {
	w := m.world
	call := board.NewCall[workload.CommitAnswer](w.board)
	expiry := expire(w.net, call, m.config.RequestTimeout)
	serve := func() string { return w.broker.group.Commit(token.Member, token.Generation, partition, offset) }
	s := coordinated(m, "OffsetCommit", m.config.RequestTimeout, func(reply func(string)) { reply(serve()) }, itself, func(code string) {
		// Also an answer that comes too late for who waited for it tells the client where it stands.
		expiry.Stop()
		m.told(token, code)
		call.Finish(workload.CommitAnswer{Code: code}, persistence.Answered, nil)
	}, breaks(call))
	s.what, s.lossy, s.refused = func() string { return fmt.Sprintf("a commit of %d", offset) }, true, refuses(call)
	s.late = serve
	send(w, s)
	return call
}

// Leave leaves the group, if the member is in it, and ends the client.
func (m *member) Leave() {
	w, j := m.world, m.join
	m.leaving = true
	if m.config.Instance != "" {
		m.Sever()
		return
	}
	if j != nil && m.token.Member == "" && !m.severed {
		// It asked for an id and has none yet. Gone without it, it would keep the group waiting for a session.
		w.board.Await(m.config.RequestTimeout, func() bool { return m.token.Member != "" || j.done })
	}
	in := m.token.Member != "" && !m.out && !m.severed
	m.Sever()
	if in {
		left := false
		m.goodbye(func(string) { left = true })
		w.board.Await(m.config.RequestTimeout, func() bool { return left })
	}
}

// Sever ends the client without a word.
func (m *member) Sever() {
	m.severed = true
	m.heartbeat.Stop()
	m.pollClock.Stop()
}
