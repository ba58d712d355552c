package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// strategy draws what a schedule leaves open: who goes on, and how long a message takes.
type strategy interface {
	// next gives the place of the one that goes on. There are two at least.
	next(ready []*coroutine) int
	// delay is between minDelay and maxDelay. Of is what the message belongs to.
	delay(of flow) time.Duration
}

// flow is what a message belongs to: a connection or a process, and the way.
type flow struct {
	of   any
	back bool
}

// The names of the strategies.
const (
	Walk = "walk"
	PCT  = "pct"
)

// Strategies are the names of all strategies, the one that is taken by itself first.
func Strategies() []string { return []string{Walk, PCT} }

// newStrategy makes the strategy of that name; rng is the scheduler's.
func newStrategy(name string, rng *rand.Rand) (strategy, error) {
	switch name {
	case "", Walk:
		return walk{rng}, nil
	case PCT:
		return newPCT(rng), nil
	}
	return nil, fmt.Errorf("no strategy is called %q; there are: %s", name, strings.Join(Strategies(), ", "))
}

// walk draws each choice evenly, by itself: a random walk.
type walk struct{ *rand.Rand }

func (w walk) next(ready []*coroutine) int { return w.IntN(len(ready)) }

func (w walk) delay(flow) time.Duration {
	return minDelay + time.Duration(w.Int64N(int64(maxDelay-minDelay)))
}

// pct gives every process and every flow of messages a random priority, which it keeps: of those that can go on the one with
// the highest does, and the messages of a flow take the longer the lower it is. At a few random steps whoever would go on
// falls behind all others. So one of them can be slow, and others quick, for long, which a random walk hardly ever does, and
// what takes d such turns is met with a probability that does not fall off with the length of the run: PCT, probabilistic
// concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010, doi:10.1145/1736020.1736040). Theirs are
// threads under one scheduler without a clock; here time goes on only when nobody can, so that a message's priority is its delay.
type pct struct {
	*rand.Rand
	priorities map[any]float64
	// changes are the steps at which somebody falls behind, in order; behind counts those that have.
	changes []int
	steps   int
	behind  int
}

// turns is d, the number of changes of priority; the known corruptions of a stateful worker take two or three.
const turns = 3

// furthest is about how many steps a run has: changes are drawn up to it, as often early as late on a scale of powers, since
// runs differ much in length.
const furthest = 1 << 13

func newPCT(rng *rand.Rand) *pct {
	p := &pct{Rand: rng, priorities: map[any]float64{}}
	for range turns {
		p.changes = append(p.changes, int(math.Exp2(rng.Float64()*math.Log2(furthest))))
	}
	slices.Sort(p.changes)
	return p
}

// of gives a priority, drawn when it is asked for first; above 0 until it falls behind.
func (p *pct) of(who any) float64 {
	at, ok := p.priorities[who]
	if !ok {
		at = p.Float64()
		p.priorities[who] = at
	}
	return at
}

// step takes one step, and lets who takes it fall behind where a change of priority comes.
func (p *pct) step(who any) {
	p.steps++
	for p.behind < len(p.changes) && p.changes[p.behind] <= p.steps {
		p.behind++
		p.priorities[who] = -float64(p.behind)
	}
}

func (p *pct) next(ready []*coroutine) int {
	best := func() int {
		first := 0
		for i, c := range ready {
			if p.of(c) > p.of(ready[first]) {
				first = i
			}
		}
		return first
	}
	p.step(ready[best()])
	return best()
}

func (p *pct) delay(of flow) time.Duration {
	p.of(of)
	p.step(of)
	slow := 1 - max(0, p.of(of))
	return minDelay + time.Duration(slow*float64(maxDelay-minDelay-1))
}
