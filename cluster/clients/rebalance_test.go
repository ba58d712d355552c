package clients_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// handed is what each member of a group that grows and shrinks is handed, poll by poll, in each protocol: a joins, b joins, c
// joins, b leaves, a is killed, d joins.
var handed = map[workload.Assignor]map[string][]string{
	workload.Eager: {
		"a/1": {"assigned 0 1 2 3 generation 1", "revoked 0 1 2 3 generation 1", "assigned 0 1 generation 2",
			"revoked 0 1 generation 2", "assigned 0 1 generation 3", "revoked 0 1 generation 3", "assigned 0 1 generation 4"},
		"b/1": {"assigned 2 3 generation 2", "revoked 2 3 generation 2", "assigned 2 generation 3"},
		"c/1": {"assigned 3 generation 3", "revoked 3 generation 3", "assigned 2 3 generation 4",
			"revoked 2 3 generation 4", "assigned 0 1 2 3 generation 5", "revoked 0 1 2 3 generation 5", "assigned 0 1 generation 6"},
		"d/1": {"assigned 2 3 generation 6"},
	},
	// Who keeps something is told so too: by an assignment of nothing. What moves is in nobody's hands for one generation.
	workload.Cooperative: {
		"a/1": {"assigned 0 1 2 3 generation 1", "revoked 2 3 generation 2", "assigned generation 2", "assigned generation 3",
			"revoked 1 generation 4", "assigned generation 4", "assigned generation 5", "assigned 2 generation 6"},
		"b/1": {"assigned generation 2", "assigned 2 3 generation 3", "assigned generation 4", "assigned generation 5"},
		"c/1": {"assigned generation 4", "assigned 1 generation 5", "assigned 3 generation 6", "assigned 0 2 generation 7",
			"revoked 2 3 generation 8", "assigned generation 8", "assigned generation 9"},
		"d/1": {"assigned generation 8", "assigned 2 3 generation 9"},
	},
}

// grown is a group on a cluster, with what its members were handed.
type grown struct {
	t          *testing.T
	world      cluster.World
	process    workload.World
	config     workload.MemberConfig
	partitions int
	members    map[string]workload.Member
	owns       map[string][]int32
	handed     map[string][]string
	// knows is the generation that each member's last poll gave.
	knows map[string]int32
}

// open opens a group without members on a cluster.
func open(t *testing.T, c cluster.Cluster, a workload.Assignor, partitions int) *grown {
	t.Helper()
	w, err := c.Open(t.Context(), cluster.Spec{Seed: 1, Partitions: partitions, Arm: "group"}, history.NewMemory(history.Header{}))
	if err != nil {
		t.Fatal(err)
	}
	g := &grown{t: t, world: w, partitions: partitions, config: workload.DefaultConfig("").Member, members: map[string]workload.Member{},
		owns: map[string][]int32{}, handed: map[string][]string{}, knows: map[string]int32{}}
	g.config.Assignor = a
	g.config.SessionTimeout, g.config.HeartbeatInterval, g.config.MaxPollInterval = 2*time.Second, 100*time.Millisecond, 10*time.Second
	return g
}

// run plays a script, and closes the world.
func (g *grown) run(script func()) {
	g.t.Helper()
	err := g.world.Board().Run("group", func(p workload.World) {
		g.process = p
		script()
	})
	if err := errors.Join(err, g.world.Close(context.WithoutCancel(g.t.Context()))); err != nil {
		g.t.Error(err)
	}
}

// grow lets the group grow and shrink.
func grow(t *testing.T, c cluster.Cluster, a workload.Assignor) map[string][]string {
	t.Helper()
	g := open(t, c, a, 4)
	g.run(func() {
		g.join("a/1")
		g.join("b/1")
		g.join("c/1")
		g.part("b/1", workload.Member.Leave)
		g.part("a/1", workload.Member.Sever)
		g.join("d/1")
	})
	return g.handed
}

func (g *grown) join(process string) {
	m, err := g.world.NewMember(process, g.config)
	if err != nil {
		g.t.Error(err)
		return
	}
	g.members[process] = m
	g.settle()
}

func (g *grown) part(process string, how func(workload.Member)) {
	how(g.members[process])
	delete(g.members, process)
	g.settle()
}

// settle polls all members in turn until the coordinator's record of the group is stable, gives each partition to one of
// them, and says the same as they do, all of one generation.
func (g *grown) settle() {
	g.t.Helper()
	until := g.process.Now() + 20*time.Second
	for !g.settled() {
		for _, process := range g.names() {
			g.poll(process)
		}
		if g.process.Now() > until {
			a, _, _ := g.world.Coordinator().Await()
			g.t.Errorf("the group does not settle: %v, and the coordinator has %s", g.owns, a.Raw)
			return
		}
	}
}

func (g *grown) names() []string {
	var names []string
	for process := range g.members {
		names = append(names, process)
	}
	slices.Sort(names)
	return names
}

func (g *grown) poll(process string) workload.Polled {
	p := g.members[process].Poll(1, 10*time.Millisecond)
	if p.Err != nil {
		g.t.Errorf("%s: %v", process, p.Err)
	}
	g.knows[process] = p.Token.Generation
	if p.Change == workload.Unchanged {
		return p
	}
	s := [...]string{"", "assigned", "revoked", "lost"}[p.Change]
	for _, a := range p.Partitions {
		s += fmt.Sprintf(" %d", a.Partition)
		if p.Change == workload.WasAssigned {
			g.owns[process] = append(g.owns[process], a.Partition)
		} else {
			g.owns[process] = slices.DeleteFunc(g.owns[process], func(o int32) bool { return o == a.Partition })
		}
	}
	g.handed[process] = append(g.handed[process], fmt.Sprintf("%s generation %d", s, p.Token.Generation))
	return p
}

func (g *grown) settled() bool {
	a, _, err := g.world.Coordinator().Await()
	if err != nil {
		g.t.Error(err)
		return true
	}
	all, generations := 0, map[int32]bool{}
	for _, m := range a.Group.Members {
		slices.Sort(g.owns[m.Client])
		if _, lives := g.members[m.Client]; !lives || !slices.Equal(m.Partitions, g.owns[m.Client]) {
			return false
		}
		all += len(m.Partitions)
		generations[g.knows[m.Client]] = true
	}
	return len(generations) == 1 && a.Group.State == "Stable" && len(a.Group.Members) == len(g.members) && all == g.partitions
}

func growing(t *testing.T, c cluster.Cluster) {
	for a, want := range handed {
		t.Run(string(a), func(t *testing.T) {
			if d := cmp.Diff(want, grow(t, c, a)); d != "" {
				t.Errorf("handed (-want +got)\n%s", d)
			}
		})
	}
}

func TestGrowingGroup(t *testing.T)           { growing(t, sim.Cluster{}) }
func TestContainersGrowingGroup(t *testing.T) { growing(t, containerstest.Open(t)) }
