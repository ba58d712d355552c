package sim

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// slow is a member that is not put out for polling late.
var slow = workload.MemberConfig{
	MaxPollInterval: 10 * time.Minute, SessionTimeout: 3 * time.Second, HeartbeatInterval: 100 * time.Millisecond, RequestTimeout: 5 * time.Second,
}

// A read, and a plain DELETE, which says of itself not whose it is, are struck like any other statement; those of others are not.
func TestAnyStatementCanBeMeant(t *testing.T) {
	w := New(1, 1, history.NewMemory(history.Header{}))
	mustPlay(t, w, func(p workload.World) {
		for _, s := range []persistence.Statement{
			{Verb: persistence.Select, Key: "k"}, {Verb: persistence.Remove, Key: "k", Timestamp: 1},
			{Verb: persistence.Remove, If: persistence.IfExists, Key: "k"}, {Table: persistence.Journal, Verb: persistence.Insert, Key: "k"},
		} {
			w.Arm("a/1", workload.Rule{Message: s.Form(), Way: workload.Request, Do: workload.Cut, Nth: 2})
			for i, want := range []persistence.Outcome{persistence.Answered, persistence.Answered, persistence.Unknown, persistence.Answered} {
				process := "a/1"
				if i == 0 {
					process = "b/1"
				}
				by(p, process, func() {
					if _, outcome, err := w.Start(s).Await(); outcome != want {
						t.Errorf("%s %d: outcome %d, %v", s.Form(), i, outcome, err)
					}
				})
			}
		}
	})
}

// On the connection to the coordinator messages keep their order: a commit that is late keeps the heartbeats behind it, and the
// member is out when it takes longer than a session.
func TestALateCommitKeepsHeartbeats(t *testing.T) {
	for _, c := range []struct {
		by   time.Duration
		code string
	}{{slow.SessionTimeout / 2, codeNone}, {slow.SessionTimeout * 4 / 3, codeUnknownMember}} {
		w := New(1, 1, history.NewMemory(history.Header{}))
		mustPlay(t, w, func(workload.World) {
			a := w.poller(t, "a/1", slow)
			a.next(time.Second)
			w.Arm("a", workload.Rule{Message: "OffsetCommit", Way: workload.Request, Do: workload.Delay, By: c.by, Nth: 1})
			if answer, outcome, err := a.Commit(a.token, 0, 1).Await(); outcome != persistence.Answered || answer.Code != c.code {
				t.Errorf("late by %s: %q, outcome %d, %v", c.by, answer.Code, outcome, err)
			}
		})
	}
}

// A member whose heartbeats are dropped is out after its session; whose joins are dropped, or their answers, joins all the same, when
// it has waited and asked again.
func TestDroppedGroupMessages(t *testing.T) {
	w := New(1, 1, history.NewMemory(history.Header{}))
	mustPlay(t, w, func(p workload.World) {
		a := w.poller(t, "a/1", slow)
		a.next(time.Second)
		w.Arm("a", workload.Rule{Message: "Heartbeat", Way: workload.Request, Do: workload.Drop})
		p.Sleep(2 * slow.SessionTimeout)
		if members := w.kafka.coordinator().group.Describe().Group.Members; len(members) > 0 {
			t.Errorf("without heartbeats: %v", members)
		}
		w.Lift("a")
		p.Sleep(2 * slow.HeartbeatInterval)
		if got := shape(a.next(time.Second)); got != "lost p0" {
			t.Errorf("then it polls %q", got)
		}
	})
	for _, api := range []string{"JoinGroup", "SyncGroup", "OffsetFetch"} {
		for _, way := range []workload.Way{workload.Request, workload.Answer} {
			for _, do := range workload.Effects() {
				w := New(1, 1, history.NewMemory(history.Header{}))
				r := workload.Rule{Message: api, Way: way, Do: do, Nth: 1}
				if do == workload.Delay {
					r.By = time.Minute
				}
				mustPlay(t, w, func(workload.World) {
					w.Arm("a", r)
					a := w.poller(t, "a/1", quick)
					if got := a.next(10 * time.Minute); got.Change != workload.WasAssigned {
						t.Errorf("%s: %q", r, shape(got))
					}
				})
			}
		}
	}
}

// A rule that strikes nothing changes nothing: not a byte.
func TestAChanceOfNothing(t *testing.T) {
	play := func(chance float64) []byte {
		var out bytes.Buffer
		recorder, err := history.NewFile(&out, history.Header{})
		if err != nil {
			t.Fatal(err)
		}
		w := New(1, 1, recorder)
		mustPlay(t, w, func(p workload.World) {
			if chance >= 0 {
				for _, m := range []string{workload.OfKafka, workload.OfCassandra} {
					w.Arm("a", workload.Rule{Message: m, Way: workload.Request, Do: workload.Drop, Draw: &workload.Draw{Chance: chance, Seed: 1}})
				}
			}
			w.produceAll(20)
			a := w.poller(t, "a/1", slow)
			for i := range int64(20) {
				a.next(time.Second)
				_, outcome, _ := a.Commit(a.token, 0, i+1).Await()
				p.Note(history.Plan, &history.PlanStep{Of: "plan", Status: "done", Detail: w.scheduler.now.String() + string(outcome.Type())})
			}
		})
		return out.Bytes()
	}
	if !slices.Equal(play(-1), play(0)) {
		t.Error("a chance of 0 changed the run")
	}
	if slices.Equal(play(0), play(0.2)) || !slices.Equal(play(0.2), play(0.2)) {
		t.Error("a chance of a fifth changed nothing, or not twice the same")
	}
}
