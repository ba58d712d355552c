package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers"
	"github.com/single-writer/chaos/cluster/containers/enginetest"
	"github.com/single-writer/chaos/controller"
)

// says runs a command in this process, and checks its exit code and what it prints on either stream.
func says(t *testing.T, exit int, args []string, wants ...string) string {
	t.Helper()
	var out, errs strings.Builder
	code := run(args, &out, &errs)
	said := out.String() + errs.String()
	if code != exit {
		t.Errorf("chaos %s: exit %d, not %d\n%s", strings.Join(args, " "), code, exit, said)
	}
	for _, want := range wants {
		if !strings.Contains(said, want) {
			t.Errorf("chaos %s: no %q in\n%s", strings.Join(args, " "), want, said)
		}
	}
	return out.String()
}

// TestContainersWarmCluster goes through the life of a warm cluster, from two who start it at once to its end.
func TestContainersWarmCluster(t *testing.T) {
	enginetest.Need(t)
	k := &killing{t: t, binary: build(t)}
	ownWarmCluster(t)
	out := t.TempDir
	calm := func(more ...string) []string {
		return append([]string{"run", "calm", "--cluster", "containers", "--arm", "cassandra/cas", "--out", out()}, more...)
	}

	t.Run("two start it at once", func(t *testing.T) {
		two := []*rig{startRig(t, k.binary, "up"), startRig(t, k.binary, "up")}
		started := 0
		for _, r := range two {
			if code, by := r.end(patience); code != 0 {
				t.Errorf("exit %d, signal %s", code, by)
			}
			if strings.HasPrefix(r.printed(), "UP: a warm cluster, started in ") {
				started++
				continue
			}
			if !strings.HasPrefix(r.printed(), "UP already: ") || !strings.Contains(r.said(), "another chaos is at the warm servers") {
				t.Errorf("the other says\n%s%s", r.said(), r.printed())
			}
		}
		if started != 1 || madeContainers(left(t, two...)) != 2 {
			t.Errorf("%d of two started a cluster; there are %v", started, left(t, two...))
		}
	})
	if t.Failed() {
		return
	}
	warm := warmServers(t)
	enginetest.Ran(t, warm.kafkaVersion, warm.cassandraVersion)
	says(t, 0, []string{"doctor"}, "WELL: real servers can run here", "nobody uses it")

	t.Run("two runs at once, and nobody takes it away", func(t *testing.T) {
		k.t = t
		two := []*rig{k.start("stale-periodic-flush"), k.start("calm")}
		for _, r := range two {
			r.until("its place on the servers", func() bool { return strings.Contains(r.said(), "using the warm cluster, up for ") })
		}
		says(t, controller.ExitRig, []string{"down"}, "the warm cluster is in use by process ", "chaos down --force")
		for _, r := range two {
			if code, by := r.end(patience); code != 0 {
				t.Errorf("exit %d, signal %s\n%s%s", code, by, r.said(), r.printed())
			}
			if made := warm.of(t, r); len(made.Keyspaces)+len(made.Topics) > 0 {
				t.Errorf("a run that has ended left on the servers: %+v", made)
			}
		}
	})

	t.Run("a keyspace that is there", func(t *testing.T) {
		says(t, 0, calm("--keyspace", "mine"), "using the warm cluster")
		says(t, controller.ExitUsage, calm("--keyspace", "mine"), "the keyspace mine is there already",
			"it holds keys, records, snapshots_v2, as a run would make it", "name another by --keyspace")
		alter(t, warm, "ALTER TABLE mine.snapshots_v2 DROP metadata", "ALTER TABLE mine.snapshots_v2 ADD version int")
		says(t, controller.ExitUsage, calm("--keyspace", "mine"), "a run would make it otherwise",
			"snapshots_v2.metadata is not there; expected: text", "snapshots_v2.version is int; expected: no such column")
		warm.use(t, func(c *clients.Servers) {
			r, err := c.Remains(t.Context(), func(name string) bool { return strings.HasPrefix(name, "chaos_") })
			if err != nil || len(r.Keyspaces)+len(r.Topics)+len(r.Groups) > 0 {
				t.Errorf("refused runs, and those before, have left %+v, %v", r, err)
			}
		})
	})

	t.Run("another image", func(t *testing.T) {
		says(t, controller.ExitRig, calm("--cassandra-image", "other:1"), "a warm cluster is up, but not the one",
			"the image of Cassandra\n    is there: Cassandra ", "wanted:   image other:1\n", "--cold")
		says(t, controller.ExitRig, []string{"up", "--kafka-image", "other:1"}, "the image of Kafka\n    is there: Kafka ")
		says(t, controller.ExitRig, []string{"doctor", "--kafka-image", "other:1"}, "BROKEN: ", "wanted: image other:1")
	})

	t.Run("more servers than there are", func(t *testing.T) {
		live, err := os.ReadFile("testdata/live.yaml")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "three.yaml")
		if err := os.WriteFile(file, append([]byte("cluster: {kafka: 3}\n"), live...), 0o644); err != nil {
			t.Fatal(err)
		}
		says(t, controller.ExitRig, []string{"run", file, "--cluster", "containers", "--out", out()}, "three.yaml:1:10: ", "a smaller one than",
			"chaos up --kafka 3 --cassandra 1 starts one that serves; --cold leaves")
		says(t, controller.ExitRig, []string{"up", "--cassandra", "3"}, "1 Kafka and 3 Cassandra are needed")
		says(t, controller.ExitUsage, []string{"up", "--cassandra", "2"}, "--kafka and --cassandra take 1 or 3, not 2")
	})

	t.Run("half dead", func(t *testing.T) {
		engine, err := client.New(client.FromEnv)
		if err != nil {
			t.Fatal(err)
		}
		defer engine.Close()
		// One that stands still is what a fault leaves whose rig was killed: it is healed, and not half dead.
		if _, err := engine.ContainerPause(t.Context(), "chaos-warm-kafka-1", client.ContainerPauseOptions{}); err != nil {
			t.Fatal(err)
		}
		says(t, 0, calm(), "healed what a killed run left harmed: kafka-1", "AS EXPECTED")
		for _, c := range []struct {
			do   func() error
			want string
		}{
			{func() error {
				_, err := engine.ContainerKill(t.Context(), "chaos-warm-kafka-1", client.ContainerKillOptions{})
				return err
			}, "kafka-1: its container exited with 137"},
			{func() error {
				_, err := engine.ContainerRemove(t.Context(), "chaos-warm-kafka-1", client.ContainerRemoveOptions{Force: true})
				return err
			}, "kafka-1: its container was removed"},
		} {
			if err := c.do(); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{calm(), {"up"}} {
				says(t, controller.ExitRig, args, "the warm cluster is half dead\n", c.want, "cassandra-1: it answers", "chaos down removes it")
			}
			says(t, controller.ExitRig, []string{"doctor"}, "BROKEN: 1 of ", c.want, "chaos down, and then chaos up")
		}
		says(t, 0, []string{"down"}, "DOWN: removed chaos-warm-cassandra-1, network chaos-")
		says(t, 0, []string{"down"}, "DOWN already: there is no warm cluster")
	})
}

// alter changes tables past the rig.
func alter(t *testing.T, s servers, statements ...string) {
	t.Helper()
	host, port, err := net.SplitHostPort(s.cassandra)
	if err != nil {
		t.Fatal(err)
	}
	c := gocql.NewCluster(host)
	if c.Port, err = strconv.Atoi(port); err != nil {
		t.Fatal(err)
	}
	session, err := c.CreateSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, statement := range statements {
		if err := session.Query(statement).ExecContext(t.Context()); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// TestContainersKeep: --keep leaves the servers of a run that came to its end for the next one, and of no other.
func TestContainersKeep(t *testing.T) {
	enginetest.Need(t)
	k := &killing{t: t, binary: build(t)}
	ownWarmCluster(t)

	t.Run("interrupted up", func(t *testing.T) {
		r := startRig(t, k.binary, "up")
		r.until("both containers", func() bool { return madeContainers(left(t, r)) == 2 })
		interrupted(t, r)
	})
	k.t = t
	first := k.start("calm", "--keep", "--arm", "cassandra/cas")
	if code, by := first.end(patience); code != 0 || !strings.Contains(first.said(), "kept the servers for the next run") {
		t.Fatalf("exit %d, signal %s\n%s", code, by, first.said())
	}
	if n := madeContainers(left(t, first)); n != 2 {
		t.Errorf("kept %d containers", n)
	}
	// Kept, they are nobody's: their owner is dead, and still no start takes them for what it left.
	kept := warmServers(t)
	if made := kept.of(t, first); len(made.Keyspaces)+len(made.Topics) > 0 {
		t.Errorf("the run left on the servers that it kept: %+v", made)
	}
	began := time.Now()
	says(t, 0, []string{"run", "calm", "--cluster", "containers", "--keep", "--arm", "cassandra/cas", "--out", t.TempDir()},
		"using the warm cluster, up for ")
	t.Logf("calm on the warm cluster: %.1f s", time.Since(began).Seconds())

	t.Run("interrupted with --keep", func(t *testing.T) {
		k.t = t
		r := k.start("testdata/live.yaml", "--cold", "--keep")
		r.until("its run", func() bool { return holds(r.history("live", "cas"), "\n") })
		interrupted(t, r)
	})
	t.Run("there is another", func(t *testing.T) {
		k.t = t
		r := k.start("calm", "--cold", "--keep", "--arm", "cassandra/cas")
		if code, _ := r.end(patience); code != 0 || !strings.Contains(r.said(), containers.ErrOtherWarm.Error()+": removed the servers of this run") {
			t.Errorf("exit %d\n%s", code, r.said())
		}
		if things := left(t, r); len(things) > 0 {
			t.Errorf("left: %v", things)
		}
	})
	var d struct{ Removed []string }
	if err := json.Unmarshal([]byte(says(t, 0, []string{"down", "--json"})), &d); err != nil || len(d.Removed) != 4 {
		t.Errorf("%v, removed %v", err, d.Removed)
	}
	if things := left(t, k.all...); len(things) > 0 {
		t.Errorf("at the end there is still: %v", things)
	}
}
