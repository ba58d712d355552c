// Package cassandra is what the rig asks of a client library for Cassandra. Which library it is decides how often a statement
// is sent, and so what its answer means: each is a thing under test, in a folder of its own, and nothing else here names it.
package cassandra

import (
	"context"
	"net"
	"time"
)

// Session is one driver, connected.
type Session interface {
	// Query sends a statement. What came of it is told when its rows are closed.
	Query(ctx context.Context, r Request) Rows
	// Said puts an error of this driver into the protocol's words.
	Said(err error) Said
	// Close ends all connections.
	Close()
}

// Config is how a session is made.
type Config struct {
	Hosts []string
	Port  int
	// Only makes the driver use these hosts and no others that the cluster has.
	Only bool
	// Timeout is how long the driver waits for the answer to one sending; the context bounds all of them together.
	Timeout time.Duration
	// Retries is how often the driver may send a statement again by itself, each time after a Pause.
	Retries int
	Pause   time.Duration
	Dialer  Dialer
}

// Dialer makes the driver's connections.
type Dialer interface {
	DialContext(ctx context.Context, network, addr string) (net.Conn, error)
}

// Consistency is a level by its number in the protocol.
type Consistency uint16

// The levels that the rig uses: of plain statements, and of the rounds of conditional ones and reads that finish them. One and
// All are there to ask what a node knows of the others.
const (
	One    Consistency = 0x01
	Quorum Consistency = 0x04
	All    Consistency = 0x05
	Serial Consistency = 0x08
)

// Request is one statement.
type Request struct {
	CQL         string
	Values      []any
	Consistency Consistency
	// Serial is the level of a conditional statement's round.
	Serial Consistency
	// Conditional statements are answered with columns that depend on what they found.
	Conditional bool
	// Idempotent says that sending it twice does what sending it once does; no conditional statement is.
	Idempotent bool
	// Payload goes with the statement, and means nothing to the server.
	Payload map[string][]byte
	// Page is how many rows the driver fetches at a time; 0 leaves it to the driver.
	Page int
}

// Rows is what a statement is answered with, row by row.
type Rows interface {
	// Columns names the columns of a row, in order.
	Columns() []string
	// Scan copies the next row: a pointer to a pointer is nil for a null, a nil is passed over. It is false when there is
	// none, or none any more.
	Scan(dest ...any) bool
	// Close tells the error that ended the statement.
	Close() error
	// Earlier are the errors after which the driver sent the statement again, in order.
	Earlier() []error
}
