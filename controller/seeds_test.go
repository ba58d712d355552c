package controller

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// bytesOf is the history as its file would have it.
func bytesOf(t testing.TB, h *history.History) []byte {
	t.Helper()
	b, err := history.AppendHeader(nil, h.Header)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range h.Events {
		if b, err = history.AppendLine(b, e); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// order is what makes two schedules different: who did what, in which order, whatever the times.
func order(h *history.History) string {
	var b strings.Builder
	for _, e := range h.Events {
		point := ""
		if v, ok := e.Value.(*history.PointReached); ok {
			point = v.Point
		}
		fmt.Fprintf(&b, "%s %s %s %s\n", e.Process, e.Type, e.F, point)
	}
	return b.String()
}

// TestSeeds runs many schedules of each scenario: they differ, each comes out as stated, and each repeats to the byte, on
// one processor and on two. Two scenarios, with the fence and without, get two hundred; the others a fair share of that, so
// that all of it stays a matter of a minute or two under the race detector.
func TestSeeds(t *testing.T) {
	for _, s := range catalogue(t) {
		for _, arm := range s.Arms() {
			seeds, distinct := int64(30), 22
			if (s.Name == "calm" || s.Name == "stale-periodic-flush") && arm != persistence.CassandraCASPersist {
				seeds, distinct = 200, 150
			}
			if slices.Contains(racing, s.Name) {
				seeds, distinct = 10, 10
			}
			t.Run(s.Name+"/"+arm, func(t *testing.T) {
				orders := map[string]bool{}
				for seed := range seeds {
					h := execute(t, sim.Cluster{}, s, arm, seed)
					stated(t, s, h)
					orders[order(h)] = true
					want := bytesOf(t, h)
					for _, processors := range []int{1, 2} {
						before := runtime.GOMAXPROCS(processors)
						again := bytesOf(t, execute(t, sim.Cluster{}, s, arm, seed))
						runtime.GOMAXPROCS(before)
						if !bytes.Equal(want, again) {
							t.Errorf("seed %d gives another history the second time, on %d processors", seed, processors)
						}
					}
				}
				if len(orders) < distinct {
					t.Errorf("%d of %d seeds gave distinct schedules; at least %d should", len(orders), seeds, distinct)
				}
				t.Logf("%d distinct schedules of %d seeds", len(orders), seeds)
			})
		}
	}
}

// processorTime is what this process has used of the processors: on a busy machine the clock says nothing.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkSchedule is one schedule: a run, its history in memory, and its verdict. It reports schedules a second.
func BenchmarkSchedule(b *testing.B) {
	for _, name := range []string{"calm", "stale-periodic-flush", "overlap-random"} {
		s := find(b, name)
		for _, arm := range s.Arms() {
			b.Run(name+"/"+arm, func(b *testing.B) {
				e, _ := s.Expectation(arm)
				b.ReportAllocs()
				var events int
				began := processorTime(b)
				for i := range b.N {
					h := execute(b, sim.Cluster{}, s, arm, int64(i))
					if v := Judge(h, e); !v.Expected {
						b.Fatalf("seed %d: %v", i, v.Deviations)
					}
					events += len(h.Events)
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "schedules/s")
				b.ReportMetric(float64(b.N)/(processorTime(b)-began).Seconds(), "schedules/cpu-s")
				b.ReportMetric(float64(events)/float64(b.N), "events/schedule")
			})
		}
	}
}
