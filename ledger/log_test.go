package ledger

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

// A log in these tests is a string of one letter a record: p posts, c closes. The record at offset 2i has the id i+1 and,
// when it posts, the amount 10.01 times its id: offsets have gaps, as they do where other keys share the partition.

func logOf(kinds string) Log {
	var l Log
	for i, k := range kinds {
		e := Event{ID: int64(i) + 1, Account: "acct-1", Kind: Close}
		if k == 'p' {
			e.Kind, e.Amount = Post, decimal.New(1001*e.ID, -2)
		}
		l = append(l, Entry{Offset: 2 * int64(i), Event: e})
	}
	return l
}

// folded folds the records as they come, closes ignored, and says that the last of them is at the offset.
func folded(offset int64, parts ...Log) State {
	var s State
	for _, part := range parts {
		for _, e := range part {
			if e.Event.Kind == Post {
				s = s.Fold(e.Event, e.Offset)
			}
		}
	}
	s.Offset = offset
	return s
}

func TestFold(t *testing.T) {
	l := logOf("ppp")
	want := State{Balance: decimal.RequireFromString("60.06"), Count: 3, Offset: 4, Digest: Digest(0).next(1).next(2).next(3)}
	if got := l.Fold(4); !got.Equal(want) {
		t.Errorf("fold of three posts: %+v, want %+v", got, want)
	}
	swapped := folded(4, l[:1], l[2:], l[1:2])
	if swapped.Equal(want) || !swapped.Balance.Equal(want.Balance) {
		t.Errorf("swapping two posts must change the state, not its balance: %v and %v", swapped, want)
	}
	if twice := want.Fold(l[2].Event, 4); twice.Equal(want) || twice.Digest == want.Digest {
		t.Errorf("folding a post twice must change the state: %v", twice)
	}
	if zero := (Event{ID: 4, Account: "acct-1", Kind: Post}); want.Fold(zero, 6).Digest == want.Digest {
		t.Error("a post of nothing must change the digest")
	}
	if closed := want.Fold(Event{ID: 4, Kind: Close}, 6); closed.Open() || !closed.Equal(State{}) {
		t.Errorf("a close leaves %+v, want the zero State", closed)
	}
}

func TestLogFoldBeginsAfterTheLastClose(t *testing.T) {
	l := logOf("ppcpp")
	for offset, want := range map[int64]State{
		-1: {}, 3: folded(2, l[:2]), 4: {}, 5: {}, 6: folded(6, l[3:4]), 100: folded(8, l[3:5]),
	} {
		if got := l.Fold(offset); !got.Equal(want) {
			t.Errorf("fold up to %d: %v, want %v", offset, got, want)
		}
	}
}

func TestLogPlaces(t *testing.T) {
	l := logOf("ppp")
	for _, c := range []struct {
		offset, upTo int64
		at           int64 // an id, 0 for none
	}{
		{-1, 0, 0}, {0, 1, 1}, {1, 1, 0}, {2, 2, 2}, {4, 3, 3}, {5, 3, 0},
	} {
		at, ok := l.At(c.offset)
		got := []int64{int64(len(l.UpTo(c.offset))), at.Event.ID}
		if diff := cmp.Diff([]int64{c.upTo, c.at}, got); diff != "" || ok != (c.at > 0) {
			t.Errorf("offset %d: UpTo, At (-want +got):\n%s", c.offset, diff)
		}
	}
	if _, ok := Log(nil).At(0); ok {
		t.Error("an empty log has a record at 0")
	}
}

func TestDigestGoesBackAndForth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, id := Digest(rapid.Uint64().Draw(t, "digest")), rapid.Int64().Draw(t, "id")
		if got := d.next(id).before(id); got != d {
			t.Fatalf("before(next(%x)) = %x", d, got)
		}
		if got := d.before(id).next(id); got != d {
			t.Fatalf("next(before(%x)) = %x", d, got)
		}
	})
}

func TestNames(t *testing.T) {
	l := logOf("ppppp")
	for want, got := range map[string]string{
		"no events": Log(nil).Events(), "event 2": l[1:2].Events(), "events 2 to 4": l[1:4].Events(),
		"events 1, 3": Log{l[0], l[2]}.Events(),
		"closed":      State{}.String(), "balance 30.03 of 2 events @2": l.Fold(2).String(),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
