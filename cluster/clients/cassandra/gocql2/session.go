// Package gocql2 is Cassandra by apache/cassandra-gocql-driver, version 2: the driver that is developed.
package gocql2

import (
	"context"
	"errors"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/single-writer/chaos/cluster/clients/cassandra"
)

// Library is the driver with its version.
const Library = "apache/cassandra-gocql-driver 2.1.2"

type session struct {
	*gocql.Session
	// watch tells whether sendings are to be counted: a driver that never sends again has nothing to count.
	watch bool
}

// Connect makes a session.
func Connect(c cassandra.Config) (cassandra.Session, error) {
	g := gocql.NewCluster(c.Hosts...)
	g.Port, g.Timeout, g.ConnectTimeout, g.Dialer = c.Port, c.Timeout, c.Timeout, c.Dialer
	if c.Only {
		g.HostFilter = gocql.WhiteListHostFilter(c.Hosts...)
	}
	if c.Retries > 0 {
		g.RetryPolicy = &again{c.Retries, c.Pause}
	}
	s, err := g.CreateSession()
	if err != nil {
		return nil, err
	}
	return &session{s, c.Retries > 0}, nil
}

// again sends to the same node again. The driver asks it of idempotent statements alone (query_executor.go, do): a
// conditional statement is sent once whatever the policy says (CASSGO-27).
type again struct {
	most  int
	pause time.Duration
}

func (a *again) Attempt(q gocql.RetryableQuery) bool {
	if q.Attempts() > a.most {
		return false
	}
	pause := time.NewTimer(a.pause)
	defer pause.Stop()
	select {
	case <-pause.C:
		return true
	case <-q.Context().Done(): // a killed worker's, whose client is closed meanwhile
		return false
	}
}

func (*again) GetRetryType(error) gocql.RetryType { return gocql.Retry }

// Query sends a statement.
func (s *session) Query(ctx context.Context, r cassandra.Request) cassandra.Rows {
	q := s.Session.Query(r.CQL, r.Values...).Consistency(gocql.Consistency(r.Consistency)).Idempotent(r.Idempotent).
		CustomPayload(r.Payload)
	if r.Conditional {
		q = q.SerialConsistency(gocql.Consistency(r.Serial)).NoSkipMetadata()
	}
	if r.Page > 0 {
		q = q.PageSize(r.Page)
	}
	out := &rows{}
	if s.watch {
		q = q.Observer(out)
	}
	out.Iter = q.IterContext(ctx)
	return out
}

// rows is the driver's iterator, and what became of each sending.
type rows struct {
	*gocql.Iter
	sendings []error
}

// ObserveQuery is called by the driver after each sending.
func (r *rows) ObserveQuery(_ context.Context, q gocql.ObservedQuery) {
	r.sendings = append(r.sendings, q.Err)
}

// Columns names the columns.
func (r *rows) Columns() []string {
	columns := r.Iter.Columns()
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// Earlier are the errors of all sendings but the last.
func (r *rows) Earlier() []error {
	if len(r.sendings) < 2 {
		return nil
	}
	return r.sendings[:len(r.sendings)-1]
}

// Said puts an error into the protocol's words.
func (*session) Said(err error) cassandra.Said {
	var said cassandra.Said
	var request gocql.RequestError
	var unavailable *gocql.RequestErrUnavailable
	var writeTimeout *gocql.RequestErrWriteTimeout
	var readTimeout *gocql.RequestErrReadTimeout
	var unknown *gocql.RequestErrCASWriteUnknown
	if said.Server = errors.As(err, &request); said.Server {
		said.Code = request.Code()
	}
	switch {
	case errors.As(err, &unavailable):
		said.Code, said.Consistency = cassandra.Unavailable, cassandra.Consistency(unavailable.Consistency)
		said.Got, said.Needed = unavailable.Alive, unavailable.Required
	case errors.As(err, &writeTimeout):
		said.Code, said.WriteType = cassandra.WriteTimeout, writeTimeout.WriteType
		said.Got, said.Needed = writeTimeout.Received, writeTimeout.BlockFor
	case errors.As(err, &readTimeout):
		said.Code, said.Got, said.Needed = cassandra.ReadTimeout, readTimeout.Received, readTimeout.BlockFor
	case errors.As(err, &unknown):
		said.Code, said.Got, said.Needed = cassandra.CASUnknown, unknown.Received, unknown.BlockFor
	case errors.Is(err, gocql.ErrNoConnections), errors.Is(err, gocql.ErrNoStreams):
		said.Local = cassandra.NeverSent
	case errors.Is(err, gocql.ErrTimeoutNoResponse):
		said.Local = cassandra.NoAnswer
	case errors.Is(err, gocql.ErrConnectionClosed):
		said.Local = cassandra.Closed
	}
	return said
}
