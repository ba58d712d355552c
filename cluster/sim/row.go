package sim

import (
	"bytes"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// row is cells with their timestamps. A row is there while its marker or a cell is: INSERT writes the marker, UPDATE does
// not, and a null cell keeps nothing alive.
type row struct {
	marker  cell[struct{}]
	removed stamp
	offset  cell[int64]
	meta    cell[string]
	value   cell[[]byte]
	// ballot is the timestamp of the last conditional write: rounds of one row are ordered, whatever the clocks say.
	ballot stamp
}

// stamp is a write timestamp in microseconds since 1970; 0 is never.
type stamp int64

// written is how a cell was written: when, as a null or not, and the second since 1970 at which it ends, 0 for never. A cell
// that has ended is a null, and goes on hiding what is older.
type written struct {
	at   stamp
	null bool
	ends int64
}

// cell is one column: what the write that won left.
type cell[T any] struct {
	written
	data T
}

// put writes a cell.
func (c *cell[T]) put(r *rules, w written, v T, greater func(a, b T) bool) {
	if w.null {
		w.ends = 0
	}
	if r.wins(w, c.written, !w.null && greater(v, c.data)) {
		*c = cell[T]{w, v}
	}
}

// view is a row in the eyes of a coordinator whose clock shows a second.
type view struct {
	*row
	rules  *rules
	second int64
}

// live tells whether a cell is there after the row's removal.
func (v view) live(w written) bool {
	return w.at > 0 && !w.null && v.rules.outlives(w.at, v.removed) && (w.ends == 0 || v.second < w.ends)
}

func (v view) exists() bool {
	return v.row != nil && v.rules.there(v.live(v.marker.written), v.live(v.offset.written), v.live(v.meta.written) || v.live(v.value.written))
}

// found is what a condition sees.
func (v view) found() found {
	f := found{row: v.exists()}
	f.value = f.row && v.live(v.value.written)
	if f.row && v.live(v.offset.written) {
		f.offset, f.stored = true, v.offset.data
	}
	return f
}

// write writes the cells of a statement, or removes the row.
func (v view) write(s persistence.Statement, at stamp) {
	if s.Verb == persistence.Remove {
		v.removed = max(v.removed, at)
		return
	}
	w := written{at: at, ends: v.rules.ends(s, v.second)}
	null := func(is bool) written { return written{at, is, w.ends} }
	if marker, ok := v.rules.marks(s.Verb, w); ok {
		v.marker.put(v.rules, marker, struct{}{}, func(_, _ struct{}) bool { return false })
	}
	expired := s.Verb == persistence.Expire
	v.offset.put(v.rules, null(s.NoOffset || expired), s.Offset, func(a, b int64) bool { return a > b })
	v.value.put(v.rules, null(s.Value == nil || expired), s.Value, func(a, b []byte) bool { return bytes.Compare(a, b) > 0 })
	if !expired {
		v.meta.put(v.rules, w, s.Metadata, func(a, b string) bool { return a > b })
	}
}

// read gives the row as a reader sees it, nil when there is none.
func (v view) read(k rowKey, writetimes bool) *persistence.RawRow {
	if !v.exists() {
		return nil
	}
	out := &persistence.RawRow{Partition: k.partition, Key: k.key}
	if v.live(v.offset.written) {
		out.Offset = history.Some(v.offset.data)
	}
	if v.live(v.meta.written) {
		out.Metadata = v.meta.data
	}
	if v.live(v.value.written) {
		out.Value = v.value.data
	}
	if writetimes {
		out.WritetimeOffset = v.writetime(v.offset.written)
		out.WritetimeValue = v.writetime(v.value.written)
		if ends := v.value.ends; ends > 0 && v.live(v.value.written) {
			out.TTL = history.Some(ends - v.second)
		}
	}
	return out
}

func (v view) writetime(w written) history.Opt {
	return history.Opt{N: int64(w.at), Known: v.live(w)}
}
