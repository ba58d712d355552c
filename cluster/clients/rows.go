package clients

import (
	"context"
	"errors"
	"fmt"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// applicationID is the rig's in the table's key.
const applicationID = "chaos"

// The consistency of plain statements and of the conditional ones' rounds.
const (
	plainConsistency  = gocql.Quorum
	serialConsistency = gocql.Serial
)

// rows executes statements for one run.
type rows struct {
	session      *gocql.Session
	table        string // with its keyspace
	group, topic string
}

// Start sends a statement.
func (w *World) Start(s persistence.Statement) persistence.Call[persistence.Answer] {
	timeout := s.Timeout
	if timeout <= 0 {
		timeout = requestTimeout
	}
	return call(w, timeout, func(ctx context.Context) (persistence.Answer, error) { return w.rows.execute(ctx, s) })
}

// execute sends one statement once. Nothing is retried: a conditional write that is sent twice can be refused by itself.
func (r *rows) execute(ctx context.Context, s persistence.Statement) (persistence.Answer, error) {
	cql, values, err := r.query(s)
	if err != nil {
		return persistence.Answer{}, err
	}
	q := r.session.Query(cql, values...).Consistency(plainConsistency).SerialConsistency(serialConsistency).Idempotent(false)
	if s.Serial {
		q = q.Consistency(serialConsistency)
	}
	iter := q.IterContext(ctx)
	var a persistence.Answer
	switch {
	case s.Verb == persistence.Select || s.Verb == persistence.Scan:
		a, err = readRows(iter, s)
	case s.If == persistence.Always:
		a.Applied, err = true, iter.Close()
	default:
		a, err = readCondition(iter)
	}
	if err != nil {
		return persistence.Answer{}, classify(s, fmt.Errorf("%s: %w", s.Form(), err))
	}
	return a, nil
}

// readRows reads the rows of a select or a scan. Each cell is scanned into a pointer: the driver gives 0 for a null
// number otherwise.
func readRows(iter *gocql.Iter, s persistence.Statement) (persistence.Answer, error) {
	var a persistence.Answer
	for {
		row := persistence.RawRow{Partition: s.Partition, Key: s.Key}
		var offset, writtenOffset, writtenValue *int64
		var metadata *string
		var ttl *int
		dest := []any{&offset, &metadata, &row.Value}
		if s.Verb == persistence.Scan {
			dest = append([]any{&row.Partition, &row.Key}, dest...)
		}
		if s.Writetimes {
			dest = append(dest, &writtenOffset, &writtenValue, &ttl)
		}
		if !iter.Scan(dest...) {
			return a, iter.Close()
		}
		row.Offset, row.WritetimeOffset, row.WritetimeValue = opt(offset), opt(writtenOffset), opt(writtenValue)
		if metadata != nil {
			row.Metadata = *metadata
		}
		if ttl != nil {
			row.TTL = history.Some(int64(*ttl))
		}
		if s.Verb == persistence.Select {
			a.Row = &row
		} else {
			a.Rows = append(a.Rows, row)
		}
	}
}

func opt(n *int64) history.Opt {
	if n == nil {
		return history.Opt{}
	}
	return history.Some(*n)
}

// readCondition reads the answer of a conditional statement: [applied], and when it was not the columns that the server
// names. No column "offset" means that there is no row; a null one that the row's offset is gone. (An INSERT names all
// columns, an UPDATE those of its condition.)
func readCondition(iter *gocql.Iter) (persistence.Answer, error) {
	var a persistence.Answer
	var offset *int64
	named := false
	dest := make([]any, len(iter.Columns()))
	for i, c := range iter.Columns() {
		switch c.Name {
		case "[applied]":
			dest[i] = &a.Applied
		case "offset":
			dest[i], named = &offset, true
		}
	}
	if !iter.Scan(dest...) {
		if err := iter.Close(); err != nil {
			return a, err
		}
		return a, errors.New("a conditional statement was answered without a row")
	}
	switch {
	case a.Applied || !named:
	case offset == nil:
		a.Refusal = persistence.OffsetNull
	default:
		a.Refusal, a.Stored = persistence.OffsetStored, *offset
	}
	return a, iter.Close()
}

// classify names a driver's error and says whether the statement definitely had no effect: when it was never sent, was
// refused as such, or the coordinator saw too few replicas to begin. Every time-out is unknown, whatever its phase. Too few
// replicas at a plain level, for a conditional statement, is said of its last phase: it was accepted already.
func classify(s persistence.Statement, err error) error {
	e := &persistence.Error{Code: "error", Err: err}
	var unavailable *gocql.RequestErrUnavailable
	var writeTimeout *gocql.RequestErrWriteTimeout
	var readTimeout *gocql.RequestErrReadTimeout
	var unknown *gocql.RequestErrCASWriteUnknown
	var request gocql.RequestError
	switch {
	case errors.Is(err, gocql.ErrNoConnections):
		e.Code, e.NoEffect = "no-connections", true
	case errors.As(err, &unavailable):
		paxos := unavailable.Consistency == gocql.Serial || unavailable.Consistency == gocql.LocalSerial
		e.Code, e.NoEffect = "unavailable", s.If == persistence.Always || paxos
	case errors.As(err, &writeTimeout):
		e.Code = "write-timeout-" + writeTimeout.WriteType
	case errors.As(err, &readTimeout):
		e.Code = "read-timeout"
	case errors.As(err, &unknown):
		e.Code = "cas-write-unknown"
	case errors.As(err, &request):
		switch request.Code() {
		case gocql.ErrCodeInvalid, gocql.ErrCodeSyntax, gocql.ErrCodeUnauthorized, gocql.ErrCodeAlreadyExists:
			e.Code, e.NoEffect = "invalid", true
		default:
			e.Code = fmt.Sprintf("server-0x%04x", request.Code())
		}
	case errors.Is(err, gocql.ErrTimeoutNoResponse), errors.Is(err, context.DeadlineExceeded):
		e.Code = "timeout"
	case errors.Is(err, gocql.ErrConnectionClosed):
		e.Code = "connection-closed"
	}
	return e
}
