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
}

// CutOff makes a worker's next statement find no connection to the store, when a plan wants it to.
func (c *Crew) CutOff(name string) {
	if l, ok := c.lives[name]; ok {
		l.connection.cut = true
	}
}

// Start sends a statement. One that finds no connection is not sent: it definitely had no effect, and the driver says so at
// once.
func (c *connection) Start(s persistence.Statement) persistence.Call[persistence.Answer] {
	if c.cut {
		c.cut = false
		return neverSent{}
	}
	return c.rows.Start(s)
}

// neverSent is the call of a statement that found no connection.
type neverSent struct{}

func (neverSent) Await() (persistence.Answer, persistence.Outcome, error) {
	return persistence.Answer{}, persistence.Failed, &persistence.Error{Code: "no-connections", NoEffect: true, Err: errNoConnection}
}

var errNoConnection = errors.New("there is no connection to the store")
