package sim

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// store is the tables alone, with a clock that the test sets. What they answer and keep is in the facts of package
// conformance; here is what those cannot see.
type store struct {
	t      *testing.T
	tables *tables
	clock  int64
}

func newStore(t *testing.T) *store {
	s := &store{t: t, clock: 1_000_000}
	s.tables = newTables(s)
	return s
}

func (s *store) Clock() int64  { return s.clock }
func (s *store) Second() int64 { return s.clock / 1e6 }

// plain, cond and remove make statements on the one key; the value names the write.
func plain(verb persistence.Verb, at, offset int64, value string) persistence.Statement {
	return persistence.Statement{Verb: verb, Key: "k", Timestamp: at, Offset: offset, Value: bytesOf(value), Metadata: value}
}

func cond(verb persistence.Verb, c persistence.Condition, offset int64, value string) persistence.Statement {
	return persistence.Statement{Verb: verb, Key: "k", If: c, Offset: offset, Value: bytesOf(value), Metadata: value}
}

// bytesOf makes a value of a text: none of an empty one, which writes null.
func bytesOf(value string) []byte {
	if value == "" {
		return nil
	}
	return []byte(value)
}

func (s *store) do(sts ...persistence.Statement) persistence.Answer {
	var a persistence.Answer
	for _, st := range sts {
		var err error
		if a, err = s.tables.apply(st); err != nil {
			s.t.Fatal(err)
		}
	}
	return a
}

// row is what a reader sees: "absent", or the value with its offset.
func (s *store) row() string {
	r := s.do(persistence.Statement{Verb: persistence.Select, Key: "k"}).Row
	if r == nil {
		return "absent"
	}
	v := "null"
	if r.Value != nil {
		v = string(r.Value)
	}
	return v + "@" + r.Offset.String()
}

const (
	update   = persistence.Update
	insert   = persistence.Insert
	remove   = persistence.Remove
	atMost   = persistence.IfOffsetAtMost
	notThere = persistence.IfNotExists
)

// A conditional write is stamped with its ballot: the coordinator's clock, to the millisecond, and above the row's last one
// (measured on Cassandra 5.0.5).
func TestBallots(t *testing.T) {
	s := newStore(t)
	ballot := func(want int64) {
		t.Helper()
		r := s.do(persistence.Statement{Verb: persistence.Select, Key: "k", Writetimes: true}).Row
		if r.WritetimeOffset != history.Some(want) || r.WritetimeValue != history.Some(want) {
			t.Errorf("the cells were written at %s and %s, not at %d", r.WritetimeOffset, r.WritetimeValue, want)
		}
	}
	s.clock = 1_767_225_600_123_456
	s.do(cond(insert, notThere, 1, "v"))
	ballot(1_767_225_600_123_000)
	s.do(cond(update, atMost, 2, "v"))
	ballot(1_767_225_600_123_001)
	s.clock = 1_767_225_600_000_000
	s.do(cond(update, atMost, 3, "v"))
	ballot(1_767_225_600_123_002)
	s.clock = 1_767_225_600_125_999
	s.do(cond(update, atMost, 4, "v"))
	ballot(1_767_225_600_125_000)
}

// A scan gives the rows that are there, by partition and key.
func TestScan(t *testing.T) {
	s := newStore(t)
	for _, k := range []rowKey{{1, "a", 0}, {0, "c", 0}, {0, "b", 0}, {0, "gone", 0}} {
		st := plain(update, 10, 5, "v")
		st.Partition, st.Key = k.partition, k.key
		s.do(st)
	}
	s.do(persistence.Statement{Verb: remove, Key: "gone", Timestamp: 11})
	var got []rowKey
	for _, r := range s.do(persistence.Statement{Verb: persistence.Scan}).Rows {
		got = append(got, rowKey{r.Partition, r.Key, 0})
	}
	if d := cmp.Diff([]rowKey{{0, "b", 0}, {0, "c", 0}, {1, "a", 0}}, got, cmp.AllowUnexported(rowKey{})); d != "" {
		t.Error(d)
	}
}
