package clients_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// standby: a member without a partition has to poll like any other, is out of the group when it does not, and stays out until
// it does. That holds also when its last poll only began to join, and the generation came after it.
func standby(t *testing.T, c cluster.Cluster, joining bool) {
	w, err := c.Open(t.Context(), cluster.Spec{Seed: 1, Partitions: 1, Arm: "standby"}, history.NewMemory(history.Header{}))
	if err != nil {
		t.Fatal(err)
	}
	config := workload.DefaultConfig("a").Member
	config.SessionTimeout, config.HeartbeatInterval, config.MaxPollInterval = 6*time.Second, 100*time.Millisecond, 2*time.Second
	listed := func(process string) bool {
		a, _, err := w.Coordinator().Await()
		if err != nil {
			t.Error(err)
		}
		return slices.ContainsFunc(a.Group.Members, func(m history.MemberAtAll) bool { return m.Client == process })
	}
	err = w.Board().Run("standby", func(p workload.World) {
		members := map[string]workload.Member{}
		join := func(name string) {
			m, err := w.NewMember(name, config)
			if err != nil {
				t.Fatal(err)
			}
			members[name] = m
		}
		join("a/1")
		if !joining {
			join("b/1")
		}
		// All poll until all are in and one has the partition.
		owner := ""
		until := p.Now() + 10*time.Second
		for owner == "" || !listed("a/1") || !joining && !listed("b/1") {
			for name, m := range members {
				switch m.Poll(1, 50*time.Millisecond).Change {
				case workload.WasAssigned:
					owner = name
				case workload.WasRevoked, workload.WasLost:
					owner = ""
				}
			}
			if p.Now() > until {
				t.Error("the members never were all in the group")
				return
			}
		}
		idle := map[string]string{"a/1": "b/1", "b/1": "a/1"}[owner]
		if joining {
			join(idle)
			members[idle].Poll(1, 50*time.Microsecond)
		}
		stopped := p.Now()
		others := func() {
			for name, m := range members {
				if name != idle {
					m.Poll(1, 50*time.Millisecond)
				}
			}
		}
		for joining && !listed(idle) {
			others()
			if p.Now() > stopped+config.MaxPollInterval {
				t.Errorf("%s never was in the group", idle)
				return
			}
		}
		for listed(idle) {
			others()
			if p.Now() > stopped+8*time.Second {
				t.Errorf("%s is in the group %s after its last poll", idle, p.Now()-stopped)
				return
			}
		}
		if took := p.Now() - stopped; took < config.MaxPollInterval-500*time.Millisecond || took > config.MaxPollInterval+2*time.Second {
			t.Errorf("%s was out %s after its last poll; max.poll.interval is %s", idle, took, config.MaxPollInterval)
		}
		for until := p.Now() + 10*config.HeartbeatInterval; p.Now() < until; {
			others()
			if listed(idle) {
				t.Errorf("%s is in the group again, and has not polled", idle)
				return
			}
		}
		for until := p.Now() + 10*time.Second; !listed(idle); {
			others()
			members[idle].Poll(1, 50*time.Millisecond)
			if p.Now() > until {
				t.Errorf("%s polls, and is not in the group again", idle)
				return
			}
		}
	})
	if err != nil {
		t.Error(err)
	}
	if err := w.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

func standbys(t *testing.T, c cluster.Cluster) {
	t.Run("alone", func(t *testing.T) { standby(t, c, false) })
	t.Run("joining", func(t *testing.T) { standby(t, c, true) })
}

func TestStandby(t *testing.T)           { standbys(t, sim.Cluster{}) }
func TestContainersStandby(t *testing.T) { standbys(t, containerstest.Open(t)) }
