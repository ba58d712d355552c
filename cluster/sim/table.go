package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload/persistence"
)

// tables is the one Cassandra.
type tables struct {
	of    [persistence.Keys + 1]*table
	rules *rules
	clock nodeClock
}

// nodeClock is the clock of the node: Clock in microseconds since 1970, no two alike, Second in whole seconds.
type nodeClock interface {
	Clock() int64
	Second() int64
}

func newTables(c nodeClock) *tables {
	t := &tables{rules: cassandra(), clock: c}
	for i := range t.of {
		t.of[i] = &table{rows: map[rowKey]*row{}, cleared: map[rowKey]stamp{}}
	}
	return t
}

// table is rows of cells with timestamps, of which the greatest wins.
type table struct {
	rows map[rowKey]*row
	// order is the rows by key: for scans, and as those of one Cassandra partition are clustered.
	order []rowKey
	// cleared is when all rows of a key were removed, by the key at offset 0: older writes, also those that come later, stay
	// behind it.
	cleared map[rowKey]stamp
}

// rowKey names a row; offset is part of the name in the journal alone.
type rowKey struct {
	partition int32
	key       string
	offset    int64
}

func (k rowKey) compare(l rowKey) int {
	return cmp.Or(cmp.Compare(k.partition, l.partition), cmp.Compare(k.key, l.key), cmp.Compare(k.offset, l.offset))
}

// apply executes one statement at one instant.
func (ts *tables) apply(s persistence.Statement) (persistence.Answer, error) {
	if err := ts.rules.invalid(s); err != nil {
		return persistence.Answer{}, err
	}
	t, k := ts.of[s.Table], rowKey{partition: s.Partition, key: s.Key}
	switch {
	case s.Verb == persistence.Scan:
		return persistence.Answer{Rows: ts.read(t, func(rowKey) bool { return true }, s.Writetimes)}, nil
	case s.Verb == persistence.Select && s.Table == persistence.Journal:
		return persistence.Answer{Rows: ts.read(t, func(l rowKey) bool { return l.partition == k.partition && l.key == k.key }, false)}, nil
	case s.Verb == persistence.Select && s.Table == persistence.Keys:
		return persistence.Answer{Rows: ts.read(t, func(l rowKey) bool { return l.partition == k.partition }, false)}, nil
	case s.Verb == persistence.Select:
		return persistence.Answer{Row: ts.view(t.rows[k]).read(k, s.Writetimes)}, nil
	case s.Verb == persistence.Remove && s.Table == persistence.Journal:
		t.clear(k, stamp(s.Timestamp))
		return persistence.Answer{Applied: true}, nil
	}
	if s.Table == persistence.Journal {
		k.offset = s.Offset
	}
	if s.If == persistence.Always {
		ts.view(t.row(k)).write(s, stamp(s.Timestamp))
		return persistence.Answer{Applied: true}, nil
	}
	if f := ts.view(t.rows[k]).found(); !ts.rules.holds(s, f) {
		return ts.rules.refusal(f), nil
	}
	r := t.row(k)
	r.ballot = ts.rules.ballot(r.ballot, ts.clock.Clock())
	ts.view(r).write(s, r.ballot)
	return persistence.Answer{Applied: true}, nil
}

// view is a row as the node sees it now.
func (ts *tables) view(r *row) view { return view{r, ts.rules, ts.clock.Second()} }

// row gives a row to write to.
func (t *table) row(k rowKey) *row {
	r, ok := t.rows[k]
	if !ok {
		r = &row{removed: t.cleared[rowKey{partition: k.partition, key: k.key}]}
		t.rows[k] = r
		at, _ := slices.BinarySearchFunc(t.order, k, rowKey.compare)
		t.order = slices.Insert(t.order, at, k)
	}
	return r
}

// clear removes all rows of a key by one tombstone over them.
func (t *table) clear(k rowKey, at stamp) {
	t.cleared[k] = max(t.cleared[k], at)
	for _, l := range t.order {
		if l.partition == k.partition && l.key == k.key {
			t.rows[l].removed = max(t.rows[l].removed, at)
		}
	}
}

// read gives the rows that are there, in order.
func (ts *tables) read(t *table, of func(rowKey) bool, writetimes bool) []persistence.RawRow {
	var out []persistence.RawRow
	for _, k := range t.order {
		if !of(k) {
			continue
		}
		if r := ts.view(t.rows[k]).read(k, writetimes); r != nil {
			out = append(out, *r)
		}
	}
	return out
}

// replied is the node's answer to a statement, or its error.
type replied struct {
	answer persistence.Answer
	err    error
}

// statementTimeout is how long a statement's answer is awaited.
const statementTimeout = 5 * time.Second

// Start sends a statement; no two statements keep their order on the way.
func (w *World) Start(s persistence.Statement) persistence.Call[persistence.Answer] {
	call := board.NewCall[persistence.Answer](w.board)
	expiry := expire(w.net, call, statementTimeout)
	unsure(w, w.board.Acting(), nil, func() string { return statementText(s) }, func(reply func(replied)) {
		a, err := w.tables.apply(s)
		reply(replied{a, err})
	}, func(r replied) {
		expiry.Stop()
		switch {
		case r.err != nil:
			call.Finish(r.answer, persistence.Failed, r.err)
		case w.lose(s, r.answer):
			breaks(call)()
		default:
			call.Finish(r.answer, persistence.Answered, nil)
		}
	}, func() {
		expiry.Stop()
		breaks(call)()
	})
	return call
}
