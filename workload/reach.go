package workload

import (
	"errors"

	"github.com/single-writer/chaos/workload/persistence"
)

// CutOff makes a worker's next statement find no connection to the store, when a plan wants it to.
func (c *Crew) CutOff(name string) {
	if l, ok := c.lives[name]; ok {
		l.cutOff = true
	}
}

// Start sends a statement of this life. One that finds no connection is not sent: it definitely had no effect, and the
// driver says so at once.
func (l *life) Start(s persistence.Statement) persistence.Call[persistence.Answer] {
	if l.cutOff {
		l.cutOff = false
		return neverSent{}
	}
	return l.crew.Rows.Start(s)
}

// neverSent is the call of a statement that found no connection.
type neverSent struct{}

func (neverSent) Await() (persistence.Answer, persistence.Outcome, error) {
	return persistence.Answer{}, persistence.Failed, &persistence.Error{Code: "no-connections", NoEffect: true, Err: errNoConnection}
}

var errNoConnection = errors.New("there is no connection to the store")
