package sim

import (
	"context"
	"testing"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// served is a world of so many brokers and nodes.
func served(seed int64, brokers, nodes int) *World {
	w, err := Cluster{}.Open(context.Background(), cluster.Spec{Seed: seed, Partitions: 1, Kafka: brokers, Cassandra: nodes}, history.NewMemory(history.Header{}))
	if err != nil {
		panic(err)
	}
	return w.(*World)
}

// must gives the proof of something done to a server.
func must(t *testing.T, call persistence.Call[string]) string {
	t.Helper()
	proof, outcome, err := call.Await()
	if outcome != persistence.Answered {
		t.Fatalf("outcome %d: %v", outcome, err)
	}
	return proof
}

// What cannot be done to a server is refused in words that say why.
func TestWhatCannotBeDoneToServers(t *testing.T) {
	for _, c := range []struct {
		what string
		do   func(w *World) persistence.Call[string]
		want string
	}{
		{"nobody", func(w *World) persistence.Call[string] { return w.Strike("cassandra-4", workload.Killed) },
			"cassandra-4 cannot be killed here: no server is called cassandra-4; there are: kafka-1, kafka-2, kafka-3, cassandra-1, cassandra-2, cassandra-3"},
		{"an unknown trouble", func(w *World) persistence.Call[string] { return w.Strike("cassandra-1", "bored") },
			`cassandra-1 cannot be bored here: nothing is known of a trouble called "bored"`},
		{"a second trouble", func(w *World) persistence.Call[string] {
			must(t, w.Strike("cassandra-1", workload.Mute))
			return w.Strike("cassandra-1", workload.Paused)
		}, "cassandra-1 is mute already: heal it first"},
		{"a trouble while the first goes", func(w *World) persistence.Call[string] {
			must(t, w.Strike("cassandra-1", workload.Killed))
			w.Heal("cassandra-1")
			return w.Strike("cassandra-1", workload.Paused)
		}, "cassandra-1 is killed already: heal it first"},
		{"a role for a broker that is not well", func(w *World) persistence.Call[string] {
			must(t, w.Strike("kafka-1", workload.Mute))
			return w.Move(workload.Leader, "kafka-1")
		}, "kafka-1 is mute: a role is given to a broker that is well"},
		{"a role for a node", func(w *World) persistence.Call[string] { return w.Move(workload.Leader, "cassandra-1") }, "cassandra-1 is no broker"},
		{"the controller's role", func(w *World) persistence.Call[string] { return w.Move(workload.Controller, "kafka-1") },
			"the controller cannot be told to move: another is chosen when the one that there is is killed or paused"},
		{"an unknown role", func(w *World) persistence.Call[string] { return w.Playing("jester") }, `nothing is known of a role called "jester"`},
		{"an election of who has all", func(w *World) persistence.Call[string] { return w.Elect("kafka-2") },
			"kafka-2 cannot be elected uncleanly: it is well, and has all records: kill it or cut it off, and let records come, before"},
		{"an election of who lacks nothing", func(w *World) persistence.Call[string] {
			must(t, w.Strike("kafka-2", workload.Unreachable))
			return w.Elect("kafka-2")
		}, "kafka-2 cannot be elected uncleanly: it has all records of partition 0 of the input"},
		{"nobody to heal", func(w *World) persistence.Call[string] { return w.Heal("x") },
			"no server is called x; there are: kafka-1, kafka-2, kafka-3, cassandra-1, cassandra-2, cassandra-3"},
		{"healed twice at a time", func(w *World) persistence.Call[string] {
			must(t, w.Strike("cassandra-1", workload.Full))
			w.Heal("cassandra-1")
			return w.Heal("cassandra-1")
		}, "cassandra-1 is being healed already"},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := served(1, 3, 3)
			mustPlay(t, w, func(workload.World) {
				_, outcome, err := c.do(w).Await()
				if outcome != persistence.Failed || err.Error() != c.want {
					t.Errorf("outcome %d: %v\nnot %s", outcome, err, c.want)
				}
			})
		})
	}
	w := served(1, 1, 1)
	if why := w.Cannot("cassandra-1", workload.Deaf); why != "cassandra-1 has no peers that it could be cut off from: it is the only one of its kind" {
		t.Error(why)
	}
}
