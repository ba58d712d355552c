package clients

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/cluster/clients/wire"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// member is a franz-go consumer of a classic group, made to behave like a Java consumer:
//
//   - its owner learns of a rebalance only by Poll, and the group goes on only when it polls again. franz-go calls its owner
//     back from goroutines of its own; each callback here waits until Poll has handed the change out and the next Poll says
//     that it has been dealt with;
//   - when its owner does not poll for max.poll.interval it leaves the group. franz-go has no such clock and heartbeats for
//     ever, so that the member keeps one, and sends LeaveGroup itself;
//   - a commit is made under the member id and generation captured by a poll, never under those that the client has by then.
//
// All fields are touched with the baton only.
type member struct {
	world  *World
	client *kgo.Client
	conns  *connections
	cancel context.CancelFunc
	config workload.MemberConfig

	// token is under what the member is in the group, as far as its owner may know: that of the last change handed out, or of
	// an eager assignment without partitions.
	token workload.Token
	// assigned are the partitions that were handed out, each with the next offset to hand out; franz are those that franz-go
	// believes to have. They differ when the member knows of a loss that franz-go does not.
	assigned map[int32]int64
	franz    map[int32]bool
	// fenced is the last token of a member that is known to be out, before franz-go knows.
	fenced workload.Token
	closed bool
	// change is what a callback wants to be handed out; handed tells that it was.
	change *change
	handed bool

	pump     pumpState
	stopPoll context.CancelFunc
	// pumping is the poll under way, for Sever to wait for; it needs no baton.
	pumping sync.WaitGroup
	records []workload.Record
	failure error

	pollClock *time.Timer
	// late is there from when the poll clock ran out, and closed by the next poll.
	late chan struct{}
}

var _ workload.Member = (*member)(nil)

// NewMember makes a consumer. franz-go begins its first join at once, not at the first poll; the assignment waits for the
// first poll all the same.
func (w *World) NewMember(process string, c workload.MemberConfig) (workload.Member, error) {
	ctx, cancel := context.WithCancel(w.ctx)
	m := &member{world: w, config: c, cancel: cancel, franz: map[int32]bool{},
		conns: &connections{wire: wire.Dialer{Protocol: wire.Kafka, Rules: w.wire, Of: process}}}
	opts := append(w.servers.kafka(),
		kgo.WithContext(ctx),
		kgo.ClientID(process),
		kgo.Dialer(m.conns.dial),
		kgo.ConsumerGroup(w.group),
		kgo.ConsumeTopics(w.topic.name),
		kgo.Balancers(m.balancer()),
		kgo.DisableAutoCommit(),
		kgo.BlockRebalanceOnPoll(),
		kgo.SessionTimeout(c.SessionTimeout),
		kgo.RebalanceTimeout(c.MaxPollInterval),
		kgo.HeartbeatInterval(c.HeartbeatInterval),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.FetchMaxWait(500*time.Millisecond),
		kgo.OnPartitionsAssigned(m.onAssigned),
		kgo.OnPartitionsRevoked(m.onRevoked),
		kgo.OnPartitionsLost(m.onLost),
		kgo.AdjustFetchOffsetsFn(m.startOffsets),
	)
	if c.Instance != "" {
		opts = append(opts, kgo.InstanceID(c.Instance))
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("make the client of %s: %w", process, err)
	}
	// Its goroutines run already; those that call back get the client as an argument and do not read this.
	m.client = client
	w.members = append(w.members, m)
	return m, nil
}

// Poll returns records or one change of the assignment.
func (m *member) Poll(maxRecords int, wait time.Duration) workload.Polled {
	m.stopClock()
	defer m.startClock()
	m.dealtWith()
	if m.lost() {
		return m.lose()
	}
	m.startPump(maxRecords)
	m.world.board.Await(wait, m.something)
	if !m.something() {
		m.stopPump()
		m.world.board.Await(board.Forever, func() bool { return m.something() || m.pump == pumpIdle })
	}
	return m.take()
}

// something tells whether there is anything to hand out.
func (m *member) something() bool {
	return m.change != nil && !m.handed || len(m.records) > 0 || m.failure != nil || m.lost()
}

// lost tells whether the member knows that what it was assigned is gone, and its owner does not.
func (m *member) lost() bool { return len(m.assigned) > 0 && m.isFenced(m.token) }

// isFenced tells whether a token is known to be worth nothing any more.
func (m *member) isFenced(t workload.Token) bool {
	return t.Member == m.fenced.Member && t.Generation <= m.fenced.Generation
}

// fence notes that the member of the token is out, in whatever generation franz-go takes it to be by now.
func (m *member) fence(t workload.Token) {
	m.fenced = workload.Token{Member: t.Member, Generation: math.MaxInt32}
}

// take hands out what there is: a change before records, since records behind a change are of the old assignment.
func (m *member) take() workload.Polled {
	switch {
	case m.lost():
		return m.lose()
	case m.change != nil && !m.handed:
		return m.hand()
	case m.failure != nil:
		return workload.Polled{Err: m.failure}
	}
	p := workload.Polled{Token: m.token}
	for _, r := range m.records {
		if at, ok := m.assigned[r.Partition]; ok && r.Offset >= at {
			m.assigned[r.Partition] = r.Offset + 1
			p.Records = append(p.Records, r)
		}
	}
	m.records = nil
	return p
}

// hand hands a callback's change out; the callback returns at the next poll.
func (m *member) hand() workload.Polled {
	m.handed = true
	p := m.change.polled
	switch {
	case p.Change == workload.WasAssigned:
		m.token = p.Token
		m.dropRecords()
		if m.assigned == nil {
			m.assigned = map[int32]int64{}
		}
		for _, a := range p.Partitions {
			m.assigned[a.Partition] = a.Start
		}
	case p.Change == workload.WasRevoked && m.cooperative():
		m.token = p.Token
		for _, a := range p.Partitions {
			delete(m.assigned, a.Partition)
		}
		m.dropRecords()
	default:
		p.Token, p.Partitions = m.token, m.partitions()
		m.assigned, m.records = nil, nil
	}
	return p
}

// dropRecords drops the records that wait of all partitions but those that the member has and keeps: they are of the
// assignment before.
func (m *member) dropRecords() {
	m.records = slices.DeleteFunc(m.records, func(r workload.Record) bool { _, kept := m.assigned[r.Partition]; return !kept })
}

// lose hands out the loss of everything: of what the member knows before franz-go calls anybody back.
func (m *member) lose() workload.Polled {
	p := workload.Polled{Change: workload.WasLost, Token: m.token, Partitions: m.partitions()}
	m.assigned, m.records = nil, nil
	return p
}

func (m *member) partitions() []workload.Assigned {
	var out []workload.Assigned
	for p := range m.assigned {
		out = append(out, workload.Assigned{Partition: p})
	}
	slices.SortFunc(out, func(a, b workload.Assigned) int { return int(a.Partition - b.Partition) })
	return out
}

// dealtWith lets the callback whose change was handed out return.
func (m *member) dealtWith() {
	if m.change != nil && m.handed {
		close(m.change.over)
		m.change, m.handed = nil, false
	}
}

func (m *member) fail(err error) {
	m.world.engine.Enter(func() {
		if m.failure == nil && !m.closed {
			m.failure = err
		}
	})
}

// Commit commits under the token that the caller captured. A refusal that says that the member is out makes everything
// lost at the next poll; franz-go, not knowing of this request, finds out by its heartbeat.
func (m *member) Commit(token workload.Token, partition int32, offset int64) persistence.Call[workload.CommitAnswer] {
	return call(m.world, m.config.RequestTimeout, func(ctx context.Context) (workload.CommitAnswer, error) {
		code, err := m.world.commitOffset(ctx, m.client, m.instance(), token, partition, offset)
		m.world.engine.Enter(func() { m.refused(token, code) })
		return workload.CommitAnswer{Code: code}, err
	})
}

// refused takes what the coordinator said to a commit under the token. That only the generation is refused does not put a
// cooperative member out: it commits while it joins the next one, of which its owner has not heard yet.
func (m *member) refused(token workload.Token, code string) {
	switch {
	case code == kerr.FencedInstanceID.Message:
		m.fence(token)
		m.fencedBy(kerr.FencedInstanceID)
	case token.Member != m.token.Member:
		// It is of a member that this one has been: old news.
	case code == "UNKNOWN_MEMBER_ID":
		m.fence(token)
	case code == "ILLEGAL_GENERATION" && !m.cooperative():
		m.fenced = token
	}
}

// startClock starts max.poll.interval; it runs only outside Poll. A rebalance of which the owner has not heard is no poll: the
// clock runs on.
func (m *member) startClock() {
	if m.closed {
		return
	}
	var clock *time.Timer
	clock = time.AfterFunc(m.config.MaxPollInterval, func() {
		m.world.engine.Enter(func() {
			// One that is stopped may have run out already, and wait here for the baton.
			if m.pollClock == clock {
				m.pollExpired()
			}
		})
	})
	m.pollClock = clock
}

func (m *member) stopClock() {
	if m.pollClock != nil {
		m.pollClock.Stop()
		m.pollClock = nil
	}
	if m.late != nil {
		close(m.late)
		m.late = nil
		m.conns.mend()
	}
}

// pollExpired is the Java client's rule for an owner that does not poll (AbstractCoordinator.HeartbeatThread): it leaves the
// group in its place, as whatever member franz-go has come to be, and joins again only when the owner polls.
func (m *member) pollExpired() {
	id := m.id()
	if id == "" || id == m.token.Member && m.isFenced(m.token) {
		return
	}
	m.late = make(chan struct{})
	m.fence(workload.Token{Member: id})
	if m.change != nil && !m.handed && m.change.polled.Change == workload.WasAssigned {
		close(m.change.over)
		m.change = nil
	}
	if m.static() {
		// A Java client heartbeats no more then, and does not leave; franz-go heartbeats as long as it can.
		m.conns.cut()
		return
	}
	m.leave(m.client, id, "consumer poll timeout has expired")
}

// id is that of whatever member the client is by now; empty when it is none.
func (m *member) id() string {
	id, _ := m.client.GroupMetadata()
	return id
}

// leave sends LeaveGroup for a member, if it is one, by anybody's client.
func (m *member) leave(by *kgo.Client, id, reason string) *board.Call[string] {
	return call(m.world, m.config.RequestTimeout, func(ctx context.Context) (string, error) {
		if id == "" {
			return "", nil
		}
		return leaveGroup(ctx, by, m.world.group, id, reason)
	})
}

// Leave leaves the group and ends the client. It leaves as whatever member the client is by now, which franz-go may have
// joined again as, and also when that member is believed to be out: to be told so costs nothing. A join under way is
// waited for until the coordinator has given it an id; left without a word, it would hold the next rebalance up. The client
// is cut off first, or a join that the goodbye overtakes would be refused, and franz-go would ask for another id.
func (m *member) Leave() {
	if m.closed {
		return
	}
	if m.static() {
		m.Sever()
		return
	}
	m.stopClock()
	for range idWaits {
		if m.id() != "" {
			break
		}
		m.world.board.Await(idWait, func() bool { return false })
	}
	m.conns.cut()
	id := m.id()
	m.Sever()
	if m.world.wire.Walled(m.conns.wire.Of) {
		return
	}
	// Whether it could leave is for whoever asked it to: the coordinator is asked, not the client.
	_, _, _ = m.leave(m.world.admin, id, "the consumer is being closed").Await()
}

// The time that a join has to get its id, looked at again and again as franz-go does not say when.
const (
	idWait  = 5 * time.Millisecond
	idWaits = 200
)

// Sever ends the client as a crash does: no connection can be made any more, those that there are are cut, and whatever
// franz-go then still tries fails. Only then it is closed, which by itself would be polite: it redials and leaves.
func (m *member) Sever() {
	if m.closed {
		return
	}
	m.closed = true
	m.stopClock()
	m.stopPump()
	m.conns.cut()
	m.cancel()
	if m.change != nil {
		close(m.change.over)
		m.change, m.handed = nil, false
	}
	m.world.requests.Add(1)
	go func() {
		defer m.world.requests.Done()
		// A poll that ends counts as one more poller, and franz-go's goodbye waits until there is none: closed before its last
		// poll has ended, a client would wait for ever.
		m.pumping.Wait()
		m.client.CloseAllowingRebalance()
	}()
}
