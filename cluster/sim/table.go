package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload/persistence"
)

// tables is the one Cassandra.
type tables [persistence.Keys + 1]*table

func newTables() *tables {
	var t tables
	for i := range t {
		t[i] = &table{rows: map[rowKey]*row{}, cleared: map[rowKey]stamp{}}
	}
	return &t
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
func (ts *tables) apply(s persistence.Statement, clock func() int64) persistence.Answer {
	t, k := ts[s.Table], rowKey{partition: s.Partition, key: s.Key}
	switch {
	case s.Verb == persistence.Scan:
		return persistence.Answer{Rows: t.read(func(rowKey) bool { return true }, s.Writetimes)}
	case s.Verb == persistence.Select && s.Table == persistence.Journal:
		return persistence.Answer{Rows: t.read(func(l rowKey) bool { return l.partition == k.partition && l.key == k.key }, false)}
	case s.Verb == persistence.Select && s.Table == persistence.Keys:
		return persistence.Answer{Rows: t.read(func(l rowKey) bool { return l.partition == k.partition }, false)}
	case s.Verb == persistence.Select:
		return persistence.Answer{Row: t.rows[k].read(k, s.Writetimes)}
	case s.Verb == persistence.Remove && s.Table == persistence.Journal:
		t.clear(k, stamp(s.Timestamp))
		return persistence.Answer{Applied: true}
	}
	if s.Table == persistence.Journal {
		k.offset = s.Offset
	}
	if s.If == persistence.Always {
		t.row(k).write(s, stamp(s.Timestamp))
		return persistence.Answer{Applied: true}
	}
	if refused, ok := t.refuses(k, s); ok {
		return refused
	}
	r := t.row(k)
	// A ballot is the coordinator's clock in milliseconds, lifted above the last one of the row.
	r.ballot = max(r.ballot+1, stamp(clock()/1000*1000))
	r.write(s, r.ballot)
	return persistence.Answer{Applied: true}
}

// refuses looks at the condition. The refusal names only the columns of the condition, none when there is no row.
func (t *table) refuses(k rowKey, s persistence.Statement) (persistence.Answer, bool) {
	r := t.rows[k]
	exists := r.exists()
	hasOffset := exists && r.offset.live(r.removed)
	stored := persistence.Answer{Refusal: persistence.RowAbsent}
	switch {
	case hasOffset:
		stored = persistence.Answer{Refusal: persistence.OffsetStored, Stored: r.offset.data}
	case exists:
		stored = persistence.Answer{Refusal: persistence.OffsetNull}
	}
	holds := false
	switch s.If {
	case persistence.IfOffsetAtMost:
		holds = hasOffset && r.offset.data <= s.Offset
	case persistence.IfOffsetNull:
		holds = !hasOffset
	case persistence.IfExists:
		holds = exists
	case persistence.IfNotExists:
		holds = !exists
	}
	return stored, !holds
}

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
func (t *table) read(of func(rowKey) bool, writetimes bool) []persistence.RawRow {
	var out []persistence.RawRow
	for _, k := range t.order {
		if !of(k) {
			continue
		}
		if r := t.rows[k].read(k, writetimes); r != nil {
			out = append(out, *r)
		}
	}
	return out
}

// Start sends a statement; no two statements keep their order on the way.
func (w *World) Start(s persistence.Statement) persistence.Call[persistence.Answer] {
	timeout := s.Timeout
	if timeout <= 0 {
		timeout = 5 * time.Second
	}
	call := board.NewCall[persistence.Answer](w.board)
	expiry := expire(w.net, call, timeout)
	ask(w.net, nil, func(reply func(persistence.Answer)) { reply(w.tables.apply(s, w.scheduler.Clock)) }, func(a persistence.Answer) {
		expiry.Stop()
		if w.lose(s, a) {
			call.Finish(persistence.Answer{}, persistence.Unknown, &persistence.Error{Code: "connection-closed", Err: errCut})
		}
		call.Finish(a, persistence.Answered, nil)
	})
	return call
}
