package nemesis_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// servers are three brokers and three nodes, to which nothing is really done.
type servers struct {
	board *board.Board
	done  []string
	roles map[workload.Role]string
	// cannot is why an isolation cannot be done; slow makes a kill take so long; stubborn is the server that cannot be healed.
	cannot   string
	slow     time.Duration
	stubborn string
}

func (s *servers) Servers() []string {
	return []string{"kafka-1", "kafka-2", "kafka-3", "cassandra-1", "cassandra-2", "cassandra-3"}
}

func (s *servers) Cannot(server string, t workload.Trouble) string {
	if t == workload.Isolated && s.cannot != "" {
		return server + ": " + s.cannot
	}
	return ""
}

// answered notes what was asked, and answers it.
func (s *servers) answered(what, proof string, err error) persistence.Call[string] {
	s.done = append(s.done, what)
	c := board.NewCall[string](s.board)
	outcome := persistence.Answered
	if err != nil {
		outcome = persistence.Unknown
	}
	c.Finish(proof, outcome, err)
	return c
}

func (s *servers) Strike(server string, t workload.Trouble) persistence.Call[string] {
	if t == workload.Killed && s.slow > 0 {
		s.board.Await(s.slow, func() bool { return false })
	}
	return s.answered(fmt.Sprintf("strike %s %s", server, t), server+" is "+string(t), nil)
}

func (s *servers) Heal(server string) persistence.Call[string] {
	if server == s.stubborn {
		return s.answered("heal "+server, "", errors.New("it does not start"))
	}
	return s.answered("heal "+server, server+" is well", nil)
}

func (s *servers) Playing(r workload.Role) persistence.Call[string] {
	c := board.NewCall[string](s.board)
	c.Finish(s.roles[r], persistence.Answered, nil)
	return c
}

func (s *servers) Move(r workload.Role, server string) persistence.Call[string] {
	before := s.roles[r]
	s.roles[r] = server
	return s.answered(fmt.Sprintf("move %s %s", r, server), fmt.Sprintf("%s, then %s", before, server), nil)
}

func (s *servers) Elect(server string) persistence.Call[string] {
	return s.answered("elect "+server, "log end 9, then 7", nil)
}

// withServers makes a run whose servers can be harmed.
func withServers(t *testing.T, plan ...nemesis.Step) (*rig, *servers) {
	t.Helper()
	r := newRig(t, 1, plan...)
	s := &servers{board: r.world.Board(), roles: map[workload.Role]string{workload.Coordinator: "kafka-3", workload.Leader: "kafka-1", workload.Controller: "kafka-1"}}
	r.Servers = s
	return r, s
}

// told is what the history says of servers: phase, fault, target, server.
func (r *rig) told() (out []string) {
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.FaultDone); ok && v.Server != "" {
			out = append(out, fmt.Sprintf("%s: %s %s %s %s", e.Process, v.Phase, v.Fault, v.Target, v.Server))
		}
	}
	return out
}

func wantSaid(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nnot\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A role stands for the server that has it when the fault is done, and the history says which that was; a heal of the role
// heals that server, though another has the role by then.
func TestRoles(t *testing.T) {
	r, s := withServers(t, do("kill-server", "coordinator"), do("move-coordinator", "another"), do("heal-server", "coordinator"),
		do("pause-server", "cassandra-2", "heal-server", "cassandra-2"), do("kill-server", "kafka-2"), do("elect-unclean", "kafka-2"),
		do("move-leader", "kafka-3"))
	r.play(t)
	r.wantDone(t)
	wantSaid(t, "done", s.done, "strike kafka-3 killed", "move coordinator kafka-1", "heal kafka-3", "strike cassandra-2 paused", "heal cassandra-2",
		"strike kafka-2 killed", "elect kafka-2", "move leader kafka-3")
	wantSaid(t, "told", r.told()[:6], "nemesis: begin kill-server coordinator kafka-3", "nemesis: done kill-server coordinator kafka-3",
		"nemesis: begin move-coordinator another kafka-1", "nemesis: done move-coordinator another kafka-1",
		"nemesis: begin heal-server coordinator kafka-3", "nemesis: done heal-server coordinator kafka-3")
	for fault, want := range map[string]string{"kill-server": "kafka-2 is killed", "heal-server": "cassandra-2 is well",
		"move-coordinator": "kafka-3, then kafka-1", "elect-unclean": "log end 9, then 7"} {
		if got := r.proof(fault); got != want {
			t.Errorf("%s is proved by %s", fault, got)
		}
	}
}

// An unclean election is of a broker that was kept from records; that is well after it.
func TestUncleanElection(t *testing.T) {
	r, s := withServers(t, do("isolate-server", "kafka-2"), do("elect-unclean", "kafka-2"), do("pause-server", "kafka-2"))
	r.play(t)
	r.wantDone(t)
	wantSaid(t, "done", s.done, "strike kafka-2 isolated", "elect kafka-2", "strike kafka-2 paused", "heal kafka-2")
	r, _ = withServers(t, do("elect-unclean", "kafka-2"))
	r.play(t)
	r.wantFailed(t, "step 1 of the plan: elect-unclean kafka-2: kafka-2 is well, and has all records: kill it or cut it off, and let records come, before")
}

// Another is one that is well.
func TestAnotherIsWell(t *testing.T) {
	r, s := withServers(t, do("pause-server", "kafka-1"), do("move-coordinator", "another"), do("heal-server", "all"))
	r.play(t)
	r.wantDone(t)
	wantSaid(t, "done", s.done, "strike kafka-1 paused", "move coordinator kafka-2", "heal kafka-1")
}

// Whatever a plan has left is healed when it ends, be it too early; all that was struck is healed at once.
func TestHealedAtTheEnd(t *testing.T) {
	never := when("a", "folded", 5)
	never.When.Within = time.Second
	for name, c := range map[string]struct {
		plan []nemesis.Step
		end  string
	}{
		"at the end of the plan": {[]nemesis.Step{do("pause-server", "cassandra-1", "isolate-server", "leader")}, ""},
		"it ends too early": {[]nemesis.Step{do("pause-server", "cassandra-1", "isolate-server", "leader"), never, do("heal-server", "all")},
			"step 2 of the plan waited 1s for a at `folded` covering event 5; no worker was started"},
		"a mistake": {[]nemesis.Step{do("pause-server", "cassandra-1", "isolate-server", "leader", "hold", "a")},
			"step 1 of the plan: hold a: the worker does not run: it was never started"},
	} {
		r, s := withServers(t, c.plan...)
		r.play(t)
		if c.end == "" {
			r.wantDone(t)
		} else {
			r.wantFailed(t, c.end)
		}
		wantSaid(t, name, s.done, "strike cassandra-1 paused", "strike kafka-1 isolated", "heal cassandra-1", "heal kafka-1")
		wantSaid(t, name, r.told()[4:], "nemesis: begin heal-server all cassandra-1", "nemesis: begin heal-server all kafka-1",
			"nemesis: done heal-server all cassandra-1", "nemesis: done heal-server all kafka-1")
	}
}

// The rig's end heals too, wherever the plan was; a command that is under way comes to its end first, or what it does would come
// after what undoes it.
func TestStopAllHeals(t *testing.T) {
	for _, after := range []time.Duration{0, 50 * time.Millisecond, 300 * time.Millisecond} {
		r, s := withServers(t, do("kill-server", "kafka-2"), nemesis.Step{After: 10 * time.Second, Do: acts([]string{"kill-server", "kafka-3"})})
		s.slow = 200 * time.Millisecond
		err := r.world.Board().Run("drain", func(w workload.World) {
			w.Go("nemesis", r.Run)
			w.Sleep(after)
			if err := r.StopAll(w); err != nil {
				t.Error(err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		wantSaid(t, after.String(), s.done, "strike kafka-2 killed", "heal kafka-2")
	}
}

// A heal that fails is an error of the rig, whatever the plan ended by, and names what is left; the others are healed.
func TestUnhealed(t *testing.T) {
	never := when("a", "folded", 5)
	never.When.Within = time.Second
	for _, last := range []nemesis.Step{do("probe", "all"), never} {
		r, s := withServers(t, do("kill-server", "kafka-2", "pause-server", "cassandra-1"), last)
		s.stubborn = "kafka-2"
		r.play(t)
		var left *nemesis.Unhealed
		if !errors.As(r.Failed, &left) || !slices.Equal(left.Left, []string{"kafka-2 is still killed: it does not start"}) {
			t.Errorf("%v", r.Failed)
		}
		var late *workload.Timeout
		if errors.As(r.Failed, &late) {
			t.Errorf("it is taken for a plan that waited in vain: %v", r.Failed)
		}
		wantSaid(t, "done", s.done, "strike kafka-2 killed", "strike cassandra-1 paused", "heal kafka-2", "heal cassandra-1")
	}
}

// What cannot be done to a server is a mistake of a plan, and passed over in one that nobody wrote.
func TestMistakesWithServers(t *testing.T) {
	for want, plan := range map[string][]nemesis.Step{
		"step 2 of the plan: pause-server leader: kafka-1 is killed already, and a server has one trouble at a time: heal it first": {do("kill-server", "kafka-1"), do("pause-server", "leader")},
		"step 1 of the plan: heal-server kafka-1: nothing is the matter with it":                                                    {do("heal-server", "kafka-1")},
		"step 2 of the plan: move-leader kafka-2: kafka-2 is paused already, and a server has one trouble at a time: heal it first": {do("pause-server", "kafka-2"), do("move-leader", "kafka-2")},
		"step 1 of the plan: kill-server kafka-9: no server is called kafka-9; there are: kafka-1, kafka-2, kafka-3, " +
			"cassandra-1, cassandra-2, cassandra-3": {do("kill-server", "kafka-9")},
	} {
		r, _ := withServers(t, plan...)
		r.play(t)
		r.wantFailed(t, want)
	}
	r, s := withServers(t, maybe(do("kill-server", "kafka-1")), maybe(do("pause-server", "leader")), maybe(do("heal-server", "all")), maybe(do("heal-server", "all")))
	r.play(t)
	r.wantDone(t)
	wantSaid(t, "done", s.done, "strike kafka-1 killed", "heal kafka-1")
}

// What these servers cannot bear is said before anything is done, of a role also where only some of them could.
func TestCannot(t *testing.T) {
	r, s := withServers(t, do("kill-server", "kafka-1"), do("isolate-server", "leader"))
	if err := r.Cannot(); err != nil {
		t.Error(err)
	}
	s.cannot = "there is no nsenter"
	want := "step 2 of the plan: isolate-server leader: this cluster cannot do it: kafka-1: there is no nsenter"
	if err := r.Cannot(); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	if len(s.done) > 0 {
		t.Errorf("done: %v", s.done)
	}
}

// A read of the rig's own that fails while a server is not well is passed over in a plan that nobody wrote.
func TestProbeWhileIll(t *testing.T) {
	r := newRig(t, 1, maybe(do("pause-server", "cassandra-1")), maybe(do("probe", "all")), maybe(do("heal-server", "all")), maybe(do("probe", "all")))
	r.play(t)
	r.wantDone(t)
	var passed []string
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.PlanStep); ok && v.Status == "passed" {
			passed = append(passed, v.Detail)
		}
	}
	if len(passed) != 1 || !strings.HasPrefix(passed[0], "probe all: ") {
		t.Errorf("passed over: %q", passed)
	}
	if r.proof("probe") != "read" {
		t.Error("it does not read when all are well")
	}
}
