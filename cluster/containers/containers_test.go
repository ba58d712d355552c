package containers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/moby/moby/client"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/enginetest"
	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/cluster/containers/owner"
	"github.com/single-writer/chaos/cluster/containers/ready"
)

// TestMain runs, in a child process of a test, a start that is to be killed.
func TestMain(m *testing.M) {
	if run := os.Getenv("CHAOS_TEST_START"); run != "" {
		_, err := Start(context.Background(), Options{Run: run, Kafka: 3, Cassandra: 3, Log: func(line string) { fmt.Println(line) }})
		fmt.Println("started:", err)
		select {}
	}
	os.Exit(m.Run())
}

// engine returns a client of the engine. Without one, or without images, the test is skipped, or failed where they must be
// there.
func testEngine(t *testing.T) *client.Client {
	t.Helper()
	enginetest.Need(t)
	e, err := images.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	for _, kind := range []images.Kind{images.Kafka, images.Cassandra} {
		if _, err := images.Resolve(t.Context(), kind, ""); err != nil {
			enginetest.Missing(t, "no image: %v", err)
		}
	}
	return e
}

// of lists the names of all containers and networks of a run.
func of(t *testing.T, e *client.Client, run string) (names []string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	filter := client.Filters{}.Add("label", owner.LabelRun+"="+run)
	containers, err := e.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filter})
	if err != nil {
		t.Fatal(err)
	}
	networks, err := e.NetworkList(ctx, client.NetworkListOptions{Filters: filter})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range containers.Items {
		names = append(names, c.Names...)
	}
	for _, n := range networks.Items {
		names = append(names, n.Name)
	}
	return names
}

func TestContainersStartAndClose(t *testing.T) {
	e := testEngine(t)
	for _, n := range []int{1, 3} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			s, err := Start(t.Context(), Options{Kafka: n, Cassandra: n, Log: func(line string) { t.Log(line) }})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(context.WithoutCancel(t.Context()))
			t.Logf("timings: %+v", s.Timings)
			enginetest.Ran(t, s.KafkaVersion, s.CassandraVersion)
			if s.KafkaVersion != images.KafkaVersion || s.CassandraVersion != images.CassandraVersion {
				t.Errorf("versions: Kafka %s, Cassandra %s", s.KafkaVersion, s.CassandraVersion)
			}
			if got := of(t, e, s.Run); len(got) != 2*n+2 {
				t.Errorf("the run has %v, want %d containers and two networks", got, 2*n)
			}
			labelled(t, e, s)
			kafkaKnowsItsProperties(t, engine{e}, s)
			brokersHaveEachOther(t, s)
			nodesHaveEachOther(t, s)
			keepsItsAddresses(t, e, s)

			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if left := of(t, e, s.Run); len(left) > 0 {
				t.Errorf("Close left %v", left)
			}
			if err := s.Close(t.Context()); err != nil {
				t.Errorf("a second Close: %v", err)
			}
		})
	}
}

// labelled looks whether each server is found by its name, and is where the start says.
func labelled(t *testing.T, e *client.Client, s *Servers) {
	t.Helper()
	found, err := things(t.Context(), e, owner.LabelRun+"="+s.Run)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range s.All() {
		i := slices.IndexFunc(found, func(t thing) bool { return t.labels[owner.LabelServer] == v.Name })
		if i < 0 || found[i].id != v.Container {
			t.Errorf("no container of run %s is labelled as %s, or another than %s", s.Run, v.Name, v.Container)
			continue
		}
		c, err := e.ContainerInspect(t.Context(), v.Container, client.ContainerInspectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]string{}
		for _, n := range c.Container.NetworkSettings.Networks {
			at[n.NetworkID] = n.IPAddress.String()
		}
		if at[s.PeerNetwork] != v.Peer || len(at) != 2 || at[s.ClientNetwork] == "" {
			t.Errorf("%s is at %v, and should be at %s of %s, and on %s", v.Name, at, v.Peer, s.PeerNetwork, s.ClientNetwork)
		}
	}
}

// brokersHaveEachOther makes a topic, which must be on all brokers and survive the loss of one; the start's own is gone.
func brokersHaveEachOther(t *testing.T, s *Servers) {
	t.Helper()
	for _, b := range s.Kafka {
		kafka, err := kgo.NewClient(kgo.SeedBrokers(b.Client), kgo.MetadataMinAge(10*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		defer kafka.Close()
		admin := kadm.NewClient(kafka)
		metadata, err := admin.Metadata(t.Context())
		if err != nil || len(metadata.Brokers) != len(s.Kafka) {
			t.Errorf("%s answered %v, %v", b.Name, metadata.Brokers, err)
		}
		if topics := slices.DeleteFunc(metadata.Topics.Names(), func(name string) bool { return strings.HasPrefix(name, "__") }); len(topics) > 0 {
			t.Errorf("the start left the topics %v", topics)
		}
		if _, err := admin.CreateTopic(t.Context(), 1, -1, nil, b.Name); err != nil {
			t.Fatal(err)
		}
		configs, err := admin.DescribeTopicConfigs(t.Context(), b.Name, "__consumer_offsets")
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"min.insync.replicas": strconv.Itoa(max(1, len(s.Kafka)-1)), "unclean.leader.election.enable": "false"}
		for _, topic := range configs {
			for _, c := range topic.Configs {
				if w := want[c.Key]; w != "" && c.MaybeValue() != w {
					t.Errorf("%s has %s=%s, not %s", topic.Name, c.Key, c.MaybeValue(), w)
				}
			}
		}
		topics, err := admin.ListTopics(t.Context(), b.Name)
		if err != nil || len(topics[b.Name].Partitions[0].Replicas) != len(s.Kafka) {
			t.Errorf("a new topic is on %v, %v", topics[b.Name].Partitions, err)
		}
		if _, err := admin.DeleteTopic(t.Context(), b.Name); err != nil {
			t.Error(err)
		}
	}
}

// nodesHaveEachOther writes by each node what all nodes must have, and reads it by each.
func nodesHaveEachOther(t *testing.T, s *Servers) {
	t.Helper()
	for i, n := range s.Cassandra {
		config := gocql.NewCluster(n.host())
		config.HostFilter, config.Consistency = gocql.WhiteListHostFilter(n.host()), gocql.All
		session, err := config.CreateSession()
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		statements := []string{fmt.Sprintf("INSERT INTO k.t (k) VALUES (%d) IF NOT EXISTS", i)}
		if i == 0 {
			statements = append([]string{fmt.Sprintf("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': %d}",
				len(s.Cassandra)), "CREATE TABLE k.t (k int PRIMARY KEY)"}, statements...)
		}
		for _, statement := range statements {
			if err := session.Query(statement).ExecContext(t.Context()); err != nil {
				t.Errorf("%s: %s: %v", n.Name, statement, err)
			}
		}
		var rows int
		if err := session.Query("SELECT count(*) FROM k.t").ScanContext(t.Context(), &rows); err != nil || rows != i+1 {
			t.Errorf("%s has %d rows of %d: %v", n.Name, rows, i+1, err)
		}
	}
}

// keepsItsAddresses kills the last broker and the last node, and starts them again: clients and peers must find them where they
// were.
func keepsItsAddresses(t *testing.T, e *client.Client, s *Servers) {
	t.Helper()
	for _, v := range []Server{s.Cassandra[len(s.Cassandra)-1], s.Kafka[len(s.Kafka)-1]} {
		if _, err := e.ContainerKill(t.Context(), v.Container, client.ContainerKillOptions{Signal: "SIGKILL"}); err != nil {
			t.Fatal(err)
		}
		if _, err := e.ContainerStart(t.Context(), v.Container, client.ContainerStartOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	if _, err := (engine{e}).awaitBrokers(t.Context(), time.Minute, s.KafkaImage, ready.Kafka.Wait, s.Kafka...); err != nil {
		t.Error(err)
	}
	for _, n := range s.Cassandra {
		if _, _, err := (engine{e}).awaitNode(t.Context(), time.Minute, s.CassandraImage, n, len(s.Cassandra)-1); err != nil {
			t.Error(err)
		}
	}
	labelled(t, e, s)
	t.Logf("killed and back after %.1f s", time.Since(began).Seconds())
}

// kafkaKnowsItsProperties looks for each property of our file among those that the broker says it
// knows: it ignores a misspelt one without a word.
func kafkaKnowsItsProperties(t *testing.T, st engine, s *Servers) {
	t.Helper()
	log, err := st.log(t.Context(), s.Kafka[0].Container, "all")
	if err != nil {
		t.Fatal(err)
	}
	files, err := definition.Kafka{Node: 1, Peers: slices.Repeat([]string{"any"}, len(s.Kafka)), Advertised: "any", ClusterID: "any"}.Files()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Path, "server.properties") {
			continue
		}
		for line := range strings.Lines(string(f.Content)) {
			key, _, ok := strings.Cut(line, "=")
			if !ok || strings.HasPrefix(line, "#") {
				continue
			}
			checked++
			if !strings.Contains(log, "\t"+key+" = ") {
				t.Errorf("Kafka does not know the property %s", key)
			}
		}
	}
	if checked == 0 {
		t.Error("no property was checked")
	}
}

func TestContainersTwoStartsAtATime(t *testing.T) {
	testEngine(t)
	if testing.Short() {
		t.Skip("starts four servers")
	}
	type result struct {
		s   *Servers
		err error
	}
	results := make(chan result)
	for range 2 {
		go func() {
			s, err := Start(t.Context(), Options{})
			results <- result{s, err}
		}()
	}
	seen := map[string]bool{}
	for range 2 {
		r := <-results
		if r.err != nil {
			t.Error(r.err)
			continue
		}
		defer r.s.Close(context.WithoutCancel(t.Context()))
		for _, v := range r.s.All() {
			if seen[v.Client] || seen[v.Peer] {
				t.Errorf("both have %s or %s", v.Client, v.Peer)
			}
			seen[v.Client], seen[v.Peer] = true, true
		}
	}
}

func TestContainersWarm(t *testing.T) {
	e := testEngine(t)
	if _, err := FindWarm(t.Context(), Options{}); !errors.Is(err, ErrNoWarm) {
		t.Skip("somebody's warm servers run, and might be found for ours: ", err)
	}
	started, err := Start(t.Context(), Options{Warm: true, Kafka: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer removeRun(context.WithoutCancel(t.Context()), e, started.Run)
	if _, err := FindWarm(t.Context(), Options{}); !errors.Is(err, ErrNoWarm) {
		t.Errorf("servers that nobody has kept yet: got %v", err)
	}
	if err := errors.Join(started.makeWarm(t.Context()), started.Detach()); err != nil {
		t.Error(err)
	}
	found, err := FindWarm(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	started.Timings, started.Started = found.Timings, found.Started
	if diff := cmp.Diff(started, found, cmpopts.IgnoreUnexported(Servers{})); diff != "" {
		t.Errorf("started (-) and found (+) differ:\n%s", diff)
	}
	t.Logf("found in %v", found.Timings.Total)
	for _, needed := range []Options{{Cassandra: 3}, {Kafka: 3, Cassandra: 3}} {
		_, err := FindWarm(t.Context(), needed)
		if small, ok := errors.AsType[*cluster.TooSmall](err); !ok || small.There != found.Size() {
			t.Errorf("asked for more than there is: %v", err)
		}
	}
	leftHarmed(t, found)
	if removed, err := sweep(t.Context(), e); err != nil || len(of(t, e, started.Run)) != 6 {
		t.Errorf("a sweep touched warm servers: %v, %v", removed, err)
	}
	if err := found.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if left := of(t, e, started.Run); len(left) > 0 {
		t.Errorf("Close left %v", left)
	}
}

func TestContainersCancelledStartLeavesNothing(t *testing.T) {
	e := testEngine(t)
	for _, at := range []string{"starting", "answers"} {
		run := randomID()
		ctx, cancel := context.WithCancel(t.Context())
		s, err := Start(ctx, Options{Run: run, Log: func(line string) {
			if strings.Contains(line, at) {
				cancel()
			}
		}})
		cancel()
		if err == nil {
			// Both servers answered at the same moment.
			s.Close(t.Context())
			continue
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at %q: got %v", at, err)
		}
		if left := of(t, e, run); len(left) > 0 {
			t.Errorf("cancelled at %q: left %v", at, left)
		}
	}
}

func TestContainersNotReadyInTime(t *testing.T) {
	e := testEngine(t)
	run := randomID()
	_, err := Start(t.Context(), Options{Run: run, Patience: 1500 * time.Millisecond})
	if _, ok := errors.AsType[*NotReadyError](err); !ok || !strings.Contains(err.Error(), "no good answer in") {
		t.Fatalf("got %v", err)
	}
	if left := of(t, e, run); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// A server that ends at once must be told of at once, not after the whole patience.
func TestContainersEarlyExit(t *testing.T) {
	testEngine(t)
	began := time.Now()
	// The Cassandra image has no Kafka: its start script fails.
	_, err := Start(t.Context(), Options{KafkaImage: cassandraRef(t)})
	notReady, ok := errors.AsType[*NotReadyError](err)
	if !ok || notReady.Server != "kafka-1" || !strings.Contains(err.Error(), "exited with 1") || len(notReady.Log) == 0 {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("told after %v", took)
	}
}

func cassandraRef(t *testing.T) string {
	t.Helper()
	i, err := images.Resolve(t.Context(), images.Cassandra, "")
	if err != nil {
		t.Fatal(err)
	}
	return i.Ref
}

func TestContainersTakenPort(t *testing.T) {
	e := testEngine(t)
	self, err := owner.Self()
	if err != nil {
		t.Fatal(err)
	}
	run := randomID()
	s := &starter{engine: engine{e}, labels: self.Labels(run), networks: networksOf(run)}
	defer removeRun(t.Context(), e, run)
	if err := s.networks.make(t.Context(), s.engine, s.labels); err != nil {
		t.Fatal(err)
	}
	sleeper := func(number, port int) error {
		_, err := s.run(t.Context(), server{number: number, image: cassandraRef(t), entrypoint: []string{"sleep", "60"}, port: 9092, hostPort: port})
		return err
	}

	program, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := program.Addr().(*net.TCPAddr).Port
	if err := sleeper(1, port); !portTaken(err) {
		t.Errorf("a program has the port: got %v", err)
	}
	program.Close()
	if err := sleeper(1, port); err != nil {
		t.Errorf("the port is free, and the name again: got %v", err)
	}
	if err := sleeper(2, port); !portTaken(err) {
		t.Errorf("a container has the port: got %v", err)
	}
}

func TestNoEngine(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	for name, call := range map[string]func() error{
		"Start":    func() error { _, err := Start(t.Context(), Options{}); return err },
		"FindWarm": func() error { _, err := FindWarm(t.Context(), Options{}); return err },
		"Down":     func() error { _, err := Down(t.Context(), Options{}, false); return err },
	} {
		err := call()
		if _, none := errors.AsType[*images.NoEngineError](err); !none {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
