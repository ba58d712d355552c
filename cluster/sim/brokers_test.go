package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// loneRoles has one broker lead all and coordinate, and another be the active controller.
func (w *World) roles(t *testing.T, all, controller string) {
	t.Helper()
	for _, r := range []workload.Role{workload.Leader, workload.Coordinator} {
		must(t, w.Move(r, all))
	}
	b, err := w.broker(controller)
	if err != nil {
		t.Fatal(err)
	}
	w.kafka.controller = b.number
}

// leading is who has which role.
func (w *World) leading() string {
	name := func(b *broker) string {
		if b == nil {
			return "nobody"
		}
		return b.name
	}
	return fmt.Sprintf("%s leads, %s coordinates", name(w.kafka.leader(0)), name(w.kafka.coordinator()))
}

// Each trouble of the broker that leads the input and coordinates the group. When it is lost to its peers others do what it did,
// later if it was the active controller too; a member goes on with them, under the generation that it had.
func TestTroublesOfABroker(t *testing.T) {
	for _, c := range []struct {
		trouble workload.Trouble
		proof   string
		moves   bool
	}{
		{workload.Killed, "has ended: its connections broke, and nobody listens", true},
		{workload.Full, "has ended: there is no space on its disk", true},
		{workload.Paused, "answers no request", true},
		{workload.Isolated, "and its peers do not reach each other; it answers clients", true},
		{workload.Deaf, "hears nothing of its peers, and they hear it; it answers clients", true},
		{workload.Mute, "is not heard by its peers, and hears them; it answers clients", true},
		{workload.Unreachable, "answers no client; it and its peers reach each other", false},
	} {
		for _, controller := range []string{"kafka-1", "kafka-2"} {
			t.Run(fmt.Sprintf("%s, controller %s", c.trouble, controller), func(t *testing.T) {
				w := served(1, 3, 1)
				mustPlay(t, w, func(p workload.World) {
					w.roles(t, "kafka-1", controller)
					a := w.poller(t, "a/1", steady)
					wantPoll(t, "a", a.next(time.Second), "assigned p0")
					w.produceAll(2)
					wantPoll(t, "a", a.next(time.Second), " @0 @1")
					if code := a.commit(a.token, 1); code != codeNone {
						t.Fatal(code)
					}
					began := p.Now()
					if proof := must(t, w.Strike("kafka-1", c.trouble)); proof != "kafka-1 "+c.proof {
						t.Error(proof)
					}
					w.movesAfter(t, p, began, c.moves, controller == "kafka-1")
					before := a.token
					if c.moves {
						w.produceAll(1)
						if got := a.poll(p, 30*time.Second); got != " @2" && c.trouble != workload.Isolated && c.trouble != workload.Deaf && c.trouble != workload.Mute {
							t.Errorf("from the new leader: %q", got)
						}
					}
					must(t, w.Heal("kafka-1"))
					w.produceAll(1)
					a.poll(p, 10*time.Second)
					a.poll(p, time.Second)
					if a.token != before {
						t.Errorf("it was %v, and is %v", before, a.token)
					}
					if n := len(a.records); n != len(w.kafka.input[0].entries) {
						t.Errorf("it has read %v", a.records)
					}
					if code := a.commit(a.token, 3); code != codeNone {
						t.Errorf("a commit at the end: %q", code)
					}
					if offset, _, _ := w.Committed(0).Await(); offset.N != 3 {
						t.Errorf("committed is %v", offset)
					}
				})
			})
		}
	}
}

// steady is a member whose session outlives any failover.
var steady = workload.MemberConfig{
	MaxPollInterval: time.Minute, SessionTimeout: 45 * time.Second, HeartbeatInterval: 300 * time.Millisecond, RequestTimeout: 2 * time.Second,
}

// movesAfter waits for the roles of kafka-1 to move, and compares how long that takes with what was measured.
func (w *World) movesAfter(t *testing.T, p workload.World, began time.Duration, moves, controller bool) {
	t.Helper()
	moved := p.Await(15*time.Second, func() bool { return w.kafka.leader(0).name != "kafka-1" && w.kafka.coordinator().name != "kafka-1" })
	if moved != moves {
		t.Fatalf("%s", w.leading())
	}
	least, most := sessionAfter, sessionBefore
	if controller {
		least, most = 2*least, 2*most
	}
	if took := p.Now() - began; moves && (took < least || took > most) {
		t.Errorf("it took %s", took)
	}
}

// poll polls until something comes.
func (p *poller) poll(w workload.World, within time.Duration) string { return shape(p.next(within)) }

// inLog is the offsets of the commits in the group's log, in order.
func (w *World) inLog() (offsets []int64) {
	for _, e := range w.kafka.offsets.entries {
		if e.Commit != nil {
			offsets = append(offsets, e.Commit.Offset.N)
		}
	}
	return offsets
}

// A coordinator that is killed with a commit on its way: nobody knows what came of it, and it is in the log that the next one reads,
// or not; of some seeds it is, of some not. It is sent once.
func TestCoordinatorKilledDuringACommit(t *testing.T) {
	there, not := 0, 0
	for seed := range int64(60) {
		w := served(seed, 3, 1)
		mustPlay(t, w, func(p workload.World) {
			a := w.poller(t, "a/1", steady)
			a.next(time.Second)
			coordinator := w.kafka.coordinator().name
			call := a.Commit(a.token, 0, 7)
			p.Sleep(time.Duration(seed) * 100 * time.Microsecond)
			w.Strike(coordinator, workload.Killed)
			answer, outcome, err := call.Await()
			offset, _, _ := w.Committed(0).Await()
			if was := w.kafka.coordinator().name; was == coordinator {
				t.Errorf("%s coordinates on", was)
			}
			switch landed := offset.Known; {
			case outcome == persistence.Answered && (!landed || answer.Code != codeNone):
				t.Errorf("seed %d: answered %q, committed is %v", seed, answer.Code, offset)
			case outcome == persistence.Answered:
			case outcome != persistence.Unknown || persistence.CodeOf(err) != "connection-closed":
				t.Errorf("seed %d: outcome %d: %v", seed, outcome, err)
			case landed:
				there++
			default:
				not++
			}
			if n := len(w.inLog()); n > 1 {
				t.Errorf("seed %d: the log has it %d times", seed, n)
			}
		})
	}
	if there == 0 || not == 0 {
		t.Errorf("of the commits in doubt %d were in the log and %d were not", there, not)
	}
}

// A coordinator that moves answers what it had begun to write with NOT_COORDINATOR, and its successor may find that in the log: the
// outcome is unknown. What comes to it later it has not begun, and who reads its log does not serve.
func TestCoordinatorMovesDuringACommit(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range int64(80) {
		w := served(seed, 3, 1)
		mustPlay(t, w, func(p workload.World) {
			a := w.poller(t, "a/1", steady)
			a.next(time.Second)
			to := w.kafka.brokers[(w.kafka.offsets.leader+1)%3]
			call := a.Commit(a.token, 0, 7)
			p.Sleep(time.Duration(seed) * 50 * time.Microsecond)
			w.kafka.transfer(w.kafka.offsets, to.number)
			answer, outcome, err := call.Await()
			offset, _, _ := w.Committed(0).Await()
			said := answer.Code
			if err != nil {
				said = persistence.CodeOf(err)
			}
			outcomes[fmt.Sprintf("%s %s, there: %v", outcome.Type(), said, offset.Known)]++
			wantPoll(t, "a goes on", a.next(200*time.Millisecond), "")
			if code := a.commit(a.token, 8); code != codeNone {
				t.Errorf("seed %d: %q", seed, code)
			}
		})
	}
	for _, want := range []string{"ok , there: true", "info NOT_COORDINATOR, there: true", "info NOT_COORDINATOR, there: false"} {
		if outcomes[want] == 0 {
			t.Errorf("never %q: %v", want, outcomes)
		}
	}
	for got := range outcomes {
		if got == "ok , there: false" {
			t.Errorf("an acknowledged commit was lost: %v", outcomes)
		}
	}
}

// A member that commits while its new coordinator reads the log is told to wait, and nothing was written.
func TestCoordinatorLoads(t *testing.T) {
	w := served(1, 3, 1)
	mustPlay(t, w, func(p workload.World) {
		a := w.poller(t, "a/1", steady)
		a.next(time.Second)
		to := w.kafka.brokers[(w.kafka.offsets.leader+1)%3]
		w.kafka.transfer(w.kafka.offsets, to.number)
		a.at = to
		if code := a.commit(a.token, 7); code != codeLoading {
			t.Errorf("%q", code)
		}
		if offset, _, _ := w.Committed(0).Await(); offset.Known {
			t.Errorf("committed is %v", offset)
		}
	})
}

// What a coordinator that is cut off from its peers accepts nobody acknowledges, and it is nowhere when the cut is healed, while its
// successor, who hears nothing of the members that stay with it, lets them go after their sessions.
func TestStaleCoordinator(t *testing.T) {
	w := served(1, 3, 1)
	c := steady
	c.SessionTimeout = 4 * time.Second
	mustPlay(t, w, func(p workload.World) {
		w.roles(t, "kafka-1", "kafka-2")
		a := w.poller(t, "a/1", c)
		wantPoll(t, "a", a.next(time.Second), "assigned p0")
		must(t, w.Strike("kafka-1", workload.Isolated))
		p.Sleep(3 * time.Second)
		if state := w.kafka.brokers[0].group.state; state != stateStable || w.leading() != "kafka-2 leads, kafka-2 coordinates" {
			t.Errorf("the group at kafka-1 is %s; %s", state, w.leading())
		}
		if _, outcome, err := a.Commit(a.token, 0, 7).Await(); outcome != persistence.Unknown || persistence.CodeOf(err) != "timeout" {
			t.Errorf("outcome %d: %v", outcome, err)
		}
		p.Sleep(2 * time.Second)
		if n := len(w.kafka.coordinator().group.members); n != 0 {
			t.Errorf("its successor lists %d members", n)
		}
		must(t, w.Heal("kafka-1"))
		wantPoll(t, "a", a.next(time.Second), "lost p0")
		if got := w.inLog(); len(got) > 0 {
			t.Errorf("in the log: %v", got)
		}
	})
}

// A lone broker that stands still does what it was sent when it goes on, though the client has given up (measured on Kafka 4.3.1: a
// commit, sent while it was paused). Started again after it was killed, it has the group as it was, with sessions that begin anew.
func TestLoneBroker(t *testing.T) {
	w := served(1, 1, 1)
	mustPlay(t, w, func(p workload.World) {
		a := w.poller(t, "a/1", steady)
		a.next(time.Second)
		must(t, w.Strike("kafka-1", workload.Paused))
		if _, outcome, err := a.Commit(a.token, 0, 7).Await(); outcome != persistence.Unknown || persistence.CodeOf(err) != "timeout" {
			t.Errorf("outcome %d: %v", outcome, err)
		}
		must(t, w.Heal("kafka-1"))
		if offset, _, _ := w.Committed(0).Await(); offset.N != 7 {
			t.Errorf("committed is %v", offset)
		}
		before := a.token
		must(t, w.Strike("kafka-1", workload.Killed))
		must(t, w.Heal("kafka-1"))
		w.produceAll(1)
		if got := a.poll(p, time.Second); got != " @0" || a.token != before {
			t.Errorf("%q under %v, which was %v", got, a.token, before)
		}
		if code := a.commit(a.token, 8); code != codeNone {
			t.Errorf("%q", code)
		}
		a.Sever()
		p.Sleep(steady.SessionTimeout + time.Second)
		if n := len(w.kafka.coordinator().group.members); n != 0 {
			t.Errorf("%d members", n)
		}
	})
}

// An unclean election truncates the input to what the elected broker has. Who had read further cannot go on; who comes then and is to
// begin beyond the end begins anew.
func TestUncleanElection(t *testing.T) {
	w := served(1, 3, 1)
	mustPlay(t, w, func(p workload.World) {
		w.roles(t, "kafka-1", "kafka-2")
		a := w.poller(t, "a/1", steady)
		a.next(time.Second)
		w.produceAll(2)
		must(t, w.Strike("kafka-3", workload.Isolated))
		w.produceAll(3)
		p.Sleep(100 * time.Millisecond)
		a.next(time.Second)
		if code := a.commit(a.token, 5); code != codeNone {
			t.Fatal(code)
		}
		want := "partition 0 of the input ended at 5 when kafka-1 led it, and ends at 2 now that kafka-3 does"
		if proof := must(t, w.Elect("kafka-3")); proof != want {
			t.Error(proof)
		}
		for _, b := range w.kafka.brokers {
			if b.trouble != "" || !w.kafka.input[0].inSync[b.number] {
				t.Errorf("%s is %s, in sync %v", b.name, b.trouble, w.kafka.input[0].inSync)
			}
		}
		if got := a.Poll(10, 5*time.Second); got.Err == nil {
			t.Errorf("who has read what is no more: %q", shape(got))
		}
		a.Leave()
		w.produceAll(1)
		b := w.poller(t, "b/1", steady)
		b.next(time.Second)
		wantPoll(t, "b, assigned from 5 on", b.next(5*time.Second), " @0 @1 @2")
	})
}
