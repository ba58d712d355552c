package sim

import (
	"bytes"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

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

// write writes the cells of a statement, or removes the row.
func (r *row) write(s persistence.Statement, at stamp) {
	switch s.Verb {
	case persistence.Remove:
		r.removed = max(r.removed, at)
		return
	case persistence.Expire:
		r.offset.put(at, 0, true, nil)
		r.value.put(at, nil, true, nil)
		return
	case persistence.Insert:
		r.marker = max(r.marker, at)
	}
	r.offset.put(at, s.Offset, false, func(a, b int64) bool { return a > b })
	r.meta.put(at, s.Metadata, false, func(a, b string) bool { return a > b })
	r.value.put(at, s.Value, s.Value == nil, func(a, b []byte) bool { return bytes.Compare(a, b) > 0 })
}

// read gives the row as a reader sees it, nil when there is none.
func (r *row) read(k rowKey, writetimes bool) *persistence.RawRow {
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
