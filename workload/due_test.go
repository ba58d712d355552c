package workload

import (
	"testing"
	"time"
)

// 0s is after every poll, whatever the clock says; anything else is not before its time, and then counts
// from the moment at which it was done.
func TestDue(t *testing.T) {
	at := 10 * time.Second
	for _, c := range []struct {
		now, every time.Duration
		want       bool
		next       time.Duration
	}{
		{0, 0, true, 10 * time.Second},
		{0, 0, true, 10 * time.Second},
		{10*time.Second - 1, time.Second, false, 10 * time.Second},
		{10 * time.Second, time.Second, true, 11 * time.Second},
		{10 * time.Second, time.Second, false, 11 * time.Second},
		{15 * time.Second, time.Second, true, 16 * time.Second},
	} {
		if got := due(c.now, &at, c.every); got != c.want || at != c.next {
			t.Errorf("at %s every %s: %v, next %s; not %v, %s", c.now, c.every, got, at, c.want, c.next)
		}
	}
}
