package clients_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	gocql2 "github.com/apache/cassandra-gocql-driver/v2"
	gocql1 "github.com/gocql/gocql"

	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// bare does one statement as a program does that has nothing but the driver.
type bare func(verb persistence.Verb, cond persistence.Condition, cql string, values []any) error

// bareLoops make the bare session of each driver, with the rig's settings.
var bareLoops = map[string]func(b *testing.B, s *containers.Servers) bare{
	"gocql1": func(b *testing.B, s *containers.Servers) bare {
		c := gocql1.NewCluster(s.Cassandra[0].Client)
		c.Timeout, c.Consistency, c.SerialConsistency = 5*time.Second, gocql1.Quorum, gocql1.Serial
		session, err := c.CreateSession()
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(session.Close)
		return func(verb persistence.Verb, cond persistence.Condition, cql string, values []any) error {
			q := session.Query(cql, values...)
			return do(verb, cond, q.ScanCAS, q.Scan, q.Exec)
		}
	},
	"gocql2": func(b *testing.B, s *containers.Servers) bare {
		c := gocql2.NewCluster(s.Cassandra[0].Client)
		c.Timeout, c.Consistency, c.SerialConsistency = 5*time.Second, gocql2.Quorum, gocql2.Serial
		session, err := c.CreateSession()
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(session.Close)
		return func(verb persistence.Verb, cond persistence.Condition, cql string, values []any) error {
			q := session.Query(cql, values...)
			return do(verb, cond, q.ScanCAS, q.Scan, q.Exec)
		}
	},
}

func do(verb persistence.Verb, cond persistence.Condition, cas func(...any) (bool, error), scan func(...any) error, exec func() error) error {
	switch {
	case cond != persistence.Always:
		applied, err := cas()
		if err == nil && !applied {
			err = fmt.Errorf("not applied")
		}
		return err
	case verb == persistence.Select:
		var offset *int64
		var metadata *string
		var value []byte
		return scan(&offset, &metadata, &value)
	}
	return exec()
}

// BenchmarkDriver compares what a worker's statement takes through the rig (a call of the seam, a goroutine, the driver behind
// its interface and the connection that can lose an answer, the baton) with a bare loop over the same driver: the same
// statements, on the same server, taken in turn. rig/bare is the ratio of the medians; it should be at most 1.1.
func BenchmarkDriver(b *testing.B) {
	servers := containerstest.Start(b)
	for _, name := range clients.DriverNames() {
		s := containerstest.Connect(b, servers, clients.Driver{Name: name}, "bench_"+name)
		plain := bareLoops[name](b, servers)
		for _, st := range []persistence.Statement{
			{Verb: persistence.Update, If: persistence.IfOffsetAtMost}, {Verb: persistence.Update}, {Verb: persistence.Select},
		} {
			b.Run(name+"/"+st.Form(), func(b *testing.B) { inTurn(b, s, plain, st) })
		}
	}
}

// stamped is the statement on the one row, as the n-th.
func stamped(st persistence.Statement, n int64) persistence.Statement {
	st.Key, st.Offset, st.Metadata, st.Value = "k", n, `{"write":"a/1#1","generation":1}`, []byte(`{"balance":"16.11"}`)
	st.Timestamp = time.Now().UnixMicro()
	return st
}

func inTurn(b *testing.B, s *clients.Servers, plain bare, st persistence.Statement) {
	run := fmt.Sprintf("bench-%d", time.Now().UnixNano())
	w, err := s.Open(b.Context(), run, 1, history.NewMemory(history.Header{}))
	if err != nil {
		b.Fatal(err)
	}
	row := stamped(persistence.Statement{Verb: persistence.Insert, If: persistence.IfNotExists}, 0)
	if _, err := s.Execute(b.Context(), run, row); err != nil {
		b.Fatal(err)
	}
	var rig, loop []time.Duration
	err = w.Board().Run("a/1", func(workload.World) {
		for n := int64(0); b.Loop(); n++ {
			st := stamped(st, n)
			cql, values := s.Text(run, st)
			ways := []func() error{
				func() error { _, _, err := w.Start(st).Await(); return err },
				func() error { return plain(st.Verb, st.If, cql, values) },
			}
			for i := range ways {
				way := (int(n) + i) % len(ways)
				began := time.Now()
				if err := ways[way](); err != nil {
					b.Error(err)
					return
				}
				took := time.Since(began)
				if way == 0 {
					rig = append(rig, took)
				} else {
					loop = append(loop, took)
				}
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := w.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(median(rig).Microseconds()), "rig-µs")
	b.ReportMetric(float64(median(loop).Microseconds()), "bare-µs")
	b.ReportMetric(float64(median(rig))/float64(median(loop)), "rig/bare")
	b.ReportMetric(0, "ns/op") // both together mean nothing
}

func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
