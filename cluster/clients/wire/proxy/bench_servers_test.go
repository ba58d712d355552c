package proxy_test

import (
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/single-writer/chaos/cluster/clients/wire/proxy"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
)

// BenchmarkContainersProxy: what a real server gives through the proxy against the direct way, in turn: a topic read from its
// beginning, and rows read by eight at a time. The ratios should be at least 0.8.
func BenchmarkContainersProxy(b *testing.B) {
	s := containerstest.Start(b)
	kafka, cassandra := s.Kafka[0].Client, s.Cassandra[0].Client
	filled(b, kafka)
	rows := table(b, cassandra)
	toKafka, toCassandra := before(b, proxy.Kafka, kafka, proxy.APortEach), before(b, proxy.Cassandra, cassandra, proxy.AnAddressEach)
	through := rowsFrom(b, toCassandra.Addrs()[0])
	ways := map[string]*way{}
	timed := func(name string, do func()) {
		began := time.Now()
		do()
		if ways[name] == nil {
			ways[name] = &way{}
		}
		ways[name].took = append(ways[name].took, time.Since(began))
	}
	for b.Loop() {
		timed("kafka direct", func() { readTopic(b, kafka) })
		timed("kafka proxy", func() { readTopic(b, toKafka.Addrs()[0]) })
		timed("rows direct", func() { readRows(b, rows) })
		timed("rows proxy", func() { readRows(b, through) })
	}
	for _, what := range []string{"kafka", "rows"} {
		b.ReportMetric(float64(ways[what+" direct"].median())/float64(ways[what+" proxy"].median()), what+"-proxy/direct")
	}
	b.ReportMetric(0, "ns/op") // both together mean nothing
}

const (
	records    = 500
	recordSize = 64 << 10
)

func client(b *testing.B, server string, opts ...kgo.Opt) *kgo.Client {
	cl, err := kgo.NewClient(append(opts, kgo.SeedBrokers(server))...)
	if err != nil {
		b.Fatal(err)
	}
	return cl
}

// filled makes the topic that is read.
func filled(b *testing.B, server string) {
	cl := client(b, server)
	defer cl.Close()
	if _, err := kadm.NewClient(cl).CreateTopic(b.Context(), 1, 1, nil, "bench"); err != nil {
		b.Fatal(err)
	}
	for range records {
		if err := cl.ProduceSync(b.Context(), &kgo.Record{Topic: "bench", Value: make([]byte, recordSize)}).FirstErr(); err != nil {
			b.Fatal(err)
		}
	}
}

func readTopic(b *testing.B, server string) {
	cl := client(b, server, kgo.ConsumeTopics("bench"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	defer cl.Close()
	for n := 0; n < records; {
		fetched := cl.PollFetches(b.Context())
		if err := fetched.Err(); err != nil {
			b.Fatal(err)
		}
		n += fetched.NumRecords()
	}
}

func rowsFrom(b *testing.B, server string) *gocql.Session {
	host, port, _ := net.SplitHostPort(server)
	c := gocql.NewCluster(host)
	c.Port, _ = strconv.Atoi(port)
	s, err := c.CreateSession()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	return s
}

// table makes the row that is read.
func table(b *testing.B, server string) *gocql.Session {
	s := rowsFrom(b, server)
	for _, cql := range []string{
		"CREATE KEYSPACE bench WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
		"CREATE TABLE bench.t (k int PRIMARY KEY, v blob)",
	} {
		if err := s.Query(cql).Exec(); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Query("INSERT INTO bench.t (k, v) VALUES (1, ?)", make([]byte, 4<<10)).Exec(); err != nil {
		b.Fatal(err)
	}
	return s
}

func readRows(b *testing.B, s *gocql.Session) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				var v []byte
				if err := s.Query("SELECT v FROM bench.t WHERE k = 1").Scan(&v); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}
