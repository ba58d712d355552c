package sim

import (
	"testing"
	"time"

	"github.com/single-writer/chaos/workload"
)

// A client that crashes says nothing, not even a goodbye: the coordinator lists its member on, and whoever joins next owns
// when the rebalance time-out or the rest of the dead member's session is over, whichever is earlier (measured on
// Kafka 4.3.1).
func TestKill(t *testing.T) {
	for name, c := range map[string]struct {
		session, rebalance time.Duration
		// lost is how long b waits, counted from a's last heartbeat or from b's join.
		sinceHeartbeat, sinceJoin time.Duration
	}{
		"session shorter":            {session: 3 * time.Second, rebalance: 10 * time.Second, sinceHeartbeat: 3 * time.Second},
		"rebalance time-out shorter": {session: 45 * time.Second, rebalance: 2 * time.Second, sinceJoin: 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			w := emptyWorld(1)
			config := workload.MemberConfig{
				SessionTimeout: c.session, MaxPollInterval: c.rebalance, HeartbeatInterval: time.Second, RequestTimeout: time.Second,
			}
			mustPlay(t, w, func(p workload.World) {
				a, b := w.poller(t, "a/1", config), w.poller(t, "b/1", config)
				a.next(time.Second)
				a.Poll(1, 1500*time.Millisecond)
				// Its first heartbeat went out a second after its join was answered; the second one it does not live to send.
				heard := dueAt(w.kafka.coordinator().group.members[0].expiry) - c.session
				a.Sever()
				p.Sleep(500 * time.Millisecond)
				if g := w.kafka.coordinator().group; g.state != stateStable || len(g.members) != 1 {
					t.Fatalf("after the crash the coordinator says %s", g.Describe().Raw)
				}
				var joined time.Duration
				p.Go("b/1", func(workload.World) { b.next(time.Minute) })
				p.Await(time.Second, func() bool { return w.kafka.coordinator().group.state == statePreparing })
				joined = p.Now()
				p.Await(time.Minute, func() bool { return b.token.Member != "" })
				want := heard + c.sinceHeartbeat
				if c.sinceJoin > 0 {
					want = joined + c.sinceJoin
				}
				// The answers to the join, the sync and the fetch of offsets are still to come.
				if late := p.Now() - want; late < 0 || late > 5*maxDelay {
					t.Errorf("b owns at %s, not soon after %s", p.Now(), want)
				}
				if b.token.Generation != 2 {
					t.Errorf("generation %d", b.token.Generation)
				}
			})
		})
	}
}

// A client that crashes while it joins is as dead: what it sent counts, what it was answered does not.
func TestKillDuringAJoin(t *testing.T) {
	for after := time.Duration(0); after < 15*time.Millisecond; after += 500 * time.Microsecond {
		w := emptyWorld(int64(after))
		mustPlay(t, w, func(p workload.World) {
			a, b := w.poller(t, "a/1", quick), w.poller(t, "b/1", quick)
			p.Go("a/1", func(workload.World) { a.Poll(1, time.Second) })
			p.Sleep(after)
			w.board.Unwind("a/1")
			a.Sever()
			b.next(5 * time.Second)
			if b.token.Member == "" || p.Now() > quick.SessionTimeout+after+50*time.Millisecond {
				t.Errorf("killed after %s: b owns as %v at %s", after, b.token, p.Now())
			}
		})
	}
}

// dueAt is when a timer that waits goes off.
func dueAt(t *timer) time.Duration { return (*t.among)[t.place].at }
