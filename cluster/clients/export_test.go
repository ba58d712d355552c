package clients

import (
	"context"

	"github.com/single-writer/chaos/cluster/clients/cassandra"
	"github.com/single-writer/chaos/workload/persistence"
)

// Where is the row of a key in the table of snapshots, for a test that writes it past the rig.
func (s *Servers) Where() (table, row string) { return s.rows("").table(persistence.Snapshots), rowKey }

// Execute executes a statement on the rows of a run of that name.
func (s *Servers) Execute(ctx context.Context, run string, st persistence.Statement) (persistence.Answer, error) {
	return s.rows(run).execute(ctx, st, nil)
}

// CQL sends any text, past the rig's own statements.
func (s *Servers) CQL(ctx context.Context, text string, values ...any) error {
	if err := s.cql(ctx, text, values...).Close(); err != nil {
		return cassandra.Classify(cassandra.Request{}, s.session.Said(err), err)
	}
	return nil
}

// Text is the CQL of a statement on the rows of a run, with its values.
func (s *Servers) Text(run string, st persistence.Statement) (cql string, values []any) {
	cql, values, err := s.rows(run).query(st)
	if err != nil {
		panic(err)
	}
	return cql, values
}
