package sim

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// store is the tables alone, with a clock that the test sets.
type store struct {
	t      *testing.T
	tables *tables
	clock  int64
}

func newStore(t *testing.T) *store { return &store{t, newTables(), 1_000_000} }

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
		a = s.tables.apply(st, func() int64 { return s.clock })
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

func (s *store) wantRow(want string) {
	s.t.Helper()
	if got := s.row(); got != want {
		s.t.Errorf("the row is %s, not %s", got, want)
	}
}

var (
	applied = persistence.Answer{Applied: true}
	absent  = persistence.Answer{Refusal: persistence.RowAbsent}
	null    = persistence.Answer{Refusal: persistence.OffsetNull}
)

func stored(offset int64) persistence.Answer {
	return persistence.Answer{Refusal: persistence.OffsetStored, Stored: offset}
}

const (
	update   = persistence.Update
	insert   = persistence.Insert
	remove   = persistence.Remove
	atMost   = persistence.IfOffsetAtMost
	isNull   = persistence.IfOffsetNull
	exists   = persistence.IfExists
	notThere = persistence.IfNotExists
)

// What conditional statements answer, and leave: measured on Cassandra 5.0.5. The
// state "v@5" is a live row, "null@5" a tombstone with its offset.
func TestConditionalAnswers(t *testing.T) {
	states := map[string][]persistence.Statement{
		"absent": nil,
		"v@5":    {cond(insert, notThere, 5, "v")},
		"null@5": {cond(insert, notThere, 5, "")},
	}
	for _, c := range []struct {
		state     string
		statement persistence.Statement
		answer    persistence.Answer
		after     string
	}{
		{"absent", cond(update, atMost, 9, "w"), absent, "absent"},
		{"v@5", cond(update, atMost, 9, "w"), applied, "w@9"},
		{"v@5", cond(update, atMost, 5, "w"), applied, "w@5"},
		{"v@5", cond(update, atMost, 4, "w"), stored(5), "v@5"},
		{"null@5", cond(update, atMost, 4, "w"), stored(5), "null@5"},
		{"null@5", cond(update, atMost, 5, "w"), applied, "w@5"},
		{"absent", cond(update, isNull, 9, "w"), applied, "w@9"},
		{"v@5", cond(update, isNull, 9, "w"), stored(5), "v@5"},
		{"absent", cond(insert, notThere, 9, "w"), applied, "w@9"},
		{"v@5", cond(insert, notThere, 9, "w"), stored(5), "v@5"},
		{"null@5", cond(insert, notThere, 9, "w"), stored(5), "null@5"},
		{"absent", cond(update, exists, 9, "w"), absent, "absent"},
		{"v@5", cond(update, exists, 4, "w"), applied, "w@4"},
		{"absent", cond(remove, atMost, 9, ""), absent, "absent"},
		{"v@5", cond(remove, atMost, 4, ""), stored(5), "v@5"},
		{"v@5", cond(remove, atMost, 5, ""), applied, "absent"},
		{"absent", cond(remove, exists, 0, ""), absent, "absent"},
		{"v@5", cond(remove, exists, 0, ""), applied, "absent"},
		// A plain UPDATE with a null value, a tombstone, on no row: a row, as it has an offset.
		{"absent", plain(update, 1, 9, ""), applied, "null@9"},
	} {
		s := newStore(t)
		s.do(states[c.state]...)
		if d := cmp.Diff(c.answer, s.do(c.statement)); d != "" {
			t.Errorf("%s %s @%d: %s", c.state, c.statement.Form(), c.statement.Offset, d)
		}
		if got := s.row(); got != c.after {
			t.Errorf("%s %s @%d leaves %s, not %s", c.state, c.statement.Form(), c.statement.Offset, got, c.after)
		}
	}
}

// A row that is there though its offset is null: what is left when the offset's cell has expired. IF offset <= x is false
// without an error, and the answer has the column; IF offset = null repairs it.
func TestRowWithoutOffset(t *testing.T) {
	make := func() *store {
		s := newStore(t)
		s.do(plain(insert, 10, 5, "v"))
		s.tables[persistence.Snapshots].rows[rowKey{key: "k"}].offset.null = true
		s.wantRow("v@none")
		return s
	}
	for _, c := range []struct {
		statement persistence.Statement
		answer    persistence.Answer
		after     string
	}{
		{cond(update, atMost, 9, "w"), null, "v@none"},
		{cond(insert, notThere, 9, "w"), null, "v@none"},
		{cond(update, isNull, 9, "w"), applied, "w@9"},
		{cond(update, exists, 9, "w"), applied, "w@9"},
	} {
		s := make()
		if d := cmp.Diff(c.answer, s.do(c.statement)); d != "" {
			t.Errorf("%s: %s", c.statement.Form(), d)
		}
		s.wantRow(c.after)
	}
}

// Cells are reconciled one by one: the greater timestamp wins whenever it comes; of equal ones the null, then the greater
// value; a removal wins over what is as old as itself (Cassandra's Cells.reconcile).
func TestTimestamps(t *testing.T) {
	for name, c := range map[string]struct {
		statements []persistence.Statement
		want       string
	}{
		"the later clock wins":               {[]persistence.Statement{plain(update, 20, 9, "new"), plain(update, 10, 5, "old")}, "new@9"},
		"delete, then an older write":        {[]persistence.Statement{plain(remove, 20, 0, ""), plain(update, 10, 5, "old")}, "absent"},
		"delete, then a newer write":         {[]persistence.Statement{plain(remove, 20, 0, ""), plain(update, 21, 5, "new")}, "new@5"},
		"delete with a clock behind":         {[]persistence.Statement{plain(update, 20, 5, "v"), plain(remove, 19, 0, "")}, "v@5"},
		"delete at a tie":                    {[]persistence.Statement{plain(update, 20, 5, "v"), plain(remove, 20, 0, "")}, "absent"},
		"write at a tie with a delete":       {[]persistence.Statement{plain(remove, 20, 0, ""), plain(update, 20, 5, "v")}, "absent"},
		"a tie: the greater of each cell":    {[]persistence.Statement{plain(update, 20, 5, "b"), plain(update, 20, 9, "a")}, "b@9"},
		"a tie: the same the other way":      {[]persistence.Statement{plain(update, 20, 9, "a"), plain(update, 20, 5, "b")}, "b@9"},
		"a tie: null wins":                   {[]persistence.Statement{plain(update, 20, 5, "v"), plain(update, 20, 5, "")}, "null@5"},
		"a tie: null stays":                  {[]persistence.Statement{plain(update, 20, 5, ""), plain(update, 20, 5, "v")}, "null@5"},
		"two deletes":                        {[]persistence.Statement{plain(remove, 20, 0, ""), plain(remove, 10, 0, ""), plain(update, 15, 5, "v")}, "absent"},
		"a marker outlives the older delete": {[]persistence.Statement{plain(remove, 19, 0, ""), plain(insert, 20, 5, "v")}, "v@5"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			s.do(c.statements...)
			s.wantRow(c.want)
		})
	}
}

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

// Plain and conditional writes on one row: the clocks decide, and nobody gets an error (measured on Cassandra 5.0.5).
func TestPlainBesideConditional(t *testing.T) {
	const ahead = 21_000_000
	wantApplied := func(t *testing.T, a persistence.Answer) {
		t.Helper()
		if !a.Applied {
			t.Errorf("not applied: %+v", a)
		}
	}
	t.Run("a plain write behind is lost", func(t *testing.T) {
		s := newStore(t)
		s.do(cond(insert, notThere, 5, "v"), plain(update, 500_000, 9, "w"), plain(remove, 500_000, 0, ""))
		s.wantRow("v@5")
	})
	t.Run("a plain write ahead stays, and lets stale ones in", func(t *testing.T) {
		s := newStore(t)
		s.do(plain(update, ahead, 5, "v"))
		wantApplied(t, s.do(cond(update, atMost, 10, "w")))
		s.wantRow("v@5")
		wantApplied(t, s.do(cond(update, atMost, 6, "x")))
		s.wantRow("v@5")
	})
	t.Run("a plain delete ahead hides inserts", func(t *testing.T) {
		s := newStore(t)
		s.do(plain(remove, ahead, 0, ""))
		wantApplied(t, s.do(cond(insert, notThere, 5, "v")))
		wantApplied(t, s.do(cond(insert, notThere, 6, "w")))
		s.wantRow("absent")
	})
}

// A row lives by its marker or by any cell: UPDATE writes no marker, so that a row whose cells are all null is none; INSERT
// does (measured on Cassandra 5.0.5).
func TestWhatKeepsARowAlive(t *testing.T) {
	for verb, want := range map[persistence.Verb]string{update: "absent", insert: "null@none"} {
		s := newStore(t)
		s.do(plain(verb, 10, 5, "v"))
		r := s.tables[persistence.Snapshots].rows[rowKey{key: "k"}]
		r.offset.null, r.value.null, r.meta.null = true, true, true
		s.wantRow(want)
	}
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
