package controller_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// groupScript is what a group goes through, one thing after another: members of two partitions that come, commit, are put
// out and leave.
type groupScript struct {
	t        *testing.T
	assignor workload.Assignor
	world    cluster.World
	process  workload.World
	members  map[string]workload.Member
	token    map[string]workload.Token
	owned    map[string]int
}

func (s *groupScript) join(client string) {
	m, err := s.world.NewMember(client, workload.MemberConfig{
		Assignor: s.assignor, SessionTimeout: 6 * time.Second, MaxPollInterval: 10 * time.Second,
		HeartbeatInterval: 50 * time.Millisecond, RequestTimeout: 5 * time.Second,
	})
	if err != nil {
		s.t.Error(err)
	}
	s.members[client] = m
}

// settle polls all members in turn until each owns so many partitions.
func (s *groupScript) settle(each int) {
	var clients []string
	for client := range s.members {
		clients = append(clients, client)
	}
	slices.Sort(clients)
	until := s.process.Now() + 20*time.Second
	for s.process.Now() < until {
		settled := true
		for _, client := range clients {
			switch p := s.members[client].Poll(1, 20*time.Millisecond); {
			case p.Err != nil:
				s.t.Error(p.Err)
			case p.Change == workload.WasAssigned:
				s.token[client], s.owned[client] = p.Token, s.owned[client]+len(p.Partitions)
			case p.Change != workload.Unchanged:
				s.owned[client] -= len(p.Partitions)
			}
			settled = settled && s.owned[client] == each
		}
		if settled {
			return
		}
	}
	s.t.Errorf("within 20s not each of %v was assigned %d: %v", clients, each, s.owned)
}

func (s *groupScript) commit(client string, partition int32, offset int64, code string) {
	a, _, err := s.members[client].Commit(s.token[client], partition, offset).Await()
	if err != nil || a.Code != code {
		s.t.Errorf("%s commits %d of partition %d: %q, %v", client, offset, partition, a.Code, err)
	}
}

func (s *groupScript) leave(client string) {
	s.members[client].Leave()
	delete(s.members, client)
}

func (s *groupScript) run(w workload.World) {
	s.process = w
	s.join("a/1")
	s.settle(2)
	s.commit("a/1", 0, 1, "")
	s.commit("a/1", 0, 2, "")
	s.commit("a/1", 1, 7, "")
	first := s.token["a/1"]
	s.join("b/1")
	s.settle(1)
	s.commit("b/1", 0, 1, "") // b does not own it: nobody asks
	if a, _, err := s.members["a/1"].Commit(first, 0, 3).Await(); err != nil || a.Code != "ILLEGAL_GENERATION" {
		s.t.Errorf("a commit of the first generation: %q, %v", a.Code, err)
	}
	if a, _, err := s.world.Evict(s.token["a/1"].Member).Await(); err != nil || a.Code != "" {
		s.t.Errorf("put a out: %q, %v", a.Code, err)
	}
	s.commit("a/1", 0, 4, "UNKNOWN_MEMBER_ID")
	a := s.members["a/1"]
	delete(s.members, "a/1")
	s.settle(2)
	s.commit("b/1", 1, 8, "")
	s.leave("b/1")
	s.join("c/1")
	s.settle(2)
	s.leave("c/1")
	a.Leave()
}

// groupLog runs the script and gives what the coordinator wrote, without what differs from run to run: ids are clients,
// positions are counted, there are no times.
func groupLog(t *testing.T, c cluster.Cluster, a workload.Assignor) []history.GroupLogEntry {
	t.Helper()
	world, err := c.Open(context.Background(), cluster.Spec{Seed: 1, Partitions: 2, Arm: "group"},
		history.NewMemory(history.Header{}))
	if err != nil {
		t.Fatal(err)
	}
	s := groupScript{t: t, assignor: a, world: world, members: map[string]workload.Member{}, token: map[string]workload.Token{},
		owned: map[string]int{}}
	var log []history.GroupLogEntry
	var took time.Duration
	err = world.Board().Run("drain", func(w workload.World) {
		s.run(w)
		began := w.Now()
		if log, _, err = world.GroupLog().Await(); err != nil {
			t.Error(err)
		}
		took = w.Now() - began
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := world.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Logf("reading the log of %d entries took %s", len(log), took)
	client := func(id string) string {
		name, _, _ := strings.Cut(id, "-")
		return name
	}
	for i := range log {
		e := &log[i]
		if i > 0 && e.Position <= log[i-1].Position {
			t.Errorf("entry %d is at position %d, after one at %d", i, e.Position, log[i-1].Position)
		}
		if e.Ends == e.Timestamp.Known {
			t.Errorf("entry %d has the time %s", i, e.Timestamp)
		}
		e.Position, e.Timestamp = int64(i), history.Opt{}
		if e.Commit != nil {
			e.Commit.Member = client(e.Commit.Member)
		}
		if e.Group != nil {
			e.Group.Leader = client(e.Group.Leader)
			slices.SortFunc(e.Group.Members, func(a, b history.LoggedMember) int { return strings.Compare(a.Client, b.Client) })
			for j := range e.Group.Members {
				e.Group.Members[j].Member = client(e.Group.Members[j].Member)
			}
		}
	}
	return log
}

// The simulated coordinator writes what a real one writes, in the same order.
func TestContainersGroupLog(t *testing.T) {
	c := containerstest.Open(t)
	for _, a := range []workload.Assignor{workload.Eager, workload.Cooperative} {
		if diff := cmp.Diff(groupLog(t, c, a), groupLog(t, sim.Cluster{}, a)); diff != "" {
			t.Errorf("the log of a group with the assignor %s (-real +sim):\n%s", a, diff)
		}
	}
}

// Every accepted commit and every assignment is in the log, and nothing that was refused.
func TestGroupLog(t *testing.T) {
	eager := []string{
		"generation 0", "generation 1 of range a/1", "a/1 commits 1", "a/1 commits 2", "a/1 commits 7",
		"generation 2 of range a/1 b/1", "b/1 commits 1", "generation 3 of range b/1", "b/1 commits 8", "generation 4",
		"generation 5 of range c/1", "generation 6", "end",
	}
	// b is handed what a has given back, in a second rebalance.
	cooperative := []string{
		"generation 0", "generation 1 of cooperative-sticky a/1", "a/1 commits 1", "a/1 commits 2", "a/1 commits 7",
		"generation 2 of cooperative-sticky a/1 b/1", "generation 3 of cooperative-sticky a/1 b/1", "b/1 commits 1",
		"generation 4 of cooperative-sticky b/1", "b/1 commits 8", "generation 5", "generation 6 of cooperative-sticky c/1",
		"generation 7", "end",
	}
	for a, want := range map[workload.Assignor][]string{workload.Eager: eager, workload.Cooperative: cooperative} {
		if diff := cmp.Diff(want, lines(groupLog(t, sim.Cluster{}, a))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", a, diff)
		}
	}
}

// lines are the entries of a log, one a line.
func lines(log []history.GroupLogEntry) (got []string) {
	for _, e := range log {
		switch {
		case e.Commit != nil:
			got = append(got, e.Commit.Member+" commits "+e.Commit.Offset.String())
		case e.Group != nil:
			text := "generation " + e.Group.Generation.String()
			if e.Group.Protocol != "" {
				text += " of " + e.Group.Protocol
			}
			for _, m := range e.Group.Members {
				text += " " + m.Client
			}
			got = append(got, text)
		case e.Ends:
			got = append(got, "end")
		}
	}
	return got
}
