package containers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers/enginetest"
	"github.com/single-writer/chaos/cluster/containers/harm"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// TestContainersHarm does to three servers of each kind all that can be done to them, to brokers and to nodes side by side.
func TestContainersHarm(t *testing.T) {
	testEngine(t)
	c, err := Open(t.Context(), Options{Kafka: 3, Cassandra: 3, Log: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	enginetest.Ran(t, c.servers.KafkaVersion, c.servers.CassandraVersion)
	t.Run("side by side", func(t *testing.T) {
		t.Run("brokers", func(t *testing.T) {
			t.Parallel()
			for _, trouble := range troubles {
				t.Run(string(trouble), func(t *testing.T) { suffers(t, c.harm, "kafka-2", trouble) })
			}
		})
		t.Run("nodes", func(t *testing.T) {
			t.Parallel()
			for _, trouble := range troubles {
				t.Run(string(trouble), func(t *testing.T) { suffers(t, c.harm, "cassandra-3", trouble) })
			}
		})
	})
	// Not beside others: a world that closes heals whatever is not well.
	t.Run("roles", func(t *testing.T) { rolesMove(t, c) })
	t.Run("unclean election", func(t *testing.T) { truncates(t, c) })
	t.Run("a world that closes heals", func(t *testing.T) { closingHeals(t, c) })
}

var troubles = []workload.Trouble{
	workload.Paused, workload.Isolated, workload.Deaf, workload.Mute, workload.Unreachable, workload.Killed, workload.Full,
}

// suffers: a trouble is proved when it was brought about, and not when it was not; that the server is well is proved when it
// was healed, and not before. Engine and kernel then say that nothing is the matter with it.
func suffers(t *testing.T, servers *harm.Servers, server string, trouble workload.Trouble) {
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if proof, err := servers.Prove(short, server, trouble); err == nil {
		t.Errorf("a server that is well is proved to be %s: %s", trouble, proof)
	}
	began := time.Now()
	proof, err := servers.Strike(t.Context(), server, trouble)
	if err != nil {
		t.Error(err)
	}
	t.Logf("proved after %.2f s: %s", time.Since(began).Seconds(), proof)
	_, err = servers.Strike(t.Context(), server, workload.Paused)
	if e, ok := errors.AsType[*persistence.Error](err); !ok || !e.NoEffect || !strings.Contains(err.Error(), string(trouble)+" already: heal it first") {
		t.Errorf("a second trouble: %v", err)
	}
	seen, err := servers.Look(t.Context())
	if !slices.ContainsFunc(seen, func(f harm.Found) bool { return f.Server == server }) {
		t.Errorf("seen: %v, %v", seen, err)
	}
	unwell(t, servers, server)
	began = time.Now()
	proof, err = servers.Heal(t.Context(), server)
	if err != nil {
		t.Error(err)
	}
	t.Logf("well after %.2f s: %s", time.Since(began).Seconds(), proof)
	seen, err = servers.Look(t.Context())
	if slices.ContainsFunc(seen, func(f harm.Found) bool { return f.Server == server }) || servers.Ill(server) {
		t.Errorf("left: %v, %v", seen, err)
	}
}

// unwell waits until it is not proved any more that the server is well: a cut takes some seconds until its peers do without it.
func unwell(t *testing.T, servers *harm.Servers, server string) {
	t.Helper()
	began := time.Now()
	for {
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		proof, err := servers.Well(short, server)
		cancel()
		if err != nil {
			t.Logf("not well after %.2f s: %v", time.Since(began).Seconds(), err)
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("a server in trouble is proved to be well: %s", proof)
		}
	}
}

// in does something in a world of the cluster's, as a process of it.
func in(t *testing.T, c *Cluster, do func(w cluster.World)) {
	t.Helper()
	w, err := c.Open(t.Context(), cluster.Spec{Seed: 1, Partitions: 1, Arm: "harm", Kafka: 3}, history.NewMemory(history.Header{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Board().Run("test", func(workload.World) { do(w) }); err != nil {
		t.Error(err)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// rolesMove: a broker has the role that it was given by its own word and by that of the others.
func rolesMove(t *testing.T, c *Cluster) {
	in(t, c, func(w cluster.World) {
		for _, role := range []workload.Role{workload.Coordinator, workload.Leader} {
			for _, server := range []string{"kafka-1", "kafka-2", "kafka-3", "kafka-1"} {
				began := time.Now()
				proof, _, err := w.Move(role, server).Await()
				if err != nil {
					t.Errorf("move the %s to %s: %v", role, server, err)
				}
				t.Logf("%.2f s: %s", time.Since(began).Seconds(), proof)
				if now, _, err := w.Playing(role).Await(); err != nil || now != server {
					t.Errorf("the %s is %s, %v", role, now, err)
				}
			}
		}
		controller, _, err := w.Playing(workload.Controller).Await()
		if err != nil || !slices.Contains(w.Servers(), controller) {
			t.Errorf("the controller is %s, %v", controller, err)
		}
		for want, call := range map[string]persistence.Call[string]{
			"the controller cannot be told to move":            w.Move(workload.Controller, "kafka-1"),
			"cassandra-1 is no broker":                         w.Move(workload.Leader, "cassandra-1"),
			"kafka-7 cannot lead":                              w.Move(workload.Leader, "kafka-7"),
			"no server is called kafka-7; there are: kafka-1,": w.Strike("kafka-7", workload.Killed),
			"kafka-1 cannot be elected uncleanly: it is well":  w.Elect("kafka-1"),
		} {
			if _, outcome, err := call.Await(); outcome != persistence.Failed || err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, %v", want, outcome, err)
			}
		}
	})
}

// truncates: what a broker lacked when it was elected is gone, though all who were in sync had it.
func truncates(t *testing.T, c *Cluster) {
	in(t, c, func(w cluster.World) {
		for _, step := range []struct {
			records int
			do      func() persistence.Call[string]
		}{
			{0, func() persistence.Call[string] { return w.Move(workload.Leader, "kafka-1") }},
			{3, func() persistence.Call[string] { return w.Strike("kafka-3", workload.Killed) }},
			{4, func() persistence.Call[string] { return w.Elect("kafka-3") }},
		} {
			for range step.records {
				if _, _, err := w.Produce(0, "k", []byte("v")).Await(); err != nil {
					t.Error(err)
				}
			}
			began := time.Now()
			proof, _, err := step.do().Await()
			if err != nil {
				t.Error(err)
				return
			}
			t.Logf("%.2f s: %s", time.Since(began).Seconds(), proof)
		}
		if leader, _, err := w.Playing(workload.Leader).Await(); err != nil || leader != "kafka-3" {
			t.Errorf("%s leads, %v", leader, err)
		}
		if records, _, err := w.Input(0).Await(); err != nil || len(records) != 3 {
			t.Errorf("%d records are left, %v", len(records), err)
		}
		if c.harm.Ill("kafka-1") || c.harm.Ill("kafka-3") {
			t.Error("it left somebody ill")
		}
	})
}

// closingHeals: what a run has left harmed is healed when its world closes, whatever ended it.
func closingHeals(t *testing.T, c *Cluster) {
	in(t, c, func(w cluster.World) {
		for server, trouble := range map[string]workload.Trouble{"kafka-1": workload.Paused, "cassandra-2": workload.Isolated} {
			if _, _, err := w.Strike(server, trouble).Await(); err != nil {
				t.Error(err)
			}
		}
	})
	if found, err := c.harm.Look(t.Context()); err != nil || len(found) > 0 || c.harm.Harmed() {
		t.Errorf("the world left %v, %v", found, err)
	}
}

// leftHarmed: warm servers that a killed run has left harmed are found so, and healed for the next; while a process is at it
// nobody else gets them.
func leftHarmed(t *testing.T, s *Servers) {
	servers, err := s.harmed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	broker := clients.BrokerName(1)
	for server, trouble := range map[string]workload.Trouble{broker: workload.Paused, "cassandra-1": workload.Unreachable} {
		if _, err := servers.Strike(t.Context(), server, trouble); err != nil {
			t.Fatal(err)
		}
	}
	_, err = FindWarm(t.Context(), Options{})
	for _, want := range []string{broker + ": it is paused\n", "cassandra-1: it is cut off\n", "the next run heals it"} {
		if !errors.As(err, new(*HarmedError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, want %q", err, want)
		}
	}
	var said string
	found, err := findWell(t.Context(), Options{Log: func(line string) { said += line }})
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("healed what a killed run left harmed: %s, cassandra-1", broker); said != want {
		t.Errorf("it says %q, want %q", said, want)
	}
	if err := found.Detach(); err != nil {
		t.Error(err)
	}
	c := &Cluster{servers: s}
	if c.clients, err = s.Connect(clients.Driver{}); err != nil {
		t.Fatal(err)
	}
	defer c.clients.Close()
	if err := errors.Join(c.alone(t.Context()), c.alone(t.Context())); err != nil {
		t.Fatal(err)
	}
	if _, err := findWell(t.Context(), Options{}); !errors.As(err, new(*HarmingError)) {
		t.Errorf("a second run on servers that are being harmed: %v", err)
	}
	if _, err := Down(t.Context(), Options{}, false); !errors.As(err, new(*InUseError)) {
		t.Errorf("removing servers that are being harmed: %v", err)
	}
	if err := (&Cluster{servers: s, clients: c.clients}).alone(t.Context()); !errors.As(err, new(*HarmingError)) {
		t.Errorf("a second one who harms: %v", err)
	}
	if err := c.unharmed(); err != nil || harming() {
		t.Errorf("the lock stays, %v", err)
	}
}
