// Package measures says in numbers what a history shows: what was lost, how long nothing moved, what a write took. It gives
// no verdict; that is the checker's. Each number names the line of the history that shows it, where one line does.
//
// Times are of the run's own clock: in the simulator they are virtual, and compare how many messages something takes
// rather than how fast a server is.
package measures

import (
	"strings"
	"time"

	"github.com/single-writer/chaos/history"
)

// Run is what one history shows; or, added up, what several of one arm do.
type Run struct {
	// AtEnd is how what is stored at the end differs from the fold of the input; Worst is the most that any read found
	// missing below the offset that was committed by then.
	AtEnd Loss `json:"at_end"`
	Worst Loss `json:"worst"`
	// Restarts is how often a worker failed and began another life.
	Restarts int   `json:"restarts"`
	Stall    Stall `json:"stall"`
	// Latencies are from a call to its answer.
	Persist *Latency `json:"persist"`
	Delete  *Latency `json:"delete"`
	Commit  *Latency `json:"commit"`
	Work    Work     `json:"work"`
}

// Work is what the workers did for the records that they made durable, and how long they waited for it. Only operations
// that were acknowledged are in it, and in which the nemesis did not meddle (see Latency).
type Work struct {
	// Records is how many folded records the writes made durable: one that several owners folded counts for each.
	Records int `json:"records"`
	Writes  int `json:"writes"`
	// Statements is how many statements the writes took, Conditional how many of them asked the row first.
	Statements  int `json:"statements"`
	Conditional int `json:"conditional"`
	// Time is how long the writes took, Committing how long the commits did.
	Time       time.Duration `json:"time_ns"`
	Committing time.Duration `json:"committing_ns"`
}

// PerRecord is how long the store and the broker took for a record, from its persist to the commit behind it; 0 when no
// record was made durable. Its inverse is the throughput of a worker that does nothing but wait for them.
func (w Work) PerRecord() time.Duration {
	if w.Records == 0 {
		return 0
	}
	return (w.Time + w.Committing) / time.Duration(w.Records)
}

// Of measures a history, which must be well-formed.
func Of(h *history.History) Run {
	r := Run{Persist: newLatency(), Delete: newLatency(), Commit: newLatency()}
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
	r.AtEnd = r.AtEnd.plus(other.AtEnd)
	if other.Worst.events() > r.Worst.events() {
		r.Worst = other.Worst
	}
	r.Restarts += other.Restarts
	if other.Stall.For > r.Stall.For {
		r.Stall = other.Stall
	}
	for _, l := range []struct{ to, from **Latency }{
		{&r.Persist, &other.Persist}, {&r.Delete, &other.Delete}, {&r.Commit, &other.Commit},
	} {
		if *l.to == nil {
			*l.to = newLatency()
		}
		(*l.to).add(*l.from)
	}
	r.Work.Records += other.Work.Records
	r.Work.Writes += other.Work.Writes
	r.Work.Statements += other.Work.Statements
	r.Work.Conditional += other.Work.Conditional
	r.Work.Time += other.Work.Time
	r.Work.Committing += other.Work.Committing
}

// conditional tells of a statement's form whether it asks the row before it changes it.
func conditional(form string) bool { return strings.Contains(form, "-if-") }
