package sim

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// table is the one Cassandra: rows of cells with timestamps, of which the greatest wins.
type table struct {
	net  *network
	rows map[rowKey]*row
	// order is the rows by key, for scans.
	order []rowKey
}

type rowKey struct {
	partition int32
	key       string
}

// row is cells with their timestamps. A row is there while its marker or a cell is: INSERT writes the marker, UPDATE does
// not, and a null cell keeps nothing alive.
type row struct {
	marker  stamp
	removed stamp
	offset  cell[int64]
	meta    cell[string]
	value   cell[[]byte]
	// ballot is the timestamp of the last conditional write: rounds of one row are ordered, whatever the clocks say.
	ballot stamp
}

// stamp is a write timestamp in microseconds since 1970; 0 is never.
type stamp int64

// cell is one column: what the write with the greatest timestamp left.
type cell[T any] struct {
	at   stamp
	null bool
	data T
}

// put writes a cell. Of equal timestamps the null wins, then the greater value (Cassandra's reconciliation of cells).
func (c *cell[T]) put(at stamp, v T, null bool, greater func(a, b T) bool) {
	if at < c.at || at == c.at && (c.null || !null && !greater(v, c.data)) {
		return
	}
	*c = cell[T]{at: at, null: null, data: v}
}

// live tells whether the cell has a value after the row's removal.
func (c cell[T]) live(removed stamp) bool { return c.at > removed && c.at > 0 && !c.null }

func (r *row) exists() bool {
	return r != nil && (r.marker > r.removed || r.offset.live(r.removed) || r.meta.live(r.removed) || r.value.live(r.removed))
}

func newTable(n *network) *table { return &table{net: n, rows: map[rowKey]*row{}} }

// apply executes one statement at one instant.
func (t *table) apply(s persistence.Statement, clock func() int64) persistence.Answer {
	k := rowKey{s.Partition, s.Key}
	switch s.Verb {
	case persistence.Select:
		return persistence.Answer{Row: t.read(k, s.Writetimes)}
	case persistence.Scan:
		var a persistence.Answer
		for _, k := range t.order {
			if r := t.read(k, s.Writetimes); r != nil {
				a.Rows = append(a.Rows, *r)
			}
		}
		return a
	}
	if s.If == persistence.Always {
		t.write(k, s, stamp(s.Timestamp))
		return persistence.Answer{Applied: true}
	}
	if refused, ok := t.refuses(k, s); ok {
		return refused
	}
	r := t.row(k)
	// A ballot is the coordinator's clock in milliseconds, lifted above the last one of the row.
	r.ballot = max(r.ballot+1, stamp(clock()/1000*1000))
	t.write(k, s, r.ballot)
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

func (t *table) row(k rowKey) *row {
	r, ok := t.rows[k]
	if !ok {
		r = &row{}
		t.rows[k] = r
		at, _ := slices.BinarySearchFunc(t.order, k, func(a, b rowKey) int {
			return cmp.Or(cmp.Compare(a.partition, b.partition), cmp.Compare(a.key, b.key))
		})
		t.order = slices.Insert(t.order, at, k)
	}
	return r
}

func (t *table) write(k rowKey, s persistence.Statement, at stamp) {
	r := t.row(k)
	switch s.Verb {
	case persistence.Remove:
		r.removed = max(r.removed, at)
		return
	case persistence.Insert:
		r.marker = max(r.marker, at)
	}
	r.offset.put(at, s.Offset, false, func(a, b int64) bool { return a > b })
	r.meta.put(at, s.Metadata, false, func(a, b string) bool { return a > b })
	r.value.put(at, s.Value, s.Value == nil, func(a, b []byte) bool { return bytes.Compare(a, b) > 0 })
}

// read gives the row as a reader sees it, nil when there is none.
func (t *table) read(k rowKey, writetimes bool) *persistence.RawRow {
	r := t.rows[k]
	if !r.exists() {
		return nil
	}
	out := &persistence.RawRow{Partition: k.partition, Key: k.key}
	if r.offset.live(r.removed) {
		out.Offset = history.Some(r.offset.data)
	}
	if r.meta.live(r.removed) {
		out.Metadata = r.meta.data
	}
	if r.value.live(r.removed) {
		out.Value = r.value.data
	}
	if writetimes {
		out.WritetimeOffset = writetime(r.offset, r.removed)
		out.WritetimeValue = writetime(r.value, r.removed)
	}
	return out
}

func writetime[T any](c cell[T], removed stamp) history.Opt {
	return history.Opt{N: int64(c.at), Known: c.live(removed)}
}

// Start sends a statement; no two statements keep their order on the way.
func (w *World) Start(s persistence.Statement) persistence.Call[persistence.Answer] {
	timeout := s.Timeout
	if timeout <= 0 {
		timeout = 5 * time.Second
	}
	return request(w.board, w.net, nil, timeout, func(reply func(persistence.Answer)) {
		reply(w.table.apply(s, w.scheduler.Clock))
	})
}
