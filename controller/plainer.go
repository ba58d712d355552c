package controller

import (
	"context"
	"strings"
)

// plainer tries simpler ways to draw the schedule: without lost messages, as a plain walk.
func (r *reducer) plainer(ctx context.Context, t trial) (trial, bool) {
	words := strings.Fields(t.schedule)
	for i := range words {
		without := strings.Join(append(append([]string{}, words[:i]...), words[i+1:]...), " ")
		if next, ok := r.kept(ctx, t.scenario, trial{t.scenario, t.seed, without}); ok {
			return next, true
		}
	}
	return t, false
}
