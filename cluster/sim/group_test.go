package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/workload"
)

// bench is a coordinator alone, asked directly.
type bench struct {
	t *testing.T
	s *scheduler
	g *group
}

func newBench(t *testing.T) *bench {
	s := newScheduler(walk{seeded(1)})
	return &bench{t, s, newKafka(&network{s}, cluster.Spec{Partitions: 1}).coordinator().group}
}

// pass lets time pass, and what is due in it happen.
func (b *bench) pass(d time.Duration) {
	until := b.s.now + d
	b.s.After(d, func() {})
	for len(b.s.timers) > 0 && b.s.timers[0].at <= until {
		b.s.advance()
	}
}

// client is what the bench knows of one member.
type client struct {
	*bench
	name       string
	config     workload.MemberConfig
	id         string
	generation int32
	joined     *joinAnswer
	synced     *syncAnswer
}

// client makes a client with a session of 3 s and a rebalance time-out of 10 s.
func (b *bench) client(name string) *client {
	return &client{bench: b, name: name, config: workload.MemberConfig{SessionTimeout: 3 * time.Second, MaxPollInterval: 10 * time.Second}}
}

// commit commits offset 1.
func (c *client) commit(generation int32) (code string) {
	c.g.Commit(c.id, generation, 0, 1, func(answer string) { code = answer })
	return code
}

// join sends JoinGroup: twice for a new member.
func (c *client) join() *client {
	c.joined = nil
	c.g.Join(subscription{id: c.id}, c.name, c.config, func(a joinAnswer) {
		switch c.joined = &a; a.code {
		case codeMemberIDRequired:
			c.id = a.member
			c.join()
		case codeNone:
			c.generation = a.generation
		}
	})
	return c
}

func (c *client) sync() *client {
	c.synced = nil
	c.g.Sync(c.id, c.generation, assignRange(c.joined.members, 3), func(a syncAnswer) { c.synced = &a })
	return c
}

func (c *client) beat() string { return c.g.Heartbeat(c.id, c.generation) }

// stable is a group of these members, the first of which leads.
func (b *bench) stable(names ...string) []*client {
	b.t.Helper()
	var all []*client
	for _, name := range names {
		all = append(all, b.client(name).join())
	}
	for _, c := range all {
		if b.g.state == statePreparing && b.g.find(c.id).join == nil {
			c.join()
		}
	}
	for _, c := range slices.Backward(all) {
		c.sync()
	}
	b.wantState(stateStable, len(all))
	return all
}

func (b *bench) wantState(state string, members int) {
	b.t.Helper()
	if b.g.state != state || len(b.g.members) != members {
		b.t.Fatalf("the group is %s with %d members, not %s with %d", b.g.state, len(b.g.members), state, members)
	}
}

// want compares an answer's code.
func (b *bench) want(what, got, want string) {
	b.t.Helper()
	if got != want {
		b.t.Errorf("%s: %q, not %q", what, got, want)
	}
}

// A new member is first given an id, and is none before it joins with it (KIP-394); a rebalance waits for it though, as
// GroupMetadata.hasAllMembersJoined counts pending members, at most for its session.
func TestMemberIDRequired(t *testing.T) {
	b := newBench(t)
	a := b.stable("a")[0]
	var got joinAnswer
	b.g.Join(subscription{}, "b", a.config, func(j joinAnswer) { got = j })
	if got.code != codeMemberIDRequired || got.member != "b-2" {
		t.Fatalf("the first join of a new member is answered %+v", got)
	}
	b.wantState(stateStable, 1)
	a.join()
	b.wantState(statePreparing, 1)
	b.pass(2999 * time.Millisecond)
	b.wantState(statePreparing, 1)
	b.pass(time.Millisecond)
	b.wantState(stateCompleting, 1)
	var late joinAnswer
	b.g.Join(subscription{id: got.member}, "b", a.config, func(j joinAnswer) { late = j })
	b.want("a join with an id that was given up", late.code, codeUnknownMember)

	// An empty group waits for nobody: group.initial.rebalance.delay.ms is 0.
	b = newBench(t)
	b.g.Join(subscription{}, "dead", a.config, func(joinAnswer) {})
	if c := b.client("c").join(); c.generation != 1 {
		t.Errorf("the first member of an empty group waits for one that has not come back: %+v", c.joined)
	}
}

// Two members: the range assignor gives consecutive partitions by the order of ids; only the leader's sync brings it.
func TestTwoMembers(t *testing.T) {
	b := newBench(t)
	a := b.client("a").join().sync()
	if d := cmp.Diff([]int32{0, 1, 2}, a.synced.assignment); d != "" {
		t.Error(d)
	}
	c := b.client("b").join()
	b.want("heartbeat of a, which must rejoin", a.beat(), codeRebalanceInProgress)
	if c.joined != nil && c.joined.code != codeMemberIDRequired {
		t.Fatalf("the join of b did not wait for a: %+v", c.joined)
	}
	a.join()
	if a.generation != 2 || c.generation != 2 || len(a.joined.members) != 2 || len(c.joined.members) != 0 {
		t.Fatalf("joined: a %+v, b %+v", a.joined, c.joined)
	}
	c.sync()
	b.want("heartbeat before the leader's sync", c.beat(), codeNone)
	if c.synced != nil {
		t.Error("b's sync did not wait for the leader's")
	}
	a.sync()
	if d := cmp.Diff([][]int32{{0, 1}, {2}}, [][]int32{a.synced.assignment, c.synced.assignment}); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int32{2}, c.sync().synced.assignment); d != "" {
		t.Error("a sync when all have synced is answered with the assignment: " + d)
	}
	b.want("heartbeat", c.beat(), codeNone)
}

// Sync and heartbeat by state, as GroupCoordinator answers them.
func TestSyncAndHeartbeatAnswers(t *testing.T) {
	b := newBench(t)
	b.want("heartbeat in an empty group", b.g.Heartbeat("a-1", 1), codeUnknownMember)
	all := b.stable("a", "b")
	a := all[0]
	b.want("heartbeat of an older generation", b.g.Heartbeat(a.id, 1), codeIllegalGeneration)
	a.generation = 1
	b.want("sync of an older generation", a.sync().synced.code, codeIllegalGeneration)
	a.generation = 2
	b.client("c").join()
	b.want("sync while a rebalance is prepared", a.sync().synced.code, codeRebalanceInProgress)
	b.want("heartbeat of who has not rejoined", a.beat(), codeRebalanceInProgress)

	// A rebalance that begins while some wait for the leader's sync lets them go.
	b = newBench(t)
	a, c := b.client("a").join().sync(), b.client("c").join()
	a.join()
	c.sync()
	b.client("d").join()
	b.want("a sync that a new rebalance overtakes", c.synced.code, codeRebalanceInProgress)
}

// A known member that joins a generation it is in already is told of it, and nobody is disturbed; only the leader of a
// stable group begins a new one so (GroupCoordinator.doJoinGroup; section 5 of the classic protocol's states).
func TestJoinOfAMemberThatIsIn(t *testing.T) {
	b := newBench(t)
	all := b.stable("a", "b")
	if f := all[1].join(); f.joined == nil || f.joined.generation != 2 {
		t.Errorf("the follower is answered %+v", f.joined)
	}
	b.wantState(stateStable, 2)
	all[0].join()
	b.wantState(statePreparing, 2)
	all[1].join()
	b.wantState(stateCompleting, 2)
	if again := all[0].join(); again.joined == nil || len(again.joined.members) != 2 {
		t.Errorf("the leader is answered %+v", again.joined)
	}
	b.wantState(stateCompleting, 2)
	b.g.Join(subscription{id: "x-9"}, "x", all[0].config, func(a joinAnswer) { b.want("join of an unknown member", a.code, codeUnknownMember) })
}

// A member that is not heard of for its session is removed, and not a moment earlier; heartbeats and commits are heard
// (section 5f).
func TestSessionExpiry(t *testing.T) {
	for name, heard := range map[string]func(*client){
		"heartbeat": func(c *client) { c.beat() },
		"commit":    func(c *client) { c.commit(c.generation) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			a := b.stable("a")[0]
			b.pass(2 * time.Second)
			heard(a)
			b.pass(2999 * time.Millisecond)
			b.wantState(stateStable, 1)
			b.pass(time.Millisecond)
			b.wantState(stateEmpty, 0)
			b.want("heartbeat after that", a.beat(), codeUnknownMember)
		})
	}
}

// A member that heartbeats and does not rejoin is removed when the longest rebalance time-out of the group is over; the
// others own then.
func TestRebalanceTimeout(t *testing.T) {
	b := newBench(t)
	a := b.client("a")
	a.config.MaxPollInterval = 4 * time.Second
	a.join().sync()
	c := b.client("c")
	c.config.MaxPollInterval = 6 * time.Second
	c.join()
	for range 59 {
		b.pass(100 * time.Millisecond)
		b.want("heartbeat", a.beat(), codeRebalanceInProgress)
	}
	b.wantState(statePreparing, 2)
	b.pass(100 * time.Millisecond)
	b.wantState(stateCompleting, 1)
	if c.generation != 2 || len(c.joined.members) != 1 {
		t.Errorf("c has joined as %+v", c.joined)
	}
	b.want("heartbeat of who was removed", a.beat(), codeUnknownMember)
}

// Who waits for its join, or for the leader's sync, is there: its session does not run.
func TestWaitingMembersDoNotExpire(t *testing.T) {
	b := newBench(t)
	a := b.client("a").join().sync()
	c := b.client("c").join()
	for range 9 {
		b.pass(time.Second)
		a.beat()
	}
	b.wantState(statePreparing, 2)
	a.join()
	c.sync()
	for range 9 {
		b.pass(time.Second)
		a.beat()
	}
	b.wantState(stateCompleting, 2)
}

// The coordinator tells assignments only while the group is stable, and never an old answer.
func TestDescribe(t *testing.T) {
	b := newBench(t)
	look := func() string { return b.g.Describe().Raw }
	b.want("empty", look(), `{"state":"Empty","members":[]}`)
	a := b.client("a").join()
	b.want("completing", look(), `{"state":"CompletingRebalance","members":[{"member":"a-1","client":"a"}]}`)
	a.sync()
	b.want("stable", look(), `{"state":"Stable","members":[{"member":"a-1","client":"a","partitions":[0,1,2]}]}`)
	c := b.client("c").join()
	b.want("preparing", look(), `{"state":"PreparingRebalance","members":[{"member":"a-1","client":"a"},{"member":"c-2","client":"c"}]}`)
	b.g.Leave(a.id)
	b.want("completing", look(), `{"state":"CompletingRebalance","members":[{"member":"c-2","client":"c"}]}`)
	c.sync()
	b.want("stable", look(), `{"state":"Stable","members":[{"member":"c-2","client":"c","partitions":[0,1,2]}]}`)
}
