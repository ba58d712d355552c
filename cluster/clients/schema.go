package clients

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/single-writer/chaos/cluster/clients/cassandra"
	"github.com/single-writer/chaos/workload/persistence"
)

// column is a column of a table as system_schema.columns has it.
type column struct {
	name, cqlType string
	// kind is partition_key, clustering, regular or static.
	kind string
}

// table is a table that runs need.
type table struct {
	name    string
	columns []column // those of the key first, in its order
}

// tables are all that a keyspace of the rig has: kafka-flow's own, with its columns as far as the rig needs them. A row of a
// snapshot is a Cassandra partition of its own: conditional writes of one key meet no others. A key's journal is one too,
// and so are the keys of a partition of the input; the original spreads those over 10,000 segments by a hash and reads them
// all, which for a few keys would be nothing but reads.
var tables = [...]table{
	persistence.Snapshots: {"snapshots_v2", []column{
		{"application_id", "text", "partition_key"}, {"group_id", "text", "partition_key"}, {"topic", "text", "partition_key"},
		{"partition", "int", "partition_key"}, {"key", "text", "partition_key"},
		{"offset", "bigint", "regular"}, {"created", "timestamp", "regular"}, {"metadata", "text", "regular"},
		{"value", "blob", "regular"},
	}},
	persistence.Journal: {"records", []column{
		{"application_id", "text", "partition_key"}, {"group_id", "text", "partition_key"}, {"topic", "text", "partition_key"},
		{"partition", "int", "partition_key"}, {"key", "text", "partition_key"}, {"offset", "bigint", "clustering"},
		{"created", "timestamp", "regular"}, {"metadata", "text", "regular"}, {"value", "blob", "regular"},
	}},
	persistence.Keys: {"keys", []column{
		{"application_id", "text", "partition_key"}, {"group_id", "text", "partition_key"}, {"topic", "text", "partition_key"},
		{"partition", "int", "partition_key"}, {"key", "text", "clustering"},
		{"created", "timestamp", "regular"}, {"metadata", "text", "regular"},
	}},
}

// create is the statement that makes the table. It has no IF NOT EXISTS: that would take any table of the name for ours.
func (t table) create(keyspace string) string {
	var columns, partition, key []string
	for _, c := range t.columns {
		columns = append(columns, c.name+" "+c.cqlType)
		switch c.kind {
		case "partition_key":
			partition = append(partition, c.name)
		case "clustering":
			key = append(key, c.name)
		}
	}
	key = append([]string{"(" + strings.Join(partition, ", ") + ")"}, key...)
	return fmt.Sprintf("CREATE TABLE %s.%s (%s, PRIMARY KEY (%s))", keyspace, t.name, strings.Join(columns, ", "),
		strings.Join(key, ", "))
}

// MakeSchema makes a keyspace with the tables that runs need; the runs that are opened afterwards keep their rows there. The
// error is a [KeyspaceError] when the keyspace is there already: a run reads no rows but its own.
func (s *Servers) MakeSchema(ctx context.Context, keyspace string, replication int) error {
	create := fmt.Sprintf("CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': %d}",
		keyspace, replication)
	err := s.cql(ctx, create).Close()
	switch {
	case err != nil && s.session.Said(err).Code == cassandra.AlreadyExists:
		return s.taken(ctx, keyspace)
	case err != nil:
		return fmt.Errorf("make the keyspace %s: %w", keyspace, err)
	}
	for _, t := range tables {
		if err := s.cql(ctx, t.create(keyspace)).Close(); err != nil {
			return fmt.Errorf("make the table %s.%s: %w", keyspace, t.name, err)
		}
	}
	s.keyspace = keyspace
	return nil
}

// KeyspaceError says that a keyspace which was to be made is there.
type KeyspaceError struct {
	Keyspace string
	// Tables are those that it has; Differences is what about them is not as a run needs it.
	Tables, Differences []string
}

func (e *KeyspaceError) Error() string {
	holds := "no table"
	if len(e.Tables) > 0 {
		holds = strings.Join(e.Tables, ", ")
	}
	text := fmt.Sprintf("the keyspace %s is there already, and a run makes one that is its own\n  it holds %s", e.Keyspace, holds)
	if len(e.Differences) == 0 {
		return text + ", as a run would make it"
	}
	return text + "; a run would make it otherwise:\n    " + strings.Join(e.Differences, "\n    ")
}

// taken tells what a keyspace that is there holds.
func (s *Servers) taken(ctx context.Context, keyspace string) error {
	found := map[string][]column{}
	rows := s.cql(ctx, "SELECT table_name, column_name, type, kind FROM system_schema.columns WHERE keyspace_name = ?", keyspace)
	var name string
	for c := (column{}); rows.Scan(&name, &c.name, &c.cqlType, &c.kind); {
		found[name] = append(found[name], c)
	}
	if err := rows.Close(); err != nil {
		return fmt.Errorf("the keyspace %s is there already; look at its tables: %w", keyspace, err)
	}
	e := &KeyspaceError{Keyspace: keyspace, Differences: differences(found)}
	for name := range found {
		e.Tables = append(e.Tables, name)
	}
	slices.Sort(e.Tables)
	return e
}

// differences are what is otherwise in the tables found than in those that a run needs.
func differences(found map[string][]column) (out []string) {
	for _, t := range tables {
		there, ok := found[t.name]
		if !ok {
			out = append(out, fmt.Sprintf("there is no table %s", t.name))
			continue
		}
		out = append(out, t.differences(there)...)
	}
	return out
}

func (t table) differences(there []column) (out []string) {
	for _, want := range t.columns {
		i := slices.IndexFunc(there, func(c column) bool { return c.name == want.name })
		switch {
		case i < 0:
			out = append(out, fmt.Sprintf("%s.%s is not there; expected: %s", t.name, want.name, want))
		case there[i] != want:
			out = append(out, fmt.Sprintf("%s.%s is %s; expected: %s", t.name, want.name, there[i], want))
		}
	}
	for _, c := range there {
		if !slices.ContainsFunc(t.columns, func(want column) bool { return want.name == c.name }) {
			out = append(out, fmt.Sprintf("%s.%s is %s; expected: no such column", t.name, c.name, c))
		}
	}
	return out
}

// String is the column's type, and its place in the key.
func (c column) String() string {
	switch c.kind {
	case "partition_key":
		return c.cqlType + " of the partition key"
	case "clustering":
		return c.cqlType + " of the clustering key"
	case "static":
		return "static " + c.cqlType
	}
	return c.cqlType
}
