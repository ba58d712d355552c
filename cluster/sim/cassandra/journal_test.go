package cassandra

import (
	"slices"
	"testing"

	"github.com/single-writer/chaos/workload/persistence"
)

// in makes a statement of the journal, or of the keys, out of one of the snapshots.
func in(table persistence.Table, s persistence.Statement) persistence.Statement {
	s.Table = table
	return s
}

// journal gives the values of the key's rows as a reader finds them.
func (s *lone) journal(key string) []string {
	var out []string
	for _, r := range s.do(persistence.Statement{Table: persistence.Journal, Verb: persistence.Select, Key: key}).Rows {
		out = append(out, string(r.Value)+"@"+r.Offset.String())
	}
	return out
}

// A journal has a row an offset, in their order; a later insert at an offset replaces the row.
func TestJournalRows(t *testing.T) {
	s := newLone(t)
	other := plain(insert, 10, 3, "other")
	other.Key = "l"
	s.do(in(persistence.Journal, plain(insert, 10, 7, "c")), in(persistence.Journal, plain(insert, 11, 2, "a")), in(persistence.Journal, other),
		in(persistence.Journal, plain(insert, 12, 3, "b")), in(persistence.Journal, plain(insert, 13, 3, "b2")),
		in(persistence.Journal, plain(insert, 9, 7, "older")))
	if got := s.journal("k"); !slices.Equal(got, []string{"a@2", "b2@3", "c@7"}) {
		t.Error(got)
	}
	if got := s.row(); got != "absent" {
		t.Errorf("the snapshot is %s", got)
	}
	if got := len(s.do(persistence.Statement{Table: persistence.Journal, Verb: persistence.Scan}).Rows); got != 4 {
		t.Errorf("a scan finds %d rows", got)
	}
}

// The keys of a partition, by name; each is removed alone.
func TestKeyRows(t *testing.T) {
	s := newLone(t)
	for _, k := range []rowKey{{0, "b", 0}, {0, "a", 0}, {1, "c", 0}, {0, "gone", 0}} {
		s.do(persistence.Statement{Table: persistence.Keys, Verb: insert, Partition: k.partition, Key: k.key, Metadata: "{}", Timestamp: 10})
	}
	s.do(persistence.Statement{Table: persistence.Keys, Verb: remove, Key: "gone", Timestamp: 11})
	var got []string
	for _, r := range s.do(persistence.Statement{Table: persistence.Keys, Verb: persistence.Select}).Rows {
		got = append(got, r.Key)
	}
	if !slices.Equal(got, []string{"a", "b"}) {
		t.Error(got)
	}
}
