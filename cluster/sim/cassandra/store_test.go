package cassandra

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// lone is a store of one node, with a clock that the test sets. What it answers and keeps is in the facts of package
// conformance; here is what those cannot see.
type lone struct {
	t     *testing.T
	store *Store
	clock int64
}

func newLone(t *testing.T) *lone {
	s := &lone{t: t, clock: 1_000_000}
	s.store = New(1, s, rand.New(rand.NewPCG(1, 1)))
	return s
}

func (s *lone) Now() time.Duration                     { return time.Duration(s.clock) * time.Microsecond }
func (s *lone) Micros() int64                          { return s.clock }
func (s *lone) Send(cluster.Message, func())           { s.t.Error("a lone node sends a message") }
func (s *lone) After(int, time.Duration, func()) Timer { s.t.Error("a lone node waits"); return nil }

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

func (s *lone) do(sts ...persistence.Statement) persistence.Answer {
	var a persistence.Answer
	for _, st := range sts {
		answered := false
		s.store.Ask(0, "test", st, func(answer persistence.Answer, err error) {
			if a, answered = answer, true; err != nil {
				s.t.Fatal(err)
			}
		})
		if !answered {
			s.t.Fatal("a lone node did not answer at once")
		}
	}
	return a
}

// row is what a reader sees: "absent", or the value with its offset.
func (s *lone) row() string {
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
	s := newLone(t)
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
	s := newLone(t)
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
