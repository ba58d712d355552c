package containers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/moby/moby/client"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/enginetest"
	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/cluster/containers/owner"
)

// TestMain runs, in a child process of a test, a start that is to be killed.
func TestMain(m *testing.M) {
	if run := os.Getenv("CHAOS_TEST_START"); run != "" {
		_, err := Start(context.Background(), Options{Run: run, Log: func(line string) { fmt.Println(line) }})
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
	s, err := Start(t.Context(), Options{Log: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.WithoutCancel(t.Context()))
	t.Logf("timings: %+v", s.Timings)
	enginetest.Ran(t, s.KafkaVersion, s.CassandraVersion)
	if s.KafkaVersion != images.KafkaVersion || s.CassandraVersion != images.CassandraVersion {
		t.Errorf("versions: Kafka %s, Cassandra %s", s.KafkaVersion, s.CassandraVersion)
	}
	if got := of(t, e, s.Run); len(got) != 3 {
		t.Errorf("the run has %v, want two containers and a network", got)
	}

	kafkaKnowsItsProperties(t, engine{e}, s)

	kafka, err := kgo.NewClient(kgo.SeedBrokers(s.KafkaAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer kafka.Close()
	metadata, err := kadm.NewClient(kafka).Metadata(t.Context())
	if err != nil || len(metadata.Brokers) != 1 {
		t.Errorf("Kafka answered %v, %v", metadata.Brokers, err)
	}
	for topic := range metadata.Topics {
		if !strings.HasPrefix(topic, "__") {
			t.Errorf("the start left the topic %s", topic)
		}
	}

	config := gocql.NewCluster(s.CassandraHost)
	config.Port = s.CassandraPort
	session, err := config.CreateSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if err := session.Query("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}").ExecContext(t.Context()); err != nil {
		t.Errorf("Cassandra: %v", err)
	}

	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if left := of(t, e, s.Run); len(left) > 0 {
		t.Errorf("Close left %v", left)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

// kafkaKnowsItsProperties looks for each property of our file among those that the broker says it
// knows: it ignores a misspelt one without a word.
func kafkaKnowsItsProperties(t *testing.T, st engine, s *Servers) {
	t.Helper()
	log, err := st.log(t.Context(), s.KafkaContainer, "all")
	if err != nil {
		t.Fatal(err)
	}
	files, err := definition.Kafka{Advertised: s.KafkaAddr, ClusterID: "any"}.Files()
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
		if seen[r.s.KafkaAddr] || seen[r.s.CassandraHost] {
			t.Errorf("both have %s or %s", r.s.KafkaAddr, r.s.CassandraHost)
		}
		seen[r.s.KafkaAddr], seen[r.s.CassandraHost] = true, true
	}
}

func TestContainersWarm(t *testing.T) {
	e := testEngine(t)
	if _, err := FindWarm(t.Context(), Options{}); !errors.Is(err, ErrNoWarm) {
		t.Skip("somebody's warm servers run, and might be found for ours: ", err)
	}
	started, err := Start(t.Context(), Options{Warm: true})
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
	if removed, err := sweep(t.Context(), e); err != nil || len(of(t, e, started.Run)) != 3 {
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
	if !ok || notReady.Server != "Kafka" || !strings.Contains(err.Error(), "exited with 1") || len(notReady.Log) == 0 {
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
	s := &starter{engine: engine{e}, labels: self.Labels(run), network: networkOf(run)}
	defer removeRun(t.Context(), e, run)
	if _, err := s.engine.createNetwork(t.Context(), s.network, s.labels); err != nil {
		t.Fatal(err)
	}
	sleeper := func(name string, port int) error {
		_, err := s.run(t.Context(), server{name: name, image: cassandraRef(t), entrypoint: []string{"sleep", "60"}, port: 9092, hostPort: port})
		return err
	}

	program, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := program.Addr().(*net.TCPAddr).Port
	if err := sleeper("a", port); !portTaken(err) {
		t.Errorf("a program has the port: got %v", err)
	}
	program.Close()
	if err := sleeper("a", port); err != nil {
		t.Errorf("the port is free, and the name again: got %v", err)
	}
	if err := sleeper("b", port); !portTaken(err) {
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
