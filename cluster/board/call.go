package board

import (
	"github.com/single-writer/chaos/workload/persistence"
)

// Call is a request that was started; whoever has its answer calls Finish, with the baton.
type Call[T any] struct {
	board   *Board
	done    bool
	answer  T
	outcome persistence.Outcome
	err     error
}

// NewCall begins a request.
func NewCall[T any](b *Board) *Call[T] { return &Call[T]{board: b} }

// Finish gives the answer; of several, the first counts.
func (c *Call[T]) Finish(answer T, outcome persistence.Outcome, err error) {
	if c.done {
		return
	}
	c.done, c.answer, c.outcome, c.err = true, answer, outcome, err
}

// Done tells whether there is an answer.
func (c *Call[T]) Done() bool { return c.done }

// Await waits for the answer.
func (c *Call[T]) Await() (T, persistence.Outcome, error) {
	c.board.await(Forever, "an answer", c.Done)
	return c.answer, c.outcome, c.err
}
