package controller

import (
	"fmt"
	"runtime"
	"time"

	"github.com/single-writer/chaos/cluster/board"
)

// stuckAfter is how long a process may run its own code without a call of the world. Code between two calls takes
// microseconds; what takes this long is a loop without an end, or a wait that the world knows nothing of.
const stuckAfter = 10 * time.Second

// StuckError is a process stuck outside the world. It cannot be unwound, since that takes a call of the world; the program
// can only report it and end.
type StuckError struct {
	// Process is its name and last point.
	Process string
	// Stacks are those of all goroutines.
	Stacks string
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("process %s has not called the world for %s: it is stuck in code of its own\n%s", e.Process, stuckAfter,
		e.Stacks)
}

// watched runs a run under the watchdog.
func watched(b *board.Board, run func() error) error {
	done := make(chan error, 1)
	go func() { done <- run() }()
	look := time.NewTicker(stuckAfter)
	defer look.Stop()
	turns := int64(-1)
	for {
		select {
		case err := <-done:
			return err
		case <-look.C:
			var process string
			if turns, process = b.Stuck(turns); process != "" {
				buf := make([]byte, 1<<20)
				return &StuckError{Process: process, Stacks: string(buf[:runtime.Stack(buf, true)])}
			}
		}
	}
}
