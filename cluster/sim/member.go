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
	// at is the broker that it takes for the coordinator, coordinator the connection to it for everything about the group. A broker
	// serves the requests of one connection one after another, so that a heartbeat, a commit and a goodbye arrive, and are answered,
	// in the order in which they were sent. Records come over others.
	at          *broker
	coordinator link
	// seeking tells that it looks for the coordinator, then is what waits for that; answered is when one has answered last.
	seeking  bool
	then     []func()
	answered time.Duration
	// leaders are those of the partitions, nil when they are to be asked for; links are the connections to the brokers, and fetches
	// what is under way on them.
	leaders []*broker
	links   []link
	fetches []*board.Call[fetched]

	// token is what the coordinator has told it last, handed what its owner knows of: between the two a join is under way.
	token, handed workload.Token
	// assigned are the partitions that were handed out, with the next offset to fetch of each.
	assigned map[int32]int64
	// turn is the partition that the next fetch begins with: a consumer goes round its partitions, so that none is read
	// only when the others have nothing more.
	turn int32
	// read tells whether it has read anything of its assignment.
	read   bool
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
	// watch goes off when it has taken longer than any that goes well.
	watch timer
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
		case m.join == nil && (!m.joined || m.rejoin) && m.seeking:
			m.world.board.Await(left, func() bool { return !m.seeking || m.fenced })
		case m.join == nil && (!m.joined || m.rejoin):
			m.startJoin()
		case len(m.assigned) == 0:
			m.world.board.Await(left, m.interrupted)
		default:
			if p, ok := m.fetch(maxRecords, left); ok {
				return p
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

// startJoin begins a join: JoinGroup and, with its answer, SyncGroup and OffsetFetch. Heartbeats rest until JoinGroup is
// answered, as in the Java client (HeartbeatThread, hasNotJoinedGroup): who waits for the coordinator need not call it.
func (m *member) startJoin() {
	j := &joining{}
	m.join, m.rejoin = j, false
	m.heartbeat.Stop()
	m.watch(j)
	m.sendJoin(j, m.token.Member)
}

// sendJoin sends JoinGroup: a new member's first gets it an id, its second makes it a member (KIP-394).
func (m *member) sendJoin(j *joining, id string) {
	b, s := m.at, m.subscription(id)
	// A join waits for others as long as they may take; the Java client gives it 5 s more (AbstractCoordinator, JOIN_GROUP_TIMEOUT_LAPSE).
	send(m.world, joins(m, "JoinGroup", m.config.MaxPollInterval+beyondRebalance,
		func(reply func(joinAnswer)) { b.join(s, m.client, m.config, reply) },
		func(a joinAnswer) string { return a.code },
		func(a joinAnswer) {
			m.answered = m.world.net.now
			m.astray(b, a.code)
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
				m.sync(j, assign(m.config.Assignor, a.members, len(m.world.kafka.input)))
			}
		}, j))
}

// sync sends SyncGroup.
func (m *member) sync(j *joining, assignments map[string][]int32) {
	b, token := m.at, m.token
	send(m.world, joins(m, "SyncGroup", m.config.RequestTimeout,
		func(reply func(syncAnswer)) { b.sync(token, assignments, reply) },
		func(a syncAnswer) string { return a.code },
		func(a syncAnswer) {
			m.astray(b, a.code)
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
	b := m.at
	send(m.world, joins(m, "OffsetFetch", m.config.RequestTimeout, func(reply func(offsetsAnswer)) { b.offsets(partitions, reply) },
		func(a offsetsAnswer) string { return a.code },
		func(a offsetsAnswer) {
			m.astray(b, a.code)
			j.done, j.code, j.start = true, a.code, a.start
		}, j))
}

// arrived ends a join: it hands out what was assigned, or begins anew.
func (m *member) arrived() (workload.Polled, bool) {
	j := m.join
	j.watch.Stop()
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
	m.assigned, m.read = map[int32]int64{}, false
	for _, a := range j.start {
		m.assigned[a.Partition] = a.Start
	}
	return workload.Polled{Change: workload.WasAssigned, Token: m.token, Partitions: j.start}, true
}

// beat lets the member send heartbeats until it is out, joins anew, or was severed.
func (m *member) beat() { m.world.net.set(&m.heartbeat, m.config.HeartbeatInterval) }

// sendHeartbeat sends one, and lets the next follow.
func (m *member) sendHeartbeat() {
	if m.seeking || m.silent() {
		m.beat()
		return
	}
	b, token := m.at, m.token
	s := coordinated(m, "Heartbeat", m.config.RequestTimeout,
		func(reply func(string)) { reply(b.heartbeat(token)) }, itself,
		func(code string) { m.told(b, token, code) }, func() { m.broke(b) })
	s.what, s.lossy = func() string { return "a heartbeat" }, true
	send(m.world, s)
	m.beat()
}

// told takes what the coordinator said to something sent under the token. What it said of an earlier one is old news.
func (m *member) told(by *broker, token workload.Token, code string) {
	m.answered = m.world.net.now
	if m.severed || m.astray(by, code) || token != m.token {
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
	b, id := m.at, m.token.Member
	if b == nil {
		answered(codeNotCoordinator)
		return
	}
	send(m.world, coordinated(m, "LeaveGroup", m.config.RequestTimeout, func(reply func(string)) { reply(b.leave(id)) }, itself, answered,
		func() { answered(codeNotCoordinator) }))
}

// Commit commits under the token that the caller captured, once.
func (m *member) Commit(token workload.Token, partition int32, offset int64) persistence.Call[workload.CommitAnswer] {
	call := board.NewCall[workload.CommitAnswer](m.world.board)
	sent := false
	expiry := m.world.net.After(m.config.RequestTimeout, func() {
		if !sent {
			call.Finish(workload.CommitAnswer{}, persistence.Failed, &persistence.Error{Code: "no-coordinator", NoEffect: true, Err: errNoCoordinator})
			return
		}
		timeOut(call)
		m.silent()
	})
	m.known(func() {
		if !call.Done() {
			sent = true
			m.sendCommit(token, partition, offset, call, expiry)
		}
	})
	return call
}

func (m *member) sendCommit(token workload.Token, partition int32, offset int64, call *board.Call[workload.CommitAnswer], expiry *timer) {
	b := m.at
	serve := func(b *broker, reply func(string)) { b.commit(token, partition, offset, reply) }
	s := coordinated(m, "OffsetCommit", m.config.RequestTimeout, func(reply func(string)) { serve(b, reply) }, itself, func(code string) {
		// Also an answer that comes too late for who waited for it tells the client where it stands.
		expiry.Stop()
		m.told(b, token, code)
		if code == codeNotCoordinator {
			call.Finish(workload.CommitAnswer{}, persistence.Unknown, &persistence.Error{Code: code, Err: errNotCoordinator})
			return
		}
		call.Finish(workload.CommitAnswer{Code: code}, persistence.Answered, nil)
	}, func() {
		m.broke(b)
		breaks(call)()
	})
	s.what, s.lossy, s.refused = func() string { return fmt.Sprintf("a commit of %d", offset) }, true, refuses(call)
	s.late = serve
	send(m.world, s)
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
