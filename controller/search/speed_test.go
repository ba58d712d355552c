package search

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// processorTime is what this process has used of the processors: on a busy machine the clock says nothing.
func processorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// runMany does so many schedules as a search does: a run, its history in memory that serves all, and its verdict. It gives
// the number of events.
func runMany(tb testing.TB, s *scenarios.Scenario, arm string, n int) (events int) {
	tb.Helper()
	a, err := persistence.NewArm(arm, nil)
	if err != nil {
		tb.Fatal(err)
	}
	var room history.Memory
	for i := range n {
		for _, f := range (work{controller.NewJob(s, a, int64(i)),
			Place{Cluster: sim.Cluster{}}}).judged(context.Background(), &room) {
			if !f.Allowed {
				tb.Fatalf("seed %d: %s", i, f.Sentence)
			}
		}
		events += len(room.Events)
	}
	return events
}

// BenchmarkSchedule reports schedules a second. The small scenario is stale-periodic-flush.
func BenchmarkSchedule(b *testing.B) {
	for _, name := range []string{"calm", "stale-periodic-flush", "overlap-random"} {
		s := runtest.Find(b, name)
		for _, arm := range s.Arms() {
			b.Run(name+"/"+arm, func(b *testing.B) {
				b.ReportAllocs()
				began := processorTime(b)
				events := runMany(b, s, arm, b.N)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "schedules/s")
				b.ReportMetric(float64(b.N)/(processorTime(b)-began).Seconds(), "schedules/cpu-s")
				b.ReportMetric(float64(events)/float64(b.N), "events/schedule")
			})
		}
	}
}
