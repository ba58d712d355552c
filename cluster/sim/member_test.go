package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// quick is a member's settings: short, so that tests can say what is late.
var quick = workload.MemberConfig{
	MaxPollInterval: time.Second, SessionTimeout: 3 * time.Second, HeartbeatInterval: 100 * time.Millisecond, RequestTimeout: 5 * time.Second,
}

// poller is a member with what its polls returned.
type poller struct {
	*member
	w       *World
	token   workload.Token
	records []int64
}

func (w *World) poller(t *testing.T, name string, c workload.MemberConfig) *poller {
	t.Helper()
	m, err := w.NewMember(name, c)
	if err != nil {
		t.Fatal(err)
	}
	return &poller{member: m.(*member), w: w}
}

// next polls until something comes, at most for the given time.
func (p *poller) next(within time.Duration) workload.Polled {
	until := p.w.scheduler.now + within
	for {
		got := p.Poll(10, 50*time.Millisecond)
		if got.Change == workload.WasAssigned {
			p.token = got.Token
		}
		for _, r := range got.Records {
			p.records = append(p.records, r.Offset)
		}
		if got.Change != workload.Unchanged || len(got.Records) > 0 || p.w.scheduler.now >= until {
			return got
		}
	}
}

// shape is a poll's result in short.
func shape(p workload.Polled) string {
	s := [...]string{"", "assigned", "revoked", "lost"}[p.Change]
	for _, a := range p.Partitions {
		s += fmt.Sprintf(" p%d", a.Partition)
	}
	for _, r := range p.Records {
		s += fmt.Sprintf(" @%d", r.Offset)
	}
	return s
}

// append appends a record at once, without a message.
func (w *World) append(partition int32, value []byte) {
	w.produced++
	w.kafka.leader(partition).produce(partition, w.produced, value, func(tried[workload.ProduceAnswer]) {})
}

func (w *World) produceAll(n int) {
	for range n {
		w.Produce(0, "", []byte("x")).Await()
	}
}

func wantPoll(t *testing.T, who string, got workload.Polled, want string) {
	t.Helper()
	if s := shape(got); s != want {
		t.Errorf("%s: %q, not %q", who, s, want)
	}
}

// A member joins at its first poll, not when it is made, and starts at the committed offset.
func TestJoinsInsidePoll(t *testing.T) {
	w := emptyWorld(1)
	mustPlay(t, w, func(p workload.World) {
		w.produceAll(3)
		w.kafka.coordinator().group.offsets[0] = 1
		a := w.poller(t, "a/1", quick)
		p.Sleep(time.Second)
		if n := w.kafka.named; n != 0 {
			t.Error("it joined before it was polled")
		}
		wantPoll(t, "a", a.next(time.Second), "assigned p0")
		wantPoll(t, "a", a.next(time.Second), " @1 @2")
	})
}

// max.poll.interval runs only outside Poll: who polls, and waits in it, never leaves; who does not, leaves the group at
// that very moment, and learns of it at its next poll (the Java client's AbstractCoordinator.HeartbeatThread).
func TestPollClock(t *testing.T) {
	w := emptyWorld(1)
	mustPlay(t, w, func(p workload.World) {
		a := w.poller(t, "a/1", quick)
		a.next(time.Second)
		wantPoll(t, "an owner that waits in one poll", a.Poll(1, 10*time.Second), "")
		p.Sleep(999 * time.Millisecond)
		if len(w.kafka.coordinator().group.members) != 1 {
			t.Fatal("it left before max.poll.interval was over")
		}
		p.Sleep(time.Millisecond + maxDelay)
		if len(w.kafka.coordinator().group.members) != 0 {
			t.Fatal("it is in the group after max.poll.interval")
		}
		wantPoll(t, "the next poll", a.next(time.Second), "lost p0")
		first := a.token
		wantPoll(t, "then it is a new member", a.next(time.Second), "assigned p0")
		if a.token.Member == first.Member || a.token.Generation != first.Generation+2 {
			t.Errorf("it was %v, and is %v", first, a.token)
		}
	})
}

// A zombie that has rejoined commits under what it captured with the lost assignment, and is refused: the token is never
// read anew. What it is refused says nothing about the member that it is now.
func TestCommitUnderACapturedToken(t *testing.T) {
	w := emptyWorld(1)
	mustPlay(t, w, func(p workload.World) {
		a := w.poller(t, "a/1", quick)
		a.next(time.Second)
		old := a.token
		if code := a.commit(old, 1); code != codeNone {
			t.Errorf("the owner's commit: %q", code)
		}
		p.Sleep(2 * time.Second)
		a.next(time.Second)
		a.next(time.Second)
		if code := a.commit(old, 2); code != codeUnknownMember {
			t.Errorf("the zombie's commit: %q", code)
		}
		mixed := workload.Token{Member: a.token.Member, Generation: old.Generation}
		if code := a.commit(mixed, 2); code != codeIllegalGeneration {
			t.Errorf("a commit under an older generation: %q", code)
		}
		wantPoll(t, "the rejoined member", a.next(time.Second), "")
		if code := a.commit(a.token, 3); code != codeNone {
			t.Errorf("the rejoined owner's commit: %q", code)
		}
	})
}

func (p *poller) commit(token workload.Token, offset int64) string {
	a, _, _ := p.Commit(token, 0, offset).Await()
	return a.Code
}

// Two members share the partitions; who was there before is told by its heartbeat, gives everything back at its next poll,
// and gets its part when all have joined: the eager protocol.
func TestEagerRebalance(t *testing.T) {
	w := New(1, 3, history.NewMemory(history.Header{}))
	mustPlay(t, w, func(p workload.World) {
		a, b := w.poller(t, "a/1", quick), w.poller(t, "b/1", quick)
		wantPoll(t, "a", a.next(time.Second), "assigned p0 p1 p2")
		wantPoll(t, "b while a has not given back", b.next(200*time.Millisecond), "")
		wantPoll(t, "a", a.next(time.Second), "revoked p0 p1 p2")
		wantPoll(t, "a, alone in the rebalance no more", a.next(time.Second), "assigned p0 p1")
		wantPoll(t, "b", b.next(time.Second), "assigned p2")
		if a.token.Generation != 2 || b.token.Generation != 2 {
			t.Errorf("generations %d and %d", a.token.Generation, b.token.Generation)
		}
		b.Leave()
		wantPoll(t, "a after b left", a.next(time.Second), "revoked p0 p1")
		wantPoll(t, "a after b left", a.next(time.Second), "assigned p0 p1 p2")
	})
}

// An owner that does not poll while the group rebalances keeps its session by heartbeats, is put out when the rebalance
// time-out is over, and finds everything lost, not revoked.
func TestLostInARebalance(t *testing.T) {
	w := emptyWorld(1)
	c := quick
	c.MaxPollInterval = 10 * time.Second
	mustPlay(t, w, func(p workload.World) {
		a := w.poller(t, "a/1", c)
		a.next(time.Second)
		b := w.poller(t, "b/1", c)
		p.Go("b/1", func(p workload.World) { b.next(11 * time.Second) })
		p.Sleep(9 * time.Second)
		if !a.rejoin || a.fenced {
			t.Errorf("after 9 s: rejoin %v, fenced %v", a.rejoin, a.fenced)
		}
		// Its own clock would put it out a moment earlier: without it, only the coordinator's is left.
		a.pollClock.Stop()
		p.Sleep(1200 * time.Millisecond)
		wantPoll(t, "a", a.next(time.Second), "lost p0")
	})
}

// Records of an assignment that is over are never handed out, also not those that come at the same moment as the news: here
// both are there before the owner of the poll goes on.
func TestRecordsOfALostAssignment(t *testing.T) {
	for name, code := range map[string]string{"lost p0": codeUnknownMember, "revoked p0": codeRebalanceInProgress} {
		tried := 0
		for seed := range int64(20) {
			w := emptyWorld(seed)
			mustPlay(t, w, func(p workload.World) {
				a := w.poller(t, "a/1", quick)
				a.next(time.Second)
				var got workload.Polled
				polled := false
				p.Go("a/1", func(workload.World) { got, polled = a.Poll(10, time.Second), true })
				p.Sleep(500 * time.Millisecond)
				w.append(0, []byte("x"))
				arrives := a.links[0].back
				p.Await(time.Second, func() bool { return w.scheduler.now >= arrives })
				if polled {
					return
				}
				a.told(a.at, a.member.token, code)
				p.Await(time.Second, func() bool { return polled })
				wantPoll(t, "the poll", got, name)
				tried++
			})
		}
		if tried == 0 {
			t.Errorf("%s: the news never was first", name)
		}
	}
}

// What a member reads after a rebalance begins at the committed offset: records are read again, and none is skipped.
func TestNoRecordIsSkipped(t *testing.T) {
	for seed := range int64(20) {
		w := emptyWorld(seed)
		mustPlay(t, w, func(p workload.World) {
			a, b := w.poller(t, "a/1", quick), w.poller(t, "b/1", quick)
			p.Go("producer", func(workload.World) { w.produceAll(100) })
			for !slices.Contains(a.records, 99) && p.Now() < time.Minute {
				a.next(time.Second)
				if p.Now() > 100*time.Millisecond && b.join == nil && !b.severed {
					b.Poll(1, time.Millisecond)
					b.Leave()
				}
			}
			want := int64(0)
			for _, at := range a.records {
				if at > want {
					t.Fatalf("seed %d: @%d after @%d", seed, at, want-1)
				}
				want = max(want, at+1)
			}
			if want != 100 {
				t.Errorf("seed %d: read up to %d", seed, want)
			}
		})
	}
}

// A client that is closed while it joins leaves no member behind that nobody knows: in whatever moment of the join.
func TestLeaveDuringAJoin(t *testing.T) {
	for after := time.Duration(0); after < 15*time.Millisecond; after += 500 * time.Microsecond {
		w := emptyWorld(int64(after))
		mustPlay(t, w, func(p workload.World) {
			a := w.poller(t, "a/1", quick)
			p.Go("a/1", func(workload.World) { a.Poll(1, time.Second) })
			p.Sleep(after)
			w.board.Unwind("a/1")
			a.Leave()
			p.Sleep(10 * time.Millisecond)
			if g := w.kafka.coordinator().group; len(g.members) > 0 || len(g.pending) > 0 {
				t.Errorf("left after %s: members %d, pending %d", after, len(g.members), len(g.pending))
			}
			if p.Now() > after+50*time.Millisecond {
				t.Errorf("left after %s: it took until %s", after, p.Now())
			}
		})
	}
}

// A member that is put out while it joins, before it has anything, is told so and joins anew: it does not wait for ever.
func TestEvictedDuringAJoin(t *testing.T) {
	for after := time.Duration(0); after < 15*time.Millisecond; after += 500 * time.Microsecond {
		w := emptyWorld(int64(after))
		mustPlay(t, w, func(p workload.World) {
			a, b := w.poller(t, "a/1", quick), w.poller(t, "b/1", quick)
			a.next(time.Second)
			p.Go("b/1", func(workload.World) { b.next(5 * time.Second) })
			p.Sleep(after)
			for _, m := range slices.Clone(w.kafka.coordinator().group.members) {
				if m.client == "b/1" {
					w.Evict(m.id).Await()
				}
			}
			a.Leave()
			p.Await(3*time.Second, func() bool { return b.token.Member != "" })
			if b.token.Member == "" {
				t.Errorf("evicted after %s: b never owned; the group is %s", after, w.kafka.coordinator().group.Describe().Raw)
			}
		})
	}
}

// Heartbeats, commits and goodbyes keep their order, as on the one connection to the coordinator: a heartbeat sent before
// a join never arrives behind it, where its generation would be refused and taken for an eviction.
func TestRejoinIsNotTakenForAnEviction(t *testing.T) {
	c := quick
	c.HeartbeatInterval = time.Millisecond
	for seed := range int64(50) {
		w := emptyWorld(seed)
		mustPlay(t, w, func(p workload.World) {
			a := w.poller(t, "a/1", c)
			a.next(time.Second)
			id := a.token.Member
			for range 5 {
				b := w.poller(t, "b/1", c)
				p.Go("b/1", func(workload.World) { b.next(5 * time.Second) })
				wantPoll(t, "a", a.next(time.Second), "revoked p0")
				wantPoll(t, "a", a.next(time.Second), "assigned p0")
				b.Leave()
				wantPoll(t, "a", a.next(time.Second), "revoked p0")
				wantPoll(t, "a", a.next(time.Second), "assigned p0")
			}
			if a.token.Member != id {
				t.Errorf("seed %d: a was %s and is %s, though nobody put it out", seed, id, a.token.Member)
			}
		})
	}
}

// A commit that is not answered in time is unknown, though it was accepted, and its late answer still tells the client
// where it stands.
func TestCommitTimesOut(t *testing.T) {
	w := emptyWorld(1)
	c := quick
	c.RequestTimeout = minDelay
	mustPlay(t, w, func(p workload.World) {
		a := w.poller(t, "a/1", c)
		a.next(time.Second)
		_, outcome, err := a.Commit(a.token, 0, 5).Await()
		if outcome != persistence.Unknown || err == nil {
			t.Errorf("outcome %d, %v", outcome, err)
		}
		p.Sleep(2 * maxDelay)
		if d := cmp.Diff(map[int32]int64{0: 5}, w.kafka.coordinator().group.offsets); d != "" {
			t.Error(d)
		}
		w.kafka.coordinator().group.Leave(a.token.Member)
		a.Commit(a.token, 0, 6).Await()
		p.Sleep(2 * maxDelay)
		if !a.fenced {
			t.Error("a late refusal was not heard")
		}
	})
}

// Partitions are read in turn: one that always has records does not keep the others waiting.
func TestPartitionsInTurn(t *testing.T) {
	w := New(1, 3, history.NewMemory(history.Header{}))
	mustPlay(t, w, func(p workload.World) {
		for _, partition := range []int32{0, 0, 0, 2, 2} {
			w.Produce(partition, "", nil).Await()
		}
		a := w.poller(t, "a/1", quick)
		a.next(time.Second)
		var got []int32
		for range 5 {
			for _, r := range a.Poll(1, time.Second).Records {
				got = append(got, r.Partition)
			}
		}
		if d := cmp.Diff([]int32{0, 2, 0, 2, 0}, got); d != "" {
			t.Error(d)
		}
		w.Produce(1, "", nil).Await()
		w.Produce(0, "", nil).Await()
		wantPoll(t, "the rest in one poll", a.Poll(10, time.Second), " @0 @3")
	})
}

// A fetch that finds nothing waits at the broker, and is answered at once when something comes, or when its wait is over.
func TestFetchWaits(t *testing.T) {
	w := emptyWorld(1)
	mustPlay(t, w, func(p workload.World) {
		a := w.poller(t, "a/1", quick)
		a.next(time.Second)
		began := p.Now()
		wantPoll(t, "nothing to read", a.Poll(1, 300*time.Millisecond), "")
		if took := p.Now() - began; took < 300*time.Millisecond || took > 300*time.Millisecond+2*maxDelay {
			t.Errorf("it took %s", took)
		}
		w.net.After(100*time.Millisecond, func() { w.append(0, nil) })
		began = p.Now()
		wantPoll(t, "something comes", a.Poll(1, 300*time.Millisecond), " @0")
		if took := p.Now() - began; took > 100*time.Millisecond+maxDelay {
			t.Errorf("it took %s", took)
		}
	})
}
