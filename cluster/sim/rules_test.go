package sim

import (
	"bytes"
	"slices"
	"strings"
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

// What becomes of a write: the client's outcome, and whether the row has it then, and after the rule was lifted.
func TestWhatRulesMakeOfAWrite(t *testing.T) {
	const at = 7
	for _, c := range []struct {
		rule    workload.Rule
		outcome persistence.Outcome
		code    string
		// there tells whether the write is in the row when its client knows its outcome; later, whether it is after the lift.
		there, later bool
	}{
		{workload.Rule{Way: workload.Request, Do: workload.Cut}, persistence.Unknown, "connection-closed", false, false},
		{workload.Rule{Way: workload.Answer, Do: workload.Cut}, persistence.Unknown, "connection-closed", true, true},
		{workload.Rule{Way: workload.Request, Do: workload.Drop}, persistence.Unknown, "timeout", false, false},
		{workload.Rule{Way: workload.Answer, Do: workload.Drop}, persistence.Unknown, "timeout", true, true},
		{workload.Rule{Way: workload.Request, Do: workload.Silence}, persistence.Unknown, "timeout", false, false},
		{workload.Rule{Way: workload.Answer, Do: workload.Silence}, persistence.Unknown, "timeout", true, true},
		{workload.Rule{Way: workload.Request, Do: workload.Hold}, persistence.Unknown, "timeout", false, true},
		{workload.Rule{Way: workload.Answer, Do: workload.Hold}, persistence.Unknown, "timeout", true, true},
		{workload.Rule{Way: workload.Request, Do: workload.Delay, By: time.Second}, persistence.Answered, "", true, true},
		{workload.Rule{Way: workload.Request, Do: workload.Delay, By: time.Minute}, persistence.Unknown, "timeout", false, true},
		{workload.Rule{Way: workload.Answer, Do: workload.Delay, By: time.Second}, persistence.Answered, "", true, true},
	} {
		for _, s := range []persistence.Statement{
			{Verb: persistence.Insert, If: persistence.IfNotExists, Key: "k", Offset: at, Value: []byte("v")},
			{Verb: persistence.Update, Key: "k", Offset: at, Value: []byte("v"), Timestamp: 1},
		} {
			w := New(1, 1, history.NewMemory(history.Header{}))
			mustPlay(t, w, func(p workload.World) {
				row := func() bool {
					a, _, _ := w.Start(persistence.Statement{Verb: persistence.Select, Key: "k"}).Await()
					return a.Row != nil && a.Row.Offset == history.Some(at)
				}
				c.rule.Message = s.Form()
				armed := w.Arm("a", c.rule)
				by(p, "a/1", func() {
					_, outcome, err := w.Start(s).Await()
					if code := persistence.CodeOf(err); outcome != c.outcome || err != nil && code != c.code {
						t.Errorf("%s: outcome %d, %v", c.rule, outcome, err)
					}
				})
				if proof, _, _ := armed.Await(); !strings.Contains(proof, s.Form()+" of k @7") {
					t.Errorf("%s: proof %q", c.rule, proof)
				}
				if got := row(); got != c.there {
					t.Errorf("%s: there %v", c.rule, got)
				}
				if proof, outcome, _ := w.Lift("a").Await(); outcome != persistence.Answered || proof != c.rule.String()+", which struck 1, is lifted" {
					t.Errorf("%s: lifted %q", c.rule, proof)
				}
				p.Sleep(time.Second)
				if got := row(); got != c.later {
					t.Errorf("%s: after the lift there %v", c.rule, got)
				}
				if _, outcome, _ := w.Lift("a").Await(); outcome != persistence.Failed {
					t.Error("what was lifted is lifted again")
				}
			})
		}
	}
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
		if members := w.broker.group.Describe().Group.Members; len(members) > 0 {
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

// Who is cut off from Kafka is out of the group after a session, and commits nothing; from Cassandra, finds no connection. Lifted, he
// is back; others were not harmed.
func TestCutOff(t *testing.T) {
	w := New(1, 2, history.NewMemory(history.Header{}))
	mustPlay(t, w, func(p workload.World) {
		a := w.poller(t, "a/1", slow)
		a.next(time.Second)
		write := persistence.Statement{Verb: persistence.Update, Key: "k", Timestamp: 1}
		cut := w.CutOff("a", workload.Wall{From: workload.OfKafka})
		if _, outcome, err := a.Commit(a.token, 0, 1).Await(); outcome != persistence.Failed || persistence.CodeOf(err) != "no-connections" {
			t.Errorf("a commit: outcome %d, %v", outcome, err)
		}
		if proof, _, _ := cut.Await(); proof == "" {
			t.Error("it is not proved")
		}
		p.Sleep(2 * slow.SessionTimeout)
		if members := w.broker.group.Describe().Group.Members; len(members) > 0 {
			t.Errorf("cut off from Kafka: %v", members)
		}
		by(p, "a/1", func() {
			if _, outcome, _ := w.Start(write).Await(); outcome != persistence.Answered {
				t.Error("the store is not reached")
			}
		})
		a.next(time.Second)
		w.Lift("a")
		p.Sleep(time.Second)
		w.CutOff("a", workload.Wall{From: workload.OfCassandra})
		by(p, "a/2/flush", func() {
			if _, outcome, err := w.Start(write).Await(); outcome != persistence.Failed || persistence.CodeOf(err) != "no-connections" {
				t.Errorf("a statement: outcome %d, %v", outcome, err)
			}
		})
		by(p, "b/1", func() {
			if _, outcome, err := w.Start(write).Await(); outcome != persistence.Answered {
				t.Errorf("another's: outcome %d, %v", outcome, err)
			}
		})
		if got := a.next(time.Minute); got.Change != workload.WasLost && got.Change != workload.WasAssigned {
			t.Errorf("it polls %q", shape(got))
		}
	})
}

// What a silent wall keeps comes when it is lifted: a write long after its client has given it up.
func TestSilentCut(t *testing.T) {
	w := New(1, 1, history.NewMemory(history.Header{}))
	mustPlay(t, w, func(p workload.World) {
		a := w.poller(t, "a/1", slow)
		a.next(time.Second)
		for _, from := range []string{workload.OfKafka, workload.OfCassandra} {
			w.CutOff("a", workload.Wall{From: from, Silently: true})
		}
		by(p, "a/1", func() {
			if _, outcome, err := w.Start(persistence.Statement{Verb: persistence.Update, Key: "k", Offset: 3, Timestamp: 1}).Await(); outcome != persistence.Unknown {
				t.Errorf("a write: outcome %d, %v", outcome, err)
			}
		})
		if members := w.broker.group.Describe().Group.Members; len(members) > 0 {
			t.Errorf("behind the wall: %v", members)
		}
		proof, _, _ := w.Lift("a").Await()
		if n := strings.Count(proof, "the silent cut from"); n != 2 {
			t.Errorf("lifted: %q", proof)
		}
		p.Sleep(time.Second)
		if row, _, _ := w.Start(persistence.Statement{Verb: persistence.Select, Key: "k"}).Await(); row.Row == nil {
			t.Error("the write has not come")
		}
		if got := shape(a.next(time.Second)); got != "lost p0" {
			t.Errorf("it polls %q", got)
		}
	})
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
