package clients_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/workload"
)

// cooperative opens a group of cooperative members on two partitions with two records each.
func cooperative(t *testing.T, c cluster.Cluster, script func(*grown)) {
	t.Helper()
	g := open(t, c, workload.Cooperative, 2)
	// franz-go hears of a rebalance by a heartbeat: half a second after it was assigned something, then by this.
	g.config.HeartbeatInterval, g.config.SessionTimeout = time.Second, 6*time.Second
	g.run(func() {
		for _, partition := range []int32{0, 0, 1, 1} {
			if _, _, err := g.world.Produce(partition, "", []byte("x")).Await(); err != nil {
				t.Error(err)
			}
		}
		script(g)
	})
}

// id is that of a process's member, as the coordinator lists it.
func (g *grown) id(process string) string {
	a, _, _ := g.world.Coordinator().Await()
	for _, m := range a.Group.Members {
		if m.Client == process {
			return m.Member
		}
	}
	g.t.Errorf("the coordinator does not list %s: %s", process, a.Raw)
	return ""
}

// read polls a process until it was handed a record of each of so many offsets, and gives them by partition.
func (g *grown) read(process string, n int) map[int32][]int64 {
	out := map[int32][]int64{}
	for until := g.process.Now() + 10*time.Second; n > 0 && g.process.Now() < until; {
		for _, r := range g.poll(process).Records {
			out[r.Partition] = append(out[r.Partition], r.Offset)
			n--
		}
	}
	if n > 0 {
		g.t.Errorf("%s read %v, and %d records more did not come", process, out, n)
	}
	return out
}

// unheard: a member is put out just before it joins again, so that its JoinGroup is what tells it. franz-go then is a new
// member, takes all that it had for its own, and tells nobody; its owner must learn of the loss, and read again from what is
// committed.
func unheard(t *testing.T, c cluster.Cluster) {
	cooperative(t, c, func(g *grown) {
		g.join("a/1")
		assigned := g.process.Now()
		first := g.read("a/1", 4)
		// b comes and goes, which makes a join again at its next poll; before that poll, and between two heartbeats, it is out.
		b, err := g.world.NewMember("b/1", g.config)
		if err != nil {
			t.Error(err)
			return
		}
		b.Poll(1, 50*time.Millisecond)
		b.Leave()
		g.process.Sleep(assigned + 2*time.Second - g.process.Now())
		if a, _, err := g.world.Evict(g.id("a/1")).Await(); err != nil || a.Code != "" {
			t.Errorf("evict: %+v, %v", a, err)
		}
		again := g.read("a/1", 4)
		if d := cmp.Diff(first, again); d != "" {
			t.Errorf("read before the loss (-) and after it (+): %s", d)
		}
		want := []string{"assigned 0 1 generation 1", "lost 0 1 generation 1", "assigned 0 1 generation 3"}
		if d := cmp.Diff(want, g.handed["a/1"]); d != "" {
			t.Error(d)
		}
	})
}

// refused: what the refusal of a commit says. That the member is unknown is the loss of all that it has, and nothing more is
// handed out before its owner has learned of that; that a generation is over is no loss at all.
func refused(t *testing.T, c cluster.Cluster) {
	cooperative(t, c, func(g *grown) {
		g.join("a/1")
		old := workload.Token{Member: g.id("a/1"), Generation: g.knows["a/1"]}
		g.join("b/1")
		a := g.members["a/1"]
		if got, _, err := a.Commit(old, 0, 0).Await(); err != nil || got.Code != "ILLEGAL_GENERATION" {
			t.Errorf("a commit under generation %d: %+v, %v", old.Generation, got, err)
		}
		told := len(g.handed["a/1"])
		if p := g.poll("a/1"); p.Change != workload.Unchanged {
			t.Errorf("then a is handed %v", g.handed["a/1"][told:])
		}
		now := workload.Token{Member: old.Member, Generation: g.knows["a/1"]}
		if got, _, err := a.Commit(now, 0, 0).Await(); err != nil || got.Code != "" {
			t.Errorf("a commit under generation %d: %+v, %v", now.Generation, got, err)
		}
		g.world.Evict(old.Member).Await()
		if got, _, err := a.Commit(now, 0, 1).Await(); err != nil || got.Code != "UNKNOWN_MEMBER_ID" {
			t.Errorf("a commit of who is out: %+v, %v", got, err)
		}
		if p := g.poll("a/1"); p.Change != workload.WasLost || !slices.Equal(p.Partitions, []workload.Assigned{{Partition: 0}}) {
			t.Errorf("then a is handed %+v", p)
		}
		g.settle()
	})
}

func TestUnheardLoss(t *testing.T)             { unheard(t, sim.Cluster{}) }
func TestContainersUnheardLoss(t *testing.T)   { unheard(t, containerstest.Open(t)) }
func TestRefusedCommit(t *testing.T)           { refused(t, sim.Cluster{}) }
func TestContainersRefusedCommit(t *testing.T) { refused(t, containerstest.Open(t)) }
