package ledger

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

func TestDiff(t *testing.T) {
	l := logOf("pppcppp") // ids 1 to 3, a close at 6, ids 5 to 7
	first, life := l[:3], l[4:]
	off := folded(12, life)
	off.Balance = off.Balance.Add(decimal.New(5, 0))
	for _, c := range []struct {
		name string
		s    State
		want string
	}{
		{"the fold itself", l.Fold(12), "its events are right, balance right"},
		{"another balance", off, "its events are right, balance 5.00 too high"},
		{"left out", folded(12, life[:1], life[2:]), "event 6 lost, balance short by 60.06"},
		{"left out at the end", folded(12, life[:1]), "events 6 to 7 lost, balance short by 130.13"},
		{"all left out", folded(12), "events 5 to 7 lost, balance short by 180.18"},
		{"repeated", folded(12, life[:2], life[1:]), "event 6 folded that should not be, balance 60.06 too high"},
		{"all repeated", folded(12, life, life), "events 5 to 7 folded that should not be, balance 180.18 too high"},
		{"revived", folded(12, first, life), "events 1 to 3 folded that should not be, balance 60.06 too high"},
		{"revived in the place of others", folded(12, first, life[2:]),
			"events 5 to 6 lost, events 1 to 3 folded that should not be, balance short by 50.05"},
		{"revived where it is closed", folded(6, first), "events 1 to 3 folded that should not be, balance 60.06 too high"},
		{"repeated later", folded(12, life[:2], life), "events 5 to 6 folded that should not be, balance 110.11 too high"},
		{"repeated from its middle", folded(12, life[1:2], life), "event 6 folded that should not be, balance 60.06 too high"},
		{"two runs left out", folded(12, life[1:2]), "events 5, 7 lost, balance short by 120.12"},
		{"swapped", folded(12, life[1:2], life[:1], life[2:]), "no one run of lost or repeated events explains it; balance right"},
		{"of another log", folded(12, Log{{12, Event{ID: 99, Kind: Post}}}),
			"no one run of lost or repeated events explains it; balance short by 180.18"},
	} {
		if got := l.Diff(c.s).String(); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}

// Whatever an explanation says, its money adds up.
func TestDiffAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := logOf(rapid.StringMatching(`[pc]{0,3}p[pc]{0,4}`).Draw(t, "log"))
		var parts []Log
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			from := rapid.IntRange(0, len(l)-1).Draw(t, "from")
			parts = append(parts, l[from:rapid.IntRange(from, len(l)).Draw(t, "to")])
		}
		end := l[len(l)-1].Offset
		d := l.Diff(folded(end, parts...))
		if got := folded(end, d.Lost).Balance.Sub(folded(end, d.Extra).Balance); d.Explained && !got.Equal(d.Short) {
			t.Fatalf("%s, but these events come to %s", d, got)
		}
	})
}

func TestDiffOfAbsurdStates(t *testing.T) {
	l := logOf("pppcppp")
	for _, count := range []int64{math.MinInt64, math.MinInt32, -1, 8, 1 << 31, 1 << 40, math.MaxInt64 - 1, math.MaxInt64} {
		for _, offset := range []int64{math.MinInt64, -1, 5, 6, 12, math.MaxInt64} {
			if d := l.Diff(State{Count: count, Offset: offset, Digest: 1}); d.Explained {
				t.Errorf("count %d at %d is explained: %s", count, offset, d)
			}
		}
	}
	if d := Log(nil).Diff(State{Count: 1}); d.Explained {
		t.Errorf("an empty log explains a state: %s", d)
	}
}

// A run cut out of a life, folded twice, or put before a later life is named exactly, with its money.
func TestDiffNamesTheRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := logOf(rapid.StringMatching(`(p{0,6}c){0,2}p{1,8}`).Draw(t, "log"))
		end := l[len(l)-1].Offset
		life := l.life(end)
		from := rapid.IntRange(0, len(life)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(life)).Draw(t, "to")
		run := life[from:to]
		money := folded(end, run).Balance

		want := Difference{Lost: run, Explained: true, Short: money}
		if diff := cmp.Diff(want, l.Diff(folded(end, life[:from], life[to:]))); diff != "" {
			t.Fatalf("left out %s (-want +got):\n%s", run.Events(), diff)
		}
		want = Difference{Extra: run, Explained: true, Short: money.Neg()}
		if diff := cmp.Diff(want, l.Diff(folded(end, life[:to], life[from:]))); diff != "" {
			t.Fatalf("repeated %s (-want +got):\n%s", run.Events(), diff)
		}
		old := slices.DeleteFunc(slices.Clone(l[:len(l)-len(life)]), func(e Entry) bool { return e.Event.Kind == Close })
		if len(old) == 0 {
			return
		}
		want = Difference{Lost: life[:from], Extra: old, Explained: true}
		want.Short = folded(end, life[:from]).Balance.Sub(folded(end, old).Balance)
		got := l.Diff(folded(end, old, life[from:]))
		if from == 0 {
			got.Lost, want.Lost = nil, nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("revived %s (-want +got):\n%s", old.Events(), diff)
		}
	})
}

// A broken value at the end of a long log must not hang whoever asks what broke it.
func TestDiffOfALongLog(t *testing.T) {
	l := logOf(strings.Repeat("p", 50_000) + "c" + strings.Repeat("p", 50_000))
	end := l[len(l)-1].Offset
	life := l.life(end)
	began := time.Now()
	if d := l.Diff(State{Count: 50_000, Offset: end, Digest: 1}); d.Explained {
		t.Errorf("explained: %s", d)
	}
	if d := l.Diff(folded(end, l[:10], life)); d.Explained {
		t.Error("an earlier life is looked for beyond the limit")
	}
	if got := l.Diff(folded(end, life[:20_000], life[30_000:])).Lost; len(got) != 10_000 || got[0] != life[20_000] {
		t.Errorf("a run left out of a long log: %d records", len(got))
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
}

func BenchmarkDiffUnexplained(b *testing.B) {
	for name, posts := range map[string]int{"at the limit": revivedLimit, "100k": 100_000} {
		l := logOf(strings.Repeat("p", posts))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				l.Diff(State{Count: int64(posts) / 2, Offset: 2 * int64(posts), Digest: 1})
			}
		})
	}
}
