package proxy_test

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/single-writer/chaos/cluster/clients/wire"
	"github.com/single-writer/chaos/cluster/clients/wire/proxy"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// before makes a proxy before one server.
func before(t testing.TB, make func(proxy.Config) (*proxy.Proxy, error), server string, listen func(int, string) string) *proxy.Proxy {
	t.Helper()
	p, err := make(proxy.Config{Servers: []string{server}, Listen: listen, Log: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func arm(t *testing.T, p *proxy.Proxy, who string, r workload.Rule) *wire.Armed {
	t.Helper()
	a, err := p.Rules.Arm(who, r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestContainersProxy: plain clients, which know nothing of the rig, work through the proxy and nowhere else, and what rules make of
// their requests is true at the servers.
func TestContainersProxy(t *testing.T) {
	s := containerstest.Start(t)
	t.Run("kafka", func(t *testing.T) { ofKafka(t, s.Kafka[0].Client) })
	for _, version := range []int{4, 5} {
		t.Run("cassandra "+strconv.Itoa(version), func(t *testing.T) { ofCassandra(t, s.Cassandra[0].Client, version) })
	}
}

func ofKafka(t *testing.T, server string) {
	p := before(t, proxy.Kafka, server, proxy.APortEach)
	direct := func(_ context.Context, _, host string) (net.Conn, error) {
		if host == server {
			return nil, errors.New("the client was told of the server's own address")
		}
		return net.Dial("tcp", host)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(p.Addrs()...), kgo.ClientID("theirs"), kgo.Dialer(direct), kgo.AllowAutoTopicCreation(),
		kgo.ConsumerGroup("theirs"), kgo.ConsumeTopics("theirs"), kgo.DisableAutoCommit(), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.RetryTimeout(3*time.Second), kgo.RequestTimeoutOverhead(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := kadm.NewClient(cl).CreateTopic(ctx, 1, 1, nil, "theirs"); err != nil {
		t.Fatal(err)
	}
	if err := cl.ProduceSync(ctx, &kgo.Record{Topic: "theirs", Value: []byte("v")}, &kgo.Record{Topic: "theirs", Value: []byte("w")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	var records []*kgo.Record
	for len(records) < 2 && ctx.Err() == nil {
		records = append(records, cl.PollFetches(ctx).Records()...)
	}
	other, err := kgo.NewClient(kgo.SeedBrokers(server))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	committed := func() int64 {
		all, err := kadm.NewClient(other).FetchOffsets(ctx, "theirs")
		if err != nil {
			t.Fatal(err)
		}
		o, ok := all.Lookup("theirs", 0)
		if !ok {
			return 0
		}
		return o.At
	}
	// By a raw request, which is sent once: the client's own way sends it again.
	member, generation := cl.GroupMetadata()
	commit := func(at int64) error { return commitOnce(ctx, cl, "theirs", member, generation, at) }
	for _, c := range []struct {
		rule workload.Rule
		at   int64
		want int64
	}{
		{workload.Rule{Way: workload.Request, Do: workload.Drop}, 1, 0}, {workload.Rule{Way: workload.Request, Do: workload.Cut}, 1, 0},
		{workload.Rule{Way: workload.Answer, Do: workload.Drop}, 1, 1}, {workload.Rule{Way: workload.Answer, Do: workload.Cut}, 2, 2},
	} {
		c.rule.Message, c.rule.Nth = "OffsetCommit", 1
		armed := arm(t, p, "theirs", c.rule)
		if err := commit(c.at); err == nil {
			t.Errorf("%s: its client was answered", c.rule)
		}
		if proof, err := armed.Await(ctx); err != nil || !strings.Contains(proof, c.rule.Struck("")) {
			t.Errorf("%s: proof %q, %v", c.rule, proof, err)
		}
		if got := committed(); got != c.want {
			t.Errorf("%s: committed is %d, not %d", c.rule, got, c.want)
		}
	}
	if err := commit(2); err != nil {
		t.Errorf("after all: %v", err)
	}
}

func ofCassandra(t *testing.T, server string, version int) {
	p := before(t, proxy.Cassandra, server, proxy.AnAddressEach)
	connect := func(address string) *gocql.Session {
		host, port, _ := net.SplitHostPort(address)
		c := gocql.NewCluster(host)
		c.Port, _ = strconv.Atoi(port)
		c.ProtoVersion, c.Timeout, c.Consistency = version, 3*time.Second, gocql.Quorum
		if address != server {
			c.Dialer = dialer(func(_ context.Context, _, address string) (net.Conn, error) {
				if address == server {
					return nil, errors.New("the driver was told of the server's own address")
				}
				return net.Dial("tcp", address)
			})
		}
		s, err := c.CreateSession()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	theirs, ours := connect(p.Addrs()[0]), connect(server)
	keyspace := "theirs_" + strconv.Itoa(version)
	for _, cql := range []string{
		"CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
		"CREATE TABLE " + keyspace + ".t (k int PRIMARY KEY, v int)",
	} {
		if err := theirs.Query(cql).Exec(); err != nil {
			t.Fatal(err)
		}
	}
	insert := "INSERT INTO " + keyspace + ".t (k, v) VALUES (?, ?) IF NOT EXISTS"
	if applied, err := theirs.Query(insert, 0, 0).ScanCAS(); err != nil || !applied {
		t.Fatalf("without rules: %v, %v", applied, err)
	}
	for i, c := range []struct {
		rule workload.Rule
		want bool
	}{
		{workload.Rule{Way: workload.Request, Do: workload.Drop}, false}, {workload.Rule{Way: workload.Answer, Do: workload.Drop}, true},
		{workload.Rule{Way: workload.Request, Do: workload.Cut}, false}, {workload.Rule{Way: workload.Answer, Do: workload.Cut}, true},
	} {
		c.rule.Message, c.rule.Nth = "insert-if-not-exists", 1
		armed := arm(t, p, driverName, c.rule)
		if _, err := theirs.Query(insert, i+1, i+1).ScanCAS(); err == nil {
			t.Errorf("%s: its client was answered", c.rule)
		}
		if proof, err := armed.Await(t.Context()); err != nil || !strings.Contains(proof, c.rule.Struck("")) {
			t.Errorf("%s: proof %q, %v", c.rule, proof, err)
		}
		var n int
		if err := ours.Query("SELECT COUNT(*) FROM "+keyspace+".t WHERE k = ?", i+1).Scan(&n); err != nil || (n == 1) != c.want {
			t.Errorf("%s: %d rows, %v", c.rule, n, err)
		}
	}
	for until := time.Now().Add(10 * time.Second); theirs.Query("SELECT v FROM "+keyspace+".t WHERE k = 0").Exec() != nil; {
		if time.Now().After(until) {
			t.Fatal("after all the driver does not find its way back")
		}
	}
}

// driverName is what a driver is called that does not say: this one does not know its name in a test.
const driverName = "nameless"

type dialer func(ctx context.Context, network, address string) (net.Conn, error)

func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return d(ctx, network, address)
}
