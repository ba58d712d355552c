package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A schedule is a row of decisions: who goes on, how long a message takes, whether it is lost. To see which of them a failure hangs
// on, the seed can be let decide some alone; of all others the outcome is the plainest: who has waited longest goes on, a message takes
// the least time, and nothing of a worker's is lost. What several nodes of the store do among each other is not among these
// decisions: their losses, who coordinates, for how long a proposer stands back, and how wrong their clocks are (internode.go,
// cassandra/round.go) are drawn from a stream of their own, so that the commands do not take both.

// decisions are those that are left to the seed, by their numbers from 0: all where there are none in the list.
type decisions struct {
	spans [][2]int
	some  bool
	at    int
}

// None leaves no decision to the seed.
const None = "none"

// newDecisions reads "3-40,77", or "none"; the empty text is all.
func newDecisions(text string) (*decisions, error) {
	d := &decisions{some: text != ""}
	if text == "" || text == None {
		return d, nil
	}
	next := 0
	for part := range strings.SplitSeq(text, ",") {
		first, last, is := strings.Cut(part, "-")
		if !is {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || from < next || to < from {
			return nil, fmt.Errorf("decisions are told as 3-40,77, in order and from 0 on, or as %s; not as %q", None, text)
		}
		d.spans, next = append(d.spans, [2]int{from, to}), to+1
	}
	return d, nil
}

// next tells whether the next decision is the seed's.
func (d *decisions) next() bool {
	n := d.at
	d.at++
	if !d.some {
		return true
	}
	for _, s := range d.spans {
		if n >= s[0] && n <= s[1] {
			return true
		}
	}
	return false
}

// partly lets a strategy decide where it is to. It is asked everywhere, so that what it decides there does not hang on the rest.
type partly struct {
	strategy
	decisions *decisions
}

func (p partly) next(ready []*coroutine) int {
	i := p.strategy.next(ready)
	if !p.decisions.next() {
		return 0
	}
	return i
}

func (p partly) delay(of flow) time.Duration {
	d := p.strategy.delay(of)
	if !p.decisions.next() {
		return minDelay
	}
	return d
}
