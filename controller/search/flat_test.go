package search

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/workload/persistence"
)

// memory is what the process has at a moment: what lives after a collection, what it has of the system, and goroutines.
type memory struct {
	runs                       int
	took                       time.Duration
	live, resident, goroutines uint64
}

func (m memory) String() string {
	return fmt.Sprintf("%8d schedules %8s %6.1f MB live %6.1f MB resident %3d goroutines", m.runs, m.took.Round(time.Second/10),
		float64(m.live)/1e6, float64(m.resident)/1e6, m.goroutines)
}

func memoryNow(t *testing.T, s Tally) memory {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	out := memory{runs: s.Runs, took: s.Took, live: m.HeapAlloc, goroutines: uint64(runtime.NumGoroutine())}
	if b, err := os.ReadFile("/proc/self/statm"); err == nil { // Linux alone has it
		pages, err := strconv.ParseUint(strings.Fields(string(b))[1], 10, 64)
		if err != nil {
			t.Fatalf("statm: %s", b)
		}
		out.resident = pages * uint64(os.Getpagesize())
	}
	return out
}

// A search takes no more memory at its end than when it is warm, however long it is: 500 schedules, or as many as `make million`
// asks for.
func TestMemoryIsFlat(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("CHAOS_SCHEDULES"))
	if err != nil || n < 100 {
		n = 500
	}
	q := aSearch(t, "stale-periodic-flush", persistence.CassandraCAS, n, runtime.GOMAXPROCS(0))
	q.Out = filepath.Join(t.TempDir(), "runs")
	var seen []memory
	q.Look = func(s Tally) {
		if s.Runs == 1 || s.Runs%(n/20) == 0 {
			seen = append(seen, memoryNow(t, s))
			t.Log(seen[len(seen)-1])
		}
	}
	began := processorTime(t)
	f, err := Explore(context.Background(), q)
	if err != nil || f.Runs != n || len(f.Findings) > 0 {
		t.Fatalf("%d runs, %v: %+v", f.Runs, err, f.Told().Findings)
	}
	t.Logf("%d schedules in %s, %.0f a second of a core", n, f.Took.Round(time.Second/10),
		float64(n)/(processorTime(t)-began).Seconds())
	// Of other runs that are under way a look sees the history, and a collection leaves what was just made.
	const margin = 1 << 20
	warm, last := seen[len(seen)/4], seen[len(seen)-1]
	if last.live > warm.live+margin || last.goroutines > warm.goroutines+uint64(4*q.Workers) {
		t.Errorf("it grows:\n%s\n%s", warm, last)
	}
}
