package workload

import (
	"errors"

	"github.com/single-writer/chaos/workload/persistence"
)

// connection is the way of one life to the store.
type connection struct {
	rows persistence.Rows
	// cut tells that the next statement finds none.
	cut bool
	// phantom tells that the next first write of a state loses the race for its row to one that is gone at the next look.
	phantom bool
}

// CutOff makes a worker's next statement find no connection to the store, when a plan wants it to.
func (c *Crew) CutOff(name string) {
	if l, ok := c.lives[name]; ok {
		l.connection.cut = true
	}
}

// Phantom makes a worker's next first write meet a row that lives for a moment, when a plan wants it to.
func (c *Crew) Phantom(name string) {
	if l, ok := c.lives[name]; ok {
		l.connection.phantom = true
	}
}

// Start sends a statement. One that finds no connection is not sent: it definitely had no effect, and the driver says so at
// once. Nor is an insert that meets a phantom: that one is answered as if another's row were there, and whatever the worker
// asks next is the store's to answer.
func (c *connection) Start(s persistence.Statement) persistence.Call[persistence.Answer] {
	switch {
	case c.cut:
		c.cut = false
		return neverSent{}
	case c.phantom && s.If == persistence.IfNotExists && s.Value != nil:
		c.phantom = false
		return taken{s.Offset}
	}
	return c.rows.Start(s)
}

// taken is the call of an insert that finds a row there already, with this offset.
type taken struct{ stored int64 }

func (t taken) Await() (persistence.Answer, persistence.Outcome, error) {
	return persistence.Answer{Refusal: persistence.OffsetStored, Stored: t.stored}, persistence.Answered, nil
}

// neverSent is the call of a statement that found no connection.
type neverSent struct{}

func (neverSent) Await() (persistence.Answer, persistence.Outcome, error) {
	return persistence.Answer{}, persistence.Failed, &persistence.Error{Code: "no-connections", NoEffect: true, Err: errNoConnection}
}

var errNoConnection = errors.New("there is no connection to the store")
