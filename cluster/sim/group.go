package sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// The states of a classic group, by the names that the coordinator answers.
const (
	stateEmpty      = "Empty"
	statePreparing  = "PreparingRebalance"
	stateCompleting = "CompletingRebalance"
	stateStable     = "Stable"
)

// The coordinator's error codes, by their names in the Kafka protocol.
const (
	codeNone                = ""
	codeMemberIDRequired    = "MEMBER_ID_REQUIRED"
	codeUnknownMember       = "UNKNOWN_MEMBER_ID"
	codeIllegalGeneration   = "ILLEGAL_GENERATION"
	codeRebalanceInProgress = "REBALANCE_IN_PROGRESS"
	codeNotCoordinator      = "NOT_COORDINATOR"
	codeLoading             = "COORDINATOR_LOAD_IN_PROGRESS"
)

// group is the coordinator's record of the one classic group. A generation ends whenever a rebalance completes, also
// one that leaves the group empty: lone members one after another get the generations 1, 3, 5.
type group struct {
	by         *broker
	rules      *groupRules
	state      string
	generation int32
	// members are in the order in which they joined; the first leads.
	members []*groupMember
	// pending are ids that were given to new members who have not joined under them yet (KIP-394). They are no members, but
	// a rebalance waits for them too.
	pending map[string]*timer
	// static are the instances of all ids that were ever given to static members; nil where there was none.
	static  map[string]string
	offsets map[int32]int64
	log     groupLog
	// rebalance ends the waiting for members that do not rejoin.
	rebalance *timer
	// described is the answer to DescribeGroups, until something changes.
	described *workload.CoordinatorAnswer
	// epoch is that of the log when it was read. over tells that its coordinator is none any more: nothing that was to happen does.
	epoch int
	over  bool
}

type groupMember struct {
	id, client string
	// instance is the name of a static member; empty of any other.
	instance           string
	said               subscription
	assignor           workload.Assignor
	session, rebalance time.Duration
	// expiry removes a member that is not heard of for its session.
	expiry     *timer
	join       func(joinAnswer)
	sync       func(syncAnswer)
	assignment []int32
}

type joinAnswer struct {
	code, member string
	generation   int32
	// members are what all members said when this one leads, for it to assign partitions to them.
	members []subscription
}

type syncAnswer struct {
	code       string
	assignment []int32
}

func newGroup(by *broker) *group {
	return &group{
		by: by, epoch: by.kafka.offsets.epoch, rules: &by.kafka.rules, state: stateEmpty, offsets: map[int32]int64{}, pending: map[string]*timer{}, log: groupLog{by},
	}
}

// resign is that another coordinates the group, or will: who waits is told to look for it.
func (g *group) resign() {
	g.over = true
	for _, m := range g.members {
		if m.join != nil {
			m.join(joinAnswer{code: codeNotCoordinator})
		}
		if m.sync != nil {
			m.sync(syncAnswer{code: codeNotCoordinator})
		}
		m.join, m.sync = nil, nil
	}
}

func (g *group) find(id string) *groupMember {
	for _, m := range g.members {
		if m.id == id {
			return m
		}
	}
	return nil
}

// Join serves JoinGroup: the answer comes when the rebalance that it begins, or is part of, completes.
func (g *group) Join(s subscription, client string, c workload.MemberConfig, reply func(joinAnswer)) {
	id := s.id
	switch {
	case id == "" && c.Instance != "":
		g.joinStatic(s, client, c, reply)
		return
	case id == "":
		g.log.found(g)
		reply(joinAnswer{code: codeMemberIDRequired, member: g.name(client, c)})
		return
	}
	m := g.find(id)
	expiry, isNew := g.pending[id]
	switch {
	case isNew:
		expiry.Stop()
		delete(g.pending, id)
		m = &groupMember{id: id, client: client}
		g.members = append(g.members, m)
	case m == nil:
		reply(joinAnswer{code: g.unknown(id)})
		return
	case g.rules.settled(g, m, s.unchanged(m.said)):
		// It joins a generation that it is in already: nothing of it has changed, so nobody else needs to know. Only the
		// leader can ask for a new one in this way, and who has given something back.
		reply(g.joinedBy(m))
		return
	}
	g.admit(m, s, c, reply)
}

// admit lets a member wait for the next generation, which it begins to prepare.
func (g *group) admit(m *groupMember, s subscription, c workload.MemberConfig, reply func(joinAnswer)) {
	m.said, m.assignor, m.session, m.rebalance = s, c.Assignor, c.SessionTimeout, c.MaxPollInterval
	m.expiry.Stop()
	m.join = reply
	wasEmpty := g.state == stateEmpty
	if g.state != statePreparing {
		g.prepare()
	}
	if wasEmpty {
		// group.initial.rebalance.delay.ms is 0: the first member waits for nobody.
		g.complete()
		return
	}
	g.tryComplete()
}

// prepare begins a rebalance: all members have the longest of their rebalance time-outs to rejoin.
func (g *group) prepare() {
	for _, m := range g.members {
		if m.sync != nil {
			m.sync(syncAnswer{code: codeRebalanceInProgress})
			m.sync = nil
			g.heard(m)
		}
	}
	g.state, g.described = statePreparing, nil
	var within time.Duration
	for _, m := range g.members {
		within = max(within, m.rebalance)
	}
	g.rebalance.Stop()
	g.rebalance = g.after(g.rules.rebalance(within), g.complete)
}

// tryComplete completes the rebalance when everybody has joined, at once when nobody is left.
func (g *group) tryComplete() {
	if g.state != statePreparing || g.rules.awaitsNamed(len(g.pending)) {
		return
	}
	for _, m := range g.members {
		if m.join == nil {
			return
		}
	}
	g.complete()
}

// complete removes who has not rejoined and begins the next generation. A static member may be starting again: it stays until
// its session is over, and as long as nobody else is there the wait goes on.
func (g *group) complete() {
	g.rebalance.Stop()
	g.members = slices.DeleteFunc(g.members, func(m *groupMember) bool {
		late := m.join == nil && !g.rules.awaited(m)
		if late {
			m.expiry.Stop()
		}
		return late
	})
	if n := slices.IndexFunc(g.members, func(m *groupMember) bool { return m.join != nil }); n > 0 {
		// One that is there leads.
		g.members[0], g.members[n] = g.members[n], g.members[0]
	} else if n < 0 && len(g.members) > 0 {
		g.prepare()
		return
	}
	g.described = nil
	if len(g.members) == 0 {
		g.state = stateEmpty
		g.generation = g.rules.emptied(g.generation)
		g.log.store(g, func(bool) {})
		return
	}
	g.generation++
	g.state = stateCompleting
	for _, m := range g.members {
		m.assignment = nil
		if m.join != nil {
			m.join(g.joinedBy(m))
			m.join = nil
			g.heard(m)
		}
	}
}

// joinedBy answers a member's join with the present generation. The first member leads, and learns what all have said.
func (g *group) joinedBy(m *groupMember) joinAnswer {
	a := joinAnswer{member: m.id, generation: g.generation}
	if m == g.members[0] {
		for _, n := range g.members {
			a.members = append(a.members, n.said)
		}
	}
	return a
}

// Sync serves SyncGroup: the leader brings the assignment, all others wait for it.
func (g *group) Sync(id string, generation int32, assignments map[string][]int32, reply func(syncAnswer)) {
	if code := g.rules.sync(g, id, generation); code != codeNone {
		reply(syncAnswer{code: code})
		return
	}
	m := g.find(id)
	if g.state == stateStable {
		reply(syncAnswer{assignment: m.assignment})
		return
	}
	m.sync = reply
	g.heard(m)
	if m != g.members[0] {
		return
	}
	for _, m := range g.members {
		m.assignment = assignments[m.id]
	}
	g.log.store(g, func(kept bool) {
		if kept && g.generation == generation && g.state == stateCompleting {
			g.stabilise()
		}
	})
}

// stabilise hands out the assignment of a generation once it is in the log.
func (g *group) stabilise() {
	g.state, g.described = stateStable, nil
	for _, m := range g.members {
		if m.sync != nil {
			m.sync(syncAnswer{assignment: m.assignment})
			m.sync = nil
			g.heard(m)
		}
	}
}

// valid finds the member, and checks the generation after the id, as the coordinator does.
func (g *group) valid(id string, generation int32) (*groupMember, string) {
	m := g.find(id)
	switch {
	case m == nil:
		return nil, g.unknown(id)
	case generation != g.generation:
		return nil, codeIllegalGeneration
	}
	return m, codeNone
}

// Heartbeat serves Heartbeat.
func (g *group) Heartbeat(id string, generation int32) string {
	m, code := g.valid(id, generation)
	if code != codeNone {
		return code
	}
	g.heard(m)
	if g.state == statePreparing {
		return codeRebalanceInProgress
	}
	return codeNone
}

// Leave serves LeaveGroup.
func (g *group) Leave(id string) string {
	if _, ok := g.pending[id]; ok {
		g.unname(id)
		return codeNone
	}
	m := g.find(id)
	if m == nil {
		return g.unknown(id)
	}
	g.rules.left(g, m)
	return codeNone
}

// Commit serves OffsetCommit. A commit is as good as a heartbeat. It is answered when it is in the log of all replicas in sync; of one
// that another coordinator may find there, or not, no more is said than that this is none any more.
func (g *group) Commit(id string, generation int32, partition int32, offset int64, reply func(code string)) {
	code := g.rules.commit(g, id, generation, partition)
	if code != codeNone {
		reply(code)
		return
	}
	if m := g.find(id); m != nil {
		g.heard(m)
	}
	e := history.LoggedCommit{Partition: partition, Offset: history.Some(offset), Member: id, Generation: generation}
	g.log.add(logged{GroupLogEntry: history.GroupLogEntry{Commit: &e}}, func(kept bool) {
		if !kept {
			reply(codeNotCoordinator)
			return
		}
		g.offsets[partition] = offset
		reply(codeNone)
	})
}

// Committed serves OffsetFetch.
func (g *group) Committed(partition int32) history.Opt {
	offset, ok := g.offsets[partition]
	return history.Opt{N: offset, Known: ok}
}

// Describe serves DescribeGroups: assignments are told only while the group is stable. It is asked all the time, so the
// answer is made anew only when something has changed.
func (g *group) Describe() workload.CoordinatorAnswer {
	if g.described != nil {
		return *g.described
	}
	seen := history.GroupSeen{State: g.state, Members: []history.MemberAtAll{}}
	for _, m := range g.members {
		at := history.MemberAtAll{Member: m.id, Client: m.client}
		if g.state == stateStable {
			at.Partitions = slices.Clone(m.assignment)
		}
		seen.Members = append(seen.Members, at)
	}
	raw, err := json.Marshal(seen)
	if err != nil {
		panic(fmt.Sprintf("sim: the group as JSON: %v", err))
	}
	g.described = &workload.CoordinatorAnswer{Group: seen, Raw: string(raw)}
	return *g.described
}
