package search

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// size is how large a scenario is: each member has a partition.
type size struct{ members, keys, events int }

// quiet is a scenario of that size in which nothing is done to anybody.
func quiet(tb testing.TB, z size) *scenarios.Scenario {
	tb.Helper()
	text := fmt.Sprintf(`
name: quiet
about: Nothing goes wrong.
input: {partitions: %d, keys: %d, stages: [{events: 1-%d}]}
workers:
  all: {max-poll-interval: 10s, session-timeout: 3s, heartbeat-interval: 100ms, max-poll-records: 5, persist-every: 0s, commit-every: 0s}
plan:
`, z.members, z.keys, z.events)
	for i := range z.members {
		text += fmt.Sprintf("  - {start: w%d}\n", i)
	}
	s, err := scenarios.Parse("quiet.yaml", []byte(text+"expect: {cassandra/cas: {holds: all}}\n"), controller.Vocabulary())
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// growing are scenarios of which one thing grows; events grow with members, as each has its own.
var growing = []struct {
	of string
	at func(times int) size
}{
	{"events", func(n int) size { return size{2, 16, 200 * n} }},
	{"keys", func(n int) size { return size{2, 16 * n, 1600} }},
	{"members", func(n int) size { return size{2 * n, 16 * n, 200 * n} }},
}

// BenchmarkGrowth prints how long an event of the history takes, from the first draw to the verdict, in scenarios that
// are 1, 2, 4 and 8 times as large, and how many times as long as in the first: near 1 is near-linear.
func BenchmarkGrowth(b *testing.B) {
	for _, g := range growing {
		first := 0.0
		for _, times := range []int{1, 2, 4, 8} {
			s := quiet(b, g.at(times))
			b.Run(fmt.Sprintf("%s/%dx", g.of, times), func(b *testing.B) {
				began := processorTime(b)
				events := runMany(b, s, persistence.CassandraCAS, b.N)
				each := float64((processorTime(b) - began).Nanoseconds()) / float64(events)
				if times == 1 {
					first = each
				}
				b.ReportMetric(each/float64(time.Microsecond), "µs/event")
				b.ReportMetric(each/first, "times-1x")
				b.ReportMetric(float64(events)/float64(b.N), "events/schedule")
			})
		}
	}
}

// What is allocated an event stays what it is when scenarios grow. (Of the time a busy machine says nothing.)
func TestGrowthIsLinear(t *testing.T) {
	for _, g := range growing {
		allocated := func(times int) float64 {
			s := quiet(t, g.at(times))
			runMany(t, s, persistence.CassandraCAS, 1)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			events := runMany(t, s, persistence.CassandraCAS, 1)
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc-before.TotalAlloc) / float64(events)
		}
		small, large := allocated(1), allocated(8)
		t.Logf("%s: %.0f bytes an event, and %.0f in a scenario 8 times as large", g.of, small, large)
		if large > 1.5*small {
			t.Errorf("it grows with %s", g.of)
		}
	}
}
