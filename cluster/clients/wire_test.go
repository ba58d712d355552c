package clients_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// What becomes of messages by rules, in both worlds: what their clients are told, and what is true.

// wired is what of a world these tests need; none of it is harm to servers.
type wired interface {
	workload.Consumers
	workload.Producer
	workload.Truth
	workload.Wire
	persistence.Rows
	Board() *board.Board
	Close(ctx context.Context) error
}

func TestWire(t *testing.T) {
	onTheWire(t, func(string) (wired, error) {
		return sim.Cluster{}.Open(t.Context(), cluster.Spec{Seed: 1, Partitions: 1}, history.NewMemory(history.Header{}))
	})
}

func TestContainersWire(t *testing.T) {
	servers := containerstest.Start(t)
	for _, driver := range clients.DriverNames() {
		t.Run(driver, func(t *testing.T) {
			s := containerstest.Connect(t, servers, clients.Driver{Name: driver}, "wire_"+driver)
			onTheWire(t, func(name string) (wired, error) {
				return s.Open(t.Context(), driver+"-"+name, 1, history.NewMemory(history.Header{}))
			})
		})
	}
}

func onTheWire(t *testing.T, open func(name string) (wired, error)) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, wired, workload.World)
	}{{"statements", ofStatements}, {"commits", ofCommits}, {"walls", ofWalls}} {
		t.Run(test.name, func(t *testing.T) {
			w, err := open(test.name)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Board().Run("drain", func(p workload.World) { test.run(t, w, p) }); err != nil {
				t.Error(err)
			}
			if err := w.Close(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		})
	}
}

// struck is a statement under a rule.
type struck struct {
	rule    workload.Rule
	outcome persistence.Outcome
	code    string
	// done tells whether it is done when its client knows its outcome; later, whether it is after the lift.
	done, later bool

	statement persistence.Statement
	worker    string
	proof     persistence.Call[string]
	got       persistence.Outcome
	err       error
}

func statements() (all []*struck) {
	for _, c := range []struck{
		{rule: workload.Rule{Way: workload.Request, Do: workload.Cut, Nth: 1}, outcome: persistence.Unknown, code: "connection-closed"},
		{rule: workload.Rule{Way: workload.Answer, Do: workload.Cut, Nth: 1}, outcome: persistence.Unknown, code: "connection-closed", done: true, later: true},
		{rule: workload.Rule{Way: workload.Request, Do: workload.Drop}, outcome: persistence.Unknown, code: "timeout"},
		{rule: workload.Rule{Way: workload.Answer, Do: workload.Drop}, outcome: persistence.Unknown, code: "timeout", done: true, later: true},
		{rule: workload.Rule{Way: workload.Request, Do: workload.Silence}, outcome: persistence.Unknown, code: "timeout"},
		{rule: workload.Rule{Way: workload.Answer, Do: workload.Silence}, outcome: persistence.Unknown, code: "timeout", done: true, later: true},
		{rule: workload.Rule{Way: workload.Request, Do: workload.Hold}, outcome: persistence.Unknown, code: "timeout", later: true},
		{rule: workload.Rule{Way: workload.Answer, Do: workload.Hold}, outcome: persistence.Unknown, code: "timeout", done: true, later: true},
		{rule: workload.Rule{Way: workload.Request, Do: workload.Delay, By: time.Second}, outcome: persistence.Answered, done: true, later: true},
		{rule: workload.Rule{Way: workload.Request, Do: workload.Delay, By: time.Minute}, outcome: persistence.Unknown, code: "timeout", later: true},
		{rule: workload.Rule{Way: workload.Answer, Do: workload.Delay, By: time.Second}, outcome: persistence.Answered, done: true, later: true},
	} {
		for _, s := range []persistence.Statement{
			{Verb: persistence.Insert, If: persistence.IfNotExists}, {Verb: persistence.Update}, {Verb: persistence.Remove}, {Verb: persistence.Select},
		} {
			c := c
			s.Key, s.Offset, s.Value, s.Metadata, s.Timestamp = fmt.Sprintf("k%d", len(all)), 7, []byte("v"), "{}", 10
			c.statement, c.worker, c.rule.Message = s, fmt.Sprintf("w%d", len(all)), s.Form()
			all = append(all, &c)
		}
	}
	return all
}

// ofStatements: a write, a conditional one, a DELETE and a read. What cuts connections, which workers share, goes alone; all others
// at once, as each waits for its time-out.
func ofStatements(t *testing.T, w wired, p workload.World) {
	all := statements()
	running := 0
	start := func(s *struck) {
		s.proof = w.Arm(s.worker, s.rule)
		running++
		p.Go(s.worker+"/1", func(workload.World) {
			_, s.got, s.err = w.Start(s.statement).Await()
			running--
		})
	}
	settle := func() {
		if !p.Await(time.Minute, func() bool { return running == 0 }) {
			t.Fatalf("%d statements do not end", running)
		}
	}
	row := func(s *struck) *persistence.RawRow {
		a, outcome, err := w.Start(persistence.Statement{Verb: persistence.Select, Key: s.statement.Key}).Await()
		for until := p.Now() + 10*time.Second; outcome != persistence.Answered && p.Now() < until; p.Sleep(50 * time.Millisecond) {
			a, outcome, err = w.Start(persistence.Statement{Verb: persistence.Select, Key: s.statement.Key}).Await()
		}
		if outcome != persistence.Answered {
			t.Fatalf("the rig's own read: %v", err)
		}
		return a.Row
	}
	done := func(s *struck) bool {
		if found := row(s); s.statement.Verb == persistence.Remove {
			return found == nil
		} else {
			return found != nil
		}
	}
	for _, s := range all {
		if s.statement.Verb == persistence.Remove {
			before := s.statement
			before.Verb, before.Timestamp = persistence.Update, 1
			if _, outcome, err := w.Start(before).Await(); outcome != persistence.Answered {
				t.Fatal(err)
			}
		}
	}
	for _, s := range all {
		if s.rule.Do == workload.Cut {
			start(s)
			settle()
			row(s) // the driver has connected again
		}
	}
	for _, s := range all {
		if s.rule.Do != workload.Cut {
			start(s)
		}
	}
	settle()
	for _, s := range all {
		name := fmt.Sprintf("%s (%s)", s.rule, s.worker)
		if s.got != s.outcome || s.err != nil && persistence.CodeOf(s.err) != s.code {
			t.Errorf("%s: outcome %d, %v", name, s.got, s.err)
		}
		if proof, outcome, _ := s.proof.Await(); outcome != persistence.Answered || !strings.Contains(proof, workload.Rule{Way: s.rule.Way, Do: s.rule.Do, By: s.rule.By}.Struck("")) {
			t.Errorf("%s: proof %q", name, proof)
		}
		if writes := s.statement.Verb != persistence.Select; writes && done(s) != s.done {
			t.Errorf("%s: done %v", name, !s.done)
		}
	}
	for _, s := range all {
		if _, outcome, err := w.Lift(s.worker).Await(); outcome != persistence.Answered && s.rule.Nth == 0 {
			t.Errorf("%s: %v", s.rule, err)
		}
	}
	p.Sleep(time.Second)
	for _, s := range all {
		if writes := s.statement.Verb != persistence.Select; writes && done(s) != s.later {
			t.Errorf("%s (%s): after the lift done %v", s.rule, s.worker, !s.later)
		}
	}
}

// consumer is a member that is polled all the time.
type consumer struct {
	workload.Member
	token workload.Token
	lost  bool
	ends  bool
}

func consume(t *testing.T, w wired, p workload.World, process string) *consumer {
	config := workload.DefaultConfig("a").Member
	config.SessionTimeout, config.HeartbeatInterval, config.MaxPollInterval, config.RequestTimeout = time.Second, 100*time.Millisecond, time.Minute, 3*time.Second
	m, err := w.NewMember(process, config)
	if err != nil {
		t.Fatal(err)
	}
	c := &consumer{Member: m}
	p.Go(process, func(workload.World) {
		for !c.ends {
			switch got := m.Poll(1, 50*time.Millisecond); got.Change {
			case workload.WasAssigned:
				c.token, c.lost = got.Token, false
			case workload.WasLost, workload.WasRevoked:
				c.lost = true
			}
		}
		m.Leave()
	})
	wants(t, p, process+" to be assigned", func() bool { return c.token.Member != "" })
	return c
}

func wants(t *testing.T, p workload.World, what string, ready func() bool) {
	t.Helper()
	if !p.Await(20*time.Second, ready) {
		t.Fatalf("waited in vain for %s", what)
	}
}

// ofCommits: an OffsetCommit that is lost before the coordinator has it, or after it has accepted it. Of either its client learns
// nothing, and the group's committed offset says which it was.
func ofCommits(t *testing.T, w wired, p workload.World) {
	c := consume(t, w, p, "a/1")
	committed := int64(0)
	for i, r := range []workload.Rule{
		{Way: workload.Request, Do: workload.Cut, Nth: 1}, {Way: workload.Answer, Do: workload.Cut, Nth: 1},
		{Way: workload.Request, Do: workload.Drop, Nth: 1}, {Way: workload.Answer, Do: workload.Drop, Nth: 1},
		{Way: workload.Answer, Do: workload.Hold, Nth: 1},
	} {
		r.Message = "OffsetCommit"
		armed, offset := w.Arm("a", r), int64(i+1)
		wants(t, p, "an assignment", func() bool { return !c.lost })
		_, outcome, err := c.Commit(c.token, 0, offset).Await()
		if outcome != persistence.Unknown || outcome.Type() != history.Info {
			t.Errorf("%s: outcome %d, %v", r, outcome, err)
		}
		if r.Way == workload.Answer {
			committed = offset
		}
		if proof, _, _ := armed.Await(); !strings.Contains(proof, r.Struck("")) {
			t.Errorf("%s: proof %q", r, proof)
		}
		if got, _, err := w.Committed(0).Await(); err != nil || got.N != committed {
			t.Errorf("%s: committed is %s, %v", r, got, err)
		}
		w.Lift("a").Await()
	}
	if words, outcome, err := w.Deliver("a/1").Await(); outcome != persistence.Answered || !strings.Contains(words, "OffsetCommit") {
		t.Errorf("the one that was dropped comes late: %q, %v", words, err)
	}
	c.ends = true
}

// ofWalls: who is cut off from Kafka is out of his group after a session; who is from Cassandra finds no connection, and others do.
// Lifted, he is back.
func ofWalls(t *testing.T, w wired, p workload.World) {
	c := consume(t, w, p, "a/1")
	write := func(process string, offset int64) (outcome persistence.Outcome, code string) {
		done := false
		p.Go(process+"/flush", func(workload.World) {
			var err error
			_, outcome, err = w.Start(persistence.Statement{Verb: persistence.Update, Key: process, Offset: offset, Metadata: "{}", Timestamp: offset}).Await()
			code, done = persistence.CodeOf(err), true
		})
		p.Await(time.Minute, func() bool { return done })
		return outcome, code
	}
	listed := func() bool {
		a, _, err := w.Coordinator().Await()
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(a.Group.Members, func(m history.MemberAtAll) bool { return m.Client == "a/1" })
	}
	for _, silently := range []bool{false, true} {
		cut := w.CutOff("a", workload.Wall{From: workload.OfKafka, Silently: silently})
		until := p.Now() + 10*time.Second
		for listed() {
			if p.Now() > until {
				t.Fatalf("silently %v: cut off from Kafka, it stays in its group", silently)
			}
			p.Sleep(50 * time.Millisecond)
		}
		if outcome, code := write("a/1", 1); outcome != persistence.Answered {
			t.Errorf("cut off from Kafka, it writes: %d, %s", outcome, code)
		}
		if proof, _, _ := cut.Await(); proof == "" {
			t.Error("it is not proved")
		}
		token := c.token
		w.Lift("a").Await()
		wants(t, p, "the member to come back", func() bool { return c.token != token })
	}
	w.CutOff("a", workload.Wall{From: workload.OfCassandra})
	if outcome, code := write("a/1", 2); outcome != persistence.Failed || code != "no-connections" {
		t.Errorf("cut off from Cassandra, it writes: %d, %s", outcome, code)
	}
	if outcome, code := write("b/1", 2); outcome != persistence.Answered {
		t.Errorf("another writes: %d, %s", outcome, code)
	}
	w.Lift("a").Await()
	w.CutOff("a", workload.Wall{From: workload.OfCassandra, Silently: true})
	if outcome, code := write("a/1", 3); outcome != persistence.Unknown || code != "timeout" {
		t.Errorf("silently cut off, it writes: %d, %s", outcome, code)
	}
	w.Lift("a").Await()
	p.Sleep(time.Second)
	if a, _, err := w.Start(persistence.Statement{Verb: persistence.Select, Key: "a/1"}).Await(); err != nil || a.Row == nil || a.Row.Offset != history.Some(3) {
		t.Errorf("what the wall kept has not come: %+v, %v", a.Row, err)
	}
	if !listed() {
		t.Error("cut off from Cassandra, it is out of its group")
	}
	c.ends = true
}
