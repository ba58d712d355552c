package measures

import (
	"encoding/json"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/single-writer/chaos/history"
)

// Latency is how long operations of one kind took from the call to the answer, refusals included. Left out are those
// without an answer, and those in whose course the nemesis did something: a worker that is held between its request and
// the answer would tell of the plan and not of the store.
type Latency struct {
	all *hdrhistogram.Histogram
	// slowest is the line of the answer that took longest, and took how long that was.
	slowest int
	took    time.Duration
}

// The range of the histograms, with three digits of precision: a call that takes longer than a minute counts as a minute.
const (
	shortest = time.Microsecond
	longest  = time.Minute
	digits   = 3
)

func newLatency() *Latency {
	return &Latency{all: hdrhistogram.New(int64(shortest), int64(longest), digits)}
}

func (l *Latency) record(took time.Duration, line int) {
	if took > l.took || l.slowest == 0 {
		l.took, l.slowest = took, line
	}
	// It fails only for a value out of range.
	_ = l.all.RecordValue(int64(min(took, longest)))
}

func (l *Latency) add(other *Latency) {
	if other == nil {
		return
	}
	if other.took > l.took || l.slowest == 0 {
		l.took, l.slowest = other.took, other.slowest
	}
	l.all.Merge(other.all)
}

// Count is the number of operations; of no latency at all it is 0.
func (l *Latency) Count() int64 {
	if l == nil {
		return 0
	}
	return l.all.TotalCount()
}

// Quantile is the time within which the share of the operations was answered, in per cent; 100 is the slowest. A histogram
// answers with the end of a value's range, which of the slowest would be more than it took.
func (l *Latency) Quantile(percent float64) time.Duration {
	if percent >= 100 {
		return l.took
	}
	return min(time.Duration(l.all.ValueAtPercentile(percent)), l.took)
}

// MarshalJSON gives what a report shows.
func (l *Latency) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Count   int64         `json:"count"`
		P50     time.Duration `json:"p50_ns"`
		P99     time.Duration `json:"p99_ns"`
		Max     time.Duration `json:"max_ns"`
		Slowest int           `json:"slowest_line,omitempty"`
	}{l.Count(), l.Quantile(50), l.Quantile(99), l.Quantile(100), l.slowest})
}

// timing pairs calls with their answers.
type timing struct {
	open map[int64]timed
	// meddled counts what the nemesis did so far.
	meddled int
}

// timed is a call without an answer.
type timed struct {
	at      int64
	meddled int
}

func newTiming() *timing { return &timing{open: map[int64]timed{}} }

func (t *timing) see(e history.Event, r *Run) {
	switch v := e.Value.(type) {
	case *history.FaultDone:
		t.meddled++
	case *history.Write:
		if e.Type == history.Invoke {
			t.call(e)
			return
		}
		took, ok := t.answer(e)
		if !ok {
			return
		}
		latency := r.Persist
		if e.F == history.Delete {
			latency = r.Delete
		}
		latency.record(took, e.Line())
		if e.Type == history.OK {
			r.wrote(v, took, e.Line())
		}
	case *history.OffsetCommit:
		if e.Type == history.Invoke {
			t.call(e)
			return
		}
		if took, ok := t.answer(e); ok {
			r.Commit.record(took, e.Line())
		}
	}
}

func (t *timing) call(e history.Event) { t.open[e.Op] = timed{at: e.Time, meddled: t.meddled} }

// answer ends a call. What it took counts if there was an answer and the nemesis did not meddle.
func (t *timing) answer(e history.Event) (took time.Duration, ok bool) {
	c, there := t.open[e.Op]
	delete(t.open, e.Op)
	return time.Duration(e.Time - c.at), there && e.Type != history.Info && c.meddled == t.meddled
}

// wrote adds an acknowledged write.
func (r *Run) wrote(v *history.Write, took time.Duration, line int) {
	r.Write.record(took, line)
	for _, s := range v.Statements {
		r.Statements++
		if s.Conditional() {
			r.Conditional++
		}
	}
}
