// Package measures says in numbers what a history shows: what was lost, how long nothing moved, what a write took. It gives
// no verdict; that is the checker's. Each number names the line of the history that shows it, where one line does.
//
// Times are of the run's own clock: in the simulator they are virtual, and compare how many messages something takes
// rather than how fast a server is.
package measures

import (
	"time"

	"github.com/single-writer/chaos/history"
)

// Run is what one history shows; or, added up, what several of one arm do.
type Run struct {
	// AtEnd is how what is stored at the end differs from the fold of the input, nil where a history was cut before it; Worst
	// is the most that any read found missing below the offset that was committed by then.
	AtEnd *Loss `json:"at_end"`
	Worst Loss  `json:"worst"`
	// Restarts is how often a worker failed and began another life.
	Restarts int   `json:"restarts"`
	Stall    Stall `json:"stall"`
	// Latencies are from a call to its answer. Write are the persists and deletes that were acknowledged.
	Persist *Latency `json:"persist"`
	Delete  *Latency `json:"delete"`
	Write   *Latency `json:"write"`
	Commit  *Latency `json:"commit"`
	// Statements is how many statements the acknowledged writes took, Conditional how many of those asked the row first.
	Statements  int `json:"statements"`
	Conditional int `json:"conditional"`
}

// Round is how long it takes to make durable what a worker has folded since the last time: a write and the commit behind it,
// the median of each; 0 when there was none. Its inverse is the throughput of a worker that only waits for its servers,
// which leaves out what the plan lets pass. How many records go into a round is the scenario's to say, and the same for
// every arm. It is of medians because of a few dozen writes one that met a pause of a server would outweigh all others.
func (r Run) Round() time.Duration {
	if r.Write.Count() == 0 || r.Commit.Count() == 0 {
		return 0
	}
	return r.Write.Quantile(50) + r.Commit.Quantile(50)
}

// Of measures a history, which must be well-formed.
func Of(h *history.History) Run {
	r := Run{Persist: newLatency(), Delete: newLatency(), Write: newLatency(), Commit: newLatency()}
	losses, stalls, timing := newLosses(h), newStalls(h), newTiming()
	for _, e := range h.Events {
		losses.see(e)
		stalls.see(e)
		timing.see(e, &r)
		if v, ok := e.Value.(*history.LifeEvent); ok && v.Status == "failed" {
			r.Restarts++
		}
	}
	r.AtEnd, r.Worst, r.Stall = losses.atEnd, losses.worst, stalls.longest
	return r
}

// Add adds another run of the same arm: counts, money and times add up; of stalls and of worst moments the greater one
// counts.
func (r *Run) Add(other Run) {
	if other.AtEnd != nil {
		if r.AtEnd == nil {
			r.AtEnd = &Loss{}
		}
		sum := r.AtEnd.plus(*other.AtEnd)
		r.AtEnd = &sum
	}
	if other.Worst.Events() > r.Worst.Events() {
		r.Worst = other.Worst
	}
	r.Restarts += other.Restarts
	if other.Stall.For > r.Stall.For {
		r.Stall = other.Stall
	}
	for _, l := range []struct{ to, from **Latency }{
		{&r.Persist, &other.Persist}, {&r.Delete, &other.Delete}, {&r.Write, &other.Write}, {&r.Commit, &other.Commit},
	} {
		if *l.to == nil {
			*l.to = newLatency()
		}
		(*l.to).add(*l.from)
	}
	r.Statements += other.Statements
	r.Conditional += other.Conditional
}
