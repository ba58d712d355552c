package sim

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Delays of either strategy are between the bounds, or a seed would change what a scenario is about.
func TestDelays(t *testing.T) {
	for _, name := range Strategies() {
		slow, quick := false, false
		for seed := range int64(50) {
			s, err := newStrategy(name, seeded(seed))
			if err != nil {
				t.Fatal(err)
			}
			for n := range 400 {
				d := s.delay(flow{n % 7, n%2 == 0})
				if d < minDelay || d > maxDelay {
					t.Fatalf("%s: a message takes %s", name, d)
				}
				slow, quick = slow || d > maxDelay-100*time.Microsecond, quick || d < minDelay+100*time.Microsecond
			}
		}
		if !slow || !quick {
			t.Errorf("%s: no slow message %v, no quick one %v", name, slow, quick)
		}
	}
	if _, err := newStrategy("run", seeded(1)); err == nil || !strings.Contains(err.Error(), "there are: walk, pct") {
		t.Error(err)
	}
}

// Under priorities one of several goes first until it falls behind, as often as there are changes and no oftener; a walk
// changes all the time.
func TestPrioritiesLast(t *testing.T) {
	ready := []*coroutine{{name: "a"}, {name: "b"}, {name: "c"}}
	turnsOf := func(s strategy) (changed int, first map[int]bool) {
		first, last := map[int]bool{}, -1
		for range furthest + 1 {
			i := s.next(ready)
			if last < 0 {
				first[i] = true
			} else if i != last {
				changed++
			}
			last = i
		}
		return changed, first
	}
	begun := map[int]bool{}
	for seed := range int64(30) {
		n, first := turnsOf(newPCT(seeded(seed)))
		if n > turns || n == 0 {
			t.Errorf("seed %d: %d changes", seed, n)
		}
		for i := range first {
			begun[i] = true
		}
	}
	if len(begun) != len(ready) {
		t.Errorf("only %v ever begin", begun)
	}
	if n, _ := turnsOf(walk{seeded(1)}); n < furthest/2 {
		t.Errorf("a walk changes %d times", n)
	}
}

// Timers go off in the order of their times, of equal ones in the order in which they were set, whichever were stopped.
func TestTimerOrder(t *testing.T) {
	var h timers
	rng := seeded(3)
	var kept []due
	for n := range 500 {
		next := due{at: time.Duration(rng.IntN(50)), seq: int64(n), event: &timer{}}
		h.add(next)
		kept = append(kept, next)
		if n%3 == 0 {
			i := rng.IntN(len(kept))
			stopped := kept[i].event.(*timer)
			stopped.Stop()
			stopped.Stop()
			kept = slices.Delete(kept, i, i+1)
		}
	}
	slices.SortFunc(kept, func(a, b due) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq)) })
	for i, want := range kept {
		if got := h.remove(0); got != want {
			t.Fatalf("timer %d is of %d, not %d", i, got.at, want.at)
		}
	}
	if len(h) > 0 {
		t.Errorf("%d are left", len(h))
	}
}

// What a header tells of a schedule gives the cluster back that drew it, and nothing else does.
func TestScheduled(t *testing.T) {
	for _, c := range []Cluster{{}, {Strategy: PCT}, {Loss: 0.01}, {Strategy: PCT, Loss: 0.25}, {Replicas: 3}, {Only: None},
		{Strategy: PCT, Loss: 0.01, Replicas: 5, Skew: 1500 * time.Millisecond}, {Strategy: PCT, Loss: 0.5, Only: "0-4,7,9-11"}} {
		if got, err := Scheduled(c.Facts().Schedule); err != nil || got != c {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
	for _, text := range []string{"walk", "pct pct", "loss-", "loss-x", "loss-0", "loss-0.010", "loss-0.01 pct", "backwards", "pct  loss-0.01",
		"replicas-0", "replicas-6", "replicas-x", "replicas", "skew-0s", "skew-5", "skew-25h", "skew-1s replicas-3", "skew-1000ms",
		"only-", "only-x", "only-4-3", "only-3,3", "only-5,4", "only--1", "only-3 pct"} {
		if c, err := Scheduled(text); err == nil {
			t.Errorf("%q is %+v", text, c)
		}
	}
}

// Where a decision is not the seed's, who has waited longest goes on, and a message takes the least time; where it is, it is what it
// would be with all of them.
func TestPartly(t *testing.T) {
	ready := []*coroutine{{name: "a"}, {name: "b"}, {name: "c"}}
	d, err := newDecisions("2-3,5")
	if err != nil {
		t.Fatal(err)
	}
	all, some := walk{seeded(4)}, partly{walk{seeded(4)}, d}
	for n := range 40 {
		draw, least := func(s strategy) int { return s.next(ready) }, 0
		if n%2 == 1 {
			draw, least = func(s strategy) int { return int(s.delay(flow{})) }, int(minDelay)
		}
		want, have := draw(all), draw(some)
		if is := n == 2 || n == 3 || n == 5; is && have != want || !is && have != least {
			t.Errorf("decision %d: %d, not %d or %d", n, have, want, least)
		}
	}
}
