package shrink

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/single-writer/chaos/cluster/sim"
)

// The decisions that a failure hangs on are found, whatever they are, and no other.
func TestDecisions(t *testing.T) {
	for n := range uint64(50) {
		draw := rand.New(rand.NewPCG(n, 2))
		var needed []int
		for range draw.IntN(6) {
			needed = append(needed, draw.IntN(3000))
		}
		slices.Sort(needed)
		needed = slices.Compact(needed)
		r := &reducer{Request: Request{Most: 1 << 30}}
		r.fails = func(_ context.Context, try trial) bool {
			if _, err := sim.Scheduled(try.schedule); err != nil {
				t.Fatal(err)
			}
			all := covered(t, try.schedule)
			return !slices.ContainsFunc(needed, func(d int) bool { return !all[d] })
		}
		only, count, ok := r.decisions(context.Background(), trial{schedule: "pct"})
		if want := spans(needed); !ok || only != want || count != len(needed) {
			t.Fatalf("%d: %s, %d, %v; it hangs on %s", n, only, count, ok, want)
		}
	}
}

// covered are the decisions that a schedule leaves to the seed.
func covered(t *testing.T, schedule string) map[int]bool {
	t.Helper()
	c, err := sim.Scheduled(schedule)
	if err != nil {
		t.Fatal(err)
	}
	all := map[int]bool{}
	for span := range strings.SplitSeq(c.Only, ",") {
		var from, to int
		switch n, _ := fmt.Sscanf(span, "%d-%d", &from, &to); n {
		case 0:
			continue
		case 1:
			to = from
		}
		for i := from; i <= to; i++ {
			all[i] = true
		}
	}
	return all
}
