package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// Difference tells how a stored state differs from the fold of the log up to the state's own offset.
type Difference struct {
	// Lost are the events that the state should hold and does not, in order.
	Lost Log
	// Extra are the events that it holds and should not: folded twice, or of a life that a close had ended.
	Extra Log
	// Explained is false when no run of left-out or repeated events gives the state: then Lost and Extra are empty and
	// only Short is known. It is true, and both are empty, when the events are right and at most the balance is wrong.
	Explained bool
	// Short is by how much the balance is below what it should be; negative when it is above.
	Short decimal.Decimal
}

// revivedLimit is the number of records up to which an earlier life is looked for. The search takes time by the square of
// it: 10 ms here, half a minute at a hundred thousand records, for each broken value of a long soak.
const revivedLimit = 2048

// Diff explains a state that is not the fold of the log up to its own offset, by one run of events left out, one run
// folded twice, or one earlier life not ended by its close. Each candidate is held against the digest, so that an
// explanation is never a guess from the balance. An earlier life is looked for among the first revivedLimit records only;
// a longer log leaves such a state unexplained.
func (l Log) Diff(s State) Difference {
	right := l.Fold(s.Offset)
	d := Difference{Short: right.Balance.Sub(s.Balance)}
	if right.Count == s.Count && right.Digest == s.Digest {
		d.Explained = true
		return d
	}
	want := l.life(s.Offset)
	back := backward(want, s.Digest)
	if lost, ok := leftOut(want, back, s.Count); ok {
		d.Lost, d.Explained = lost, true
		return d
	}
	if extra, ok := repeated(want, back, s.Count); ok {
		d.Extra, d.Explained = extra, true
		return d
	}
	if old, rest, ok := revived(l.UpTo(s.Offset), want, back, s.Count); ok {
		d.Lost, d.Extra, d.Explained = surplus(want, old, rest), surplus(append(old, rest...), want), true
	}
	return d
}

// forward gives, for each i, the digest of the first i records of a life.
func forward(life Log) []Digest {
	out := make([]Digest, len(life)+1)
	for i, e := range life {
		out[i+1] = out[i].next(e.Event.ID)
	}
	return out
}

// backward gives, for each i, the one digest that the records from i on turn into d: whatever was folded before them has
// this digest, or it is not what was folded.
func backward(life Log, d Digest) []Digest {
	out := make([]Digest, len(life)+1)
	out[len(life)] = d
	for i := len(life) - 1; i >= 0; i-- {
		out[i] = out[i+1].before(life[i].Event.ID)
	}
	return out
}

// leftOut finds the one run of records without which the life comes to the digest that back is of.
func leftOut(life Log, back []Digest, count int64) (Log, bool) {
	all := int64(len(life))
	if count < 0 || count >= all {
		return nil, false
	}
	gap := int(all - count)
	for i, d := range forward(life[:count]) {
		if d == back[i+gap] {
			return life[i : i+gap], true
		}
	}
	return nil, false
}

// repeated finds the one run of records which, folded a second time right after itself, comes to it.
func repeated(life Log, back []Digest, count int64) (Log, bool) {
	all := int64(len(life))
	if count <= all || count > 2*all {
		return nil, false
	}
	extra := int(count - all)
	for i, d := range forward(life)[extra:] {
		if d == back[i] {
			return life[i : i+extra], true
		}
	}
	return nil, false
}

// revived finds the records in a row of the whole log, closes ignored, which followed by the last records of the present
// life come to it: a stale value from before a close, folded on.
func revived(whole, life Log, back []Digest, count int64) (old, rest Log, ok bool) {
	if len(whole) > revivedLimit {
		return nil, nil, false
	}
	digests, counts := make([]Digest, len(whole)), make([]int64, len(whole))
	for i, e := range whole {
		for start := range i + 1 {
			if e.Event.Kind == Post {
				digests[start] = digests[start].next(e.Event.ID)
				counts[start]++
			}
			more := count - counts[start]
			if more < 0 || more > int64(len(life)) {
				continue
			}
			if j := len(life) - int(more); digests[start] == back[j] {
				return slices.Clone(whole[start : i+1]), life[j:], true
			}
		}
	}
	return nil, nil, false
}

// surplus gives the posts of l that none of the parts holds; a post that l has twice must be held twice.
func surplus(l Log, parts ...Log) Log {
	held := map[int64]int{}
	for _, part := range parts {
		for _, e := range part {
			held[e.Offset]++
		}
	}
	var out Log
	for _, e := range l {
		if e.Event.Kind != Post {
			continue
		}
		if held[e.Offset]--; held[e.Offset] < 0 {
			out = append(out, e)
		}
	}
	return out
}

// String says the difference in words: which events, and what they cost.
func (d Difference) String() string {
	if !d.Explained {
		return fmt.Sprintf("no one run of lost or repeated events explains it; balance %s", short(d.Short))
	}
	var parts []string
	if len(d.Lost) == 0 && len(d.Extra) == 0 {
		parts = append(parts, "its events are right")
	}
	if len(d.Lost) > 0 {
		parts = append(parts, d.Lost.Events()+" lost")
	}
	if len(d.Extra) > 0 {
		parts = append(parts, d.Extra.Events()+" folded that should not be")
	}
	return strings.Join(parts, ", ") + ", balance " + short(d.Short)
}

func short(by decimal.Decimal) string {
	switch by.Sign() {
	case -1:
		return by.Neg().StringFixed(2) + " too high"
	case 0:
		return "right"
	}
	return "short by " + by.StringFixed(2)
}

// Events names the events of a log: "event 7", "events 7 to 10", "events 7, 9, 11".
func (l Log) Events() string {
	switch len(l) {
	case 0:
		return "no events"
	case 1:
		return fmt.Sprintf("event %d", l[0].Event.ID)
	}
	run := true
	ids := make([]string, len(l))
	for i, e := range l {
		ids[i] = fmt.Sprint(e.Event.ID)
		run = run && e.Event.ID == l[0].Event.ID+int64(i)
	}
	if run {
		return fmt.Sprintf("events %s to %s", ids[0], ids[len(ids)-1])
	}
	return "events " + strings.Join(ids, ", ")
}
