package ledger

import (
	"fmt"
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
	// only Short is known.
	Explained bool
	// Short is by how much the balance is below what it should be; negative when it is above.
	Short decimal.Decimal
}

// Diff explains a state that is not the fold of the log up to its own offset, by one run of events left out, one run
// folded twice, or one earlier life not ended by its close. It tries as many candidates as the account has records, each
// against the digest, so that an explanation is never a guess from the balance.
func (l Log) Diff(s State) Difference {
	want := l.life(s.Offset)
	d := Difference{Short: l.Fold(s.Offset).Balance.Sub(s.Balance)}
	if lost, ok := leftOut(want, s); ok {
		d.Lost, d.Explained = lost, true
		return d
	}
	if extra, ok := repeated(want, s); ok {
		d.Extra, d.Explained = extra, true
		return d
	}
	if lost, extra, ok := revived(l.UpTo(s.Offset), want, s); ok {
		d.Lost, d.Extra, d.Explained = lost, extra, true
	}
	return d
}

func foldAll(parts ...Log) State {
	var s State
	for _, part := range parts {
		for _, e := range part {
			if e.Event.Kind == Post {
				s = s.Fold(e.Event, e.Offset)
			}
		}
	}
	return s
}

// leftOut finds the one run of records without which the fold of want gives s.
func leftOut(want Log, s State) (Log, bool) {
	gap := len(want) - int(s.Count)
	if gap <= 0 {
		return nil, false
	}
	for i := 0; i+gap <= len(want); i++ {
		if foldAll(want[:i], want[i+gap:]).Digest == s.Digest {
			return want[i : i+gap], true
		}
	}
	return nil, false
}

// repeated finds the one run of records which, folded a second time right after itself, gives s.
func repeated(want Log, s State) (Log, bool) {
	extra := int(s.Count) - len(want)
	if extra <= 0 || extra > len(want) {
		return nil, false
	}
	for i := 0; i+extra <= len(want); i++ {
		if foldAll(want[:i+extra], want[i:]).Digest == s.Digest {
			return want[i : i+extra], true
		}
	}
	return nil, false
}

// revived finds the prefix of the whole log, closes ignored, which followed by a suffix of the present life gives s: a
// stale value from before a close, folded on.
func revived(whole, want Log, s State) (lost, extra Log, ok bool) {
	for i := range whole {
		for start := 0; start <= i; start++ {
			old := whole[start : i+1]
			for j := 0; j <= len(want); j++ {
				if foldAll(old, want[j:]).Count != s.Count {
					continue
				}
				if foldAll(old, want[j:]).Digest == s.Digest {
					return missing(want, old, want[j:]), missing(old, want), true
				}
			}
		}
	}
	return nil, nil, false
}

// missing gives the posts of l that none of the parts holds.
func missing(l Log, parts ...Log) Log {
	held := map[int64]bool{}
	for _, part := range parts {
		for _, e := range part {
			held[e.Offset] = true
		}
	}
	var out Log
	for _, e := range l {
		if e.Event.Kind == Post && !held[e.Offset] {
			out = append(out, e)
		}
	}
	return out
}

// String says the difference in words: which events, and what they cost.
func (d Difference) String() string {
	if !d.Explained {
		return fmt.Sprintf("its events are no part of the log; balance %s", short(d.Short))
	}
	var parts []string
	if len(d.Lost) > 0 {
		parts = append(parts, d.Lost.Events()+" lost")
	}
	if len(d.Extra) > 0 {
		parts = append(parts, d.Extra.Events()+" folded that should not be")
	}
	return strings.Join(parts, ", ") + ", balance " + short(d.Short)
}

func short(by decimal.Decimal) string {
	if by.Sign() < 0 {
		return by.Neg().StringFixed(2) + " too high"
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
