package cassandra

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"

	"github.com/single-writer/chaos/workload/persistence"
)

// Said is an error in the protocol's words, which are the same whatever the driver calls its types.
type Said struct {
	// Server tells that the server said it, in an error frame with the Code.
	Server bool
	Code   int
	// Consistency is the level at which too few replicas were alive, WriteType the kind of write that timed out.
	Consistency Consistency
	WriteType   string
	// Got is how many replicas had answered in time, had accepted, or were alive, and Needed how many had to.
	Got, Needed int
	// Local is the driver's own word where the server said nothing.
	Local Local
}

// Local is what a driver says by itself.
type Local int

// What drivers say by themselves; all else is Other.
const (
	Other Local = iota
	// NeverSent: there was no connection to send it on.
	NeverSent
	// NoAnswer: none came in time.
	NoAnswer
	// Closed: the connection ended before the answer came.
	Closed
)

// The codes of error frames that are told apart (native protocol, version 5, section 9).
const (
	Unavailable   = 0x1000
	WriteTimeout  = 0x1100
	ReadTimeout   = 0x1200
	CASUnknown    = 0x1700
	syntax        = 0x2000
	unauthorised  = 0x2100
	invalid       = 0x2200
	config        = 0x2300
	AlreadyExists = 0x2400
)

// Classify names an error and says whether the one sending that it ended definitely had no effect: when it was never sent,
// was refused as such, or the coordinator saw too few replicas to begin. Every time-out is unknown, whatever its phase. Too
// few replicas at a plain level, for a conditional statement, is said of its last phase: it was accepted already.
func Classify(r Request, s Said, err error) *persistence.Error {
	e := &persistence.Error{Code: "error", Got: s.Got, Needed: s.Needed, Err: err}
	switch {
	case !s.Server:
		s.Local.classify(e)
	case s.Code == Unavailable:
		e.Code, e.NoEffect = "unavailable", !r.Conditional || s.Consistency == Serial
	case s.Code == WriteTimeout:
		e.Code = "write-timeout-" + s.WriteType
	case s.Code == ReadTimeout:
		e.Code = "read-timeout"
	case s.Code == CASUnknown:
		e.Code = "cas-write-unknown"
	case slices.Contains([]int{syntax, unauthorised, invalid, config, AlreadyExists}, s.Code):
		e.Code, e.NoEffect = "invalid", true
	default:
		e.Code = fmt.Sprintf("server-0x%04x", s.Code)
	}
	return e
}

func (l Local) classify(e *persistence.Error) {
	var network *net.OpError
	switch {
	case l == NeverSent:
		e.Code, e.NoEffect = "no-connections", true
	case l == NoAnswer, errors.Is(e.Err, context.DeadlineExceeded):
		e.Code = "timeout"
	case l == Closed, errors.As(e.Err, &network), errors.Is(e.Err, io.EOF), errors.Is(e.Err, net.ErrClosed):
		e.Code = "connection-closed"
	}
}
