package ready

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestUntilRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		err := until(t.Context(), "ask", nil, func(context.Context) error {
			if attempts++; attempts < 5 {
				return errors.New("refused")
			}
			return nil
		})
		if err != nil || attempts != 5 {
			t.Errorf("got %v after %d attempts", err, attempts)
		}
	})
}

func TestUntilTellsWhatDidNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		err := until(ctx, "ask the broker for metadata", nil, func(context.Context) error { return errors.New("refused") })
		if err == nil || err.Error() != "ask the broker for metadata: no good answer in 1m30s: refused" {
			t.Errorf("got %v", err)
		}
	})
}

func TestUntilStopsAtOnceWhenTheServerIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		gone := errors.New("exited with 3")
		err := until(t.Context(), "ask", func(context.Context) error { return gone }, func(context.Context) error { return errors.New("refused") })
		if !errors.Is(err, gone) || !strings.Contains(err.Error(), "refused") || time.Since(began) > pace {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
	})
}

func TestUntilIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := until(ctx, "ask", nil, func(context.Context) error { cancel(); return errors.New("refused") })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
