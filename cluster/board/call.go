package board

import (
	"errors"

	"github.com/single-writer/chaos/workload/persistence"
)

// Call is a request that was started; whoever has its answer calls Finish, with the baton.
type Call[T any] struct {
	board *Board
	// taken tells that the process that started it has its answer.
	done, taken bool
	answer      T
	outcome     persistence.Outcome
	err         error
}

// NewCall begins a request of the process that has the baton.
func NewCall[T any](b *Board) *Call[T] {
	c := &Call[T]{board: b}
	if b.current != nil {
		b.current.asked = c
	}
	return c
}

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
	c.taken = true
	return c.answer, c.outcome, c.err
}

// asked is a request as the board keeps it of whoever has sent it: its answer can be lost on the way.
type asked interface {
	Done() bool
	lose() bool
}

// errLost is why a request whose answer was lost ended.
var errLost = errors.New("the connection ended before the answer came")

// lose ends the request without an answer for whoever awaits it, and tells whether that is not too late. The request itself
// goes on, and its answer, which may even be there already, is never taken.
func (c *Call[T]) lose() bool {
	if c.taken {
		return false
	}
	var none T
	c.done, c.answer, c.outcome = true, none, persistence.Unknown
	c.err = &persistence.Error{Code: "connection-closed", Err: errLost}
	return true
}

// Lose loses the answer to the request that a process has sent last, and tells whether it had still to take it.
func (b *Board) Lose(name string) bool {
	p, ok := b.Find(name)
	return ok && p.asked != nil && p.asked.lose()
}
