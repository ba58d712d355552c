// Package ready waits until a freshly started server has answered real requests.
//
// An open port proves nothing: the engine's proxy accepts connections before the server listens, and
// a server that listens may refuse its first requests while its internal topics are in the making.
// So each wait here sends the requests that a run will send and returns when they were answered.
package ready

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// pace is how often a request that was not answered is sent again.
const pace = 100 * time.Millisecond

// until calls attempt until it succeeds, ctx ends, or alive, asked after each failure, says that the
// server is gone and further attempts are idle.
func until(ctx context.Context, what string, alive func(context.Context) error, attempt func(context.Context) error) error {
	began := time.Now()
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for {
		err := attempt(ctx)
		if err == nil {
			return nil
		}
		if alive != nil && ctx.Err() == nil {
			if gone := alive(ctx); gone != nil {
				return fmt.Errorf("%s: %w (its last answer: %w)", what, gone, err)
			}
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fmt.Errorf("%s: no good answer in %s: %w", what, time.Since(began).Round(time.Second), err)
			}
			return fmt.Errorf("%s: %w", what, context.Cause(ctx))
		case <-tick.C:
		}
	}
}
