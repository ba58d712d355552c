package clients

import (
	"context"
	"errors"
	"fmt"

	"github.com/single-writer/chaos/cluster/clients/cassandra"
	"github.com/single-writer/chaos/cluster/clients/wire"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// applicationID is the rig's in the table's key.
const applicationID = "chaos"

// rows executes statements for one run.
type rows struct {
	session      cassandra.Session
	keyspace     string
	group, topic string
}

// table is a table's name with its keyspace.
func (r *rows) table(t persistence.Table) string { return r.keyspace + "." + tables[t].name }

// Start sends a statement. Whose it is goes with it, for the rules on the way.
func (w *World) Start(s persistence.Statement) persistence.Call[persistence.Answer] {
	whose := w.inStore(w.board.Acting())
	return call(w, w.servers.driver.bound(requestTimeout), func(ctx context.Context) (persistence.Answer, error) {
		if err := w.servers.wire.Rules.Refuses(whose); err != nil {
			return persistence.Answer{}, &persistence.Error{Code: "no-connections", NoEffect: true, Err: err}
		}
		return w.rows.execute(ctx, s, map[string][]byte{wire.MarkKey: wire.Mark(whose, workload.StatementWords(s))})
	})
}

// execute gives one statement to the driver, with what goes with it. Nothing here sends it again: whether the driver may is what its name says.
func (r *rows) execute(ctx context.Context, s persistence.Statement, payload map[string][]byte) (persistence.Answer, error) {
	cql, values, err := r.query(s)
	if err != nil {
		return persistence.Answer{}, err
	}
	request := cassandra.Request{
		CQL: cql, Values: values, Consistency: cassandra.Quorum, Serial: cassandra.Serial,
		Conditional: s.If != persistence.Always, Idempotent: s.If == persistence.Always,
		Page: s.Page, Payload: payload,
	}
	if s.Serial {
		request.Consistency = cassandra.Serial
	}
	found := r.session.Query(ctx, request)
	var a persistence.Answer
	switch {
	case s.Verb == persistence.Select || s.Verb == persistence.Scan:
		a, err = readRows(found, s)
	case s.If == persistence.Always:
		a.Applied, err = true, found.Close()
	default:
		a, err = readCondition(found)
	}
	a.Earlier = r.earlier(request, found)
	if err != nil {
		e := cassandra.Classify(request, r.session.Said(err), fmt.Errorf("%s: %w", s.Form(), err))
		e.NoEffect = e.NoEffect && !persistence.InDoubt(a.Earlier)
		return a, e
	}
	return a, nil
}

// earlier names what became of the sendings before the last one.
func (r *rows) earlier(request cassandra.Request, found cassandra.Rows) []*persistence.Error {
	var out []*persistence.Error
	for _, err := range found.Earlier() {
		out = append(out, cassandra.Classify(request, r.session.Said(err), err))
	}
	return out
}

// readRows reads the rows of a select or a scan. Each cell is scanned into a pointer: the driver gives 0 for a null
// number otherwise, and one of them the same nil for an empty value as for none.
func readRows(found cassandra.Rows, s persistence.Statement) (persistence.Answer, error) {
	var a persistence.Answer
	for {
		row := persistence.RawRow{Partition: s.Partition, Key: s.Key}
		var offset, writtenOffset, writtenValue *int64
		var metadata *string
		var value *[]byte
		var ttl *int
		dest := []any{&offset, &metadata, &value}
		switch {
		case s.Verb == persistence.Scan:
			dest = append([]any{&row.Partition, &row.Key}, dest...)
		case s.Table == persistence.Keys:
			dest = []any{&row.Key, &metadata}
		}
		if s.Writetimes {
			dest = append(dest, &writtenOffset, &writtenValue, &ttl)
		}
		if !found.Scan(dest...) {
			return a, found.Close()
		}
		row.Offset, row.WritetimeOffset, row.WritetimeValue = opt(offset), opt(writtenOffset), opt(writtenValue)
		if metadata != nil {
			row.Metadata = *metadata
		}
		if value != nil {
			row.Value = append([]byte{}, *value...) // an empty value is no null
		}
		if ttl != nil {
			row.TTL = history.Some(int64(*ttl))
		}
		if s.Verb == persistence.Select && s.Table == persistence.Snapshots {
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
func readCondition(found cassandra.Rows) (persistence.Answer, error) {
	var a persistence.Answer
	var offset *int64
	named := false
	columns := found.Columns()
	dest := make([]any, len(columns))
	for i, c := range columns {
		switch c {
		case "[applied]":
			dest[i] = &a.Applied
		case "offset":
			dest[i], named = &offset, true
		}
	}
	if !found.Scan(dest...) {
		if err := found.Close(); err != nil {
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
	return a, found.Close()
}
