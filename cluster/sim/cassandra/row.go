package cassandra

import (
	"bytes"
	"cmp"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// row is cells with their timestamps. A row is there while its marker or a cell is: INSERT writes the marker, UPDATE does
// not, and a null cell keeps nothing alive.
type row struct {
	marker  cell[struct{}]
	removed Stamp
	offset  cell[int64]
	meta    cell[string]
	value   cell[[]byte]
}

// Stamp is a write timestamp in microseconds since 1970; 0 is never.
type Stamp int64

// Written is how a cell was written: when, as a null or not, and the second since 1970 at which it ends, 0 for never. A cell
// that has ended is a null, and goes on hiding what is older.
type Written struct {
	At   Stamp
	Null bool
	Ends int64
}

// cell is one column: what the write that won left.
type cell[T any] struct {
	Written
	data T
}

// put writes a cell, and tells whether that changed it.
func (c *cell[T]) put(r *Rules, w Written, v T, greater func(a, b T) bool) bool {
	if w.Null {
		w.Ends = 0
	}
	if !r.Wins(w, c.Written, !w.Null && greater(v, c.data)) {
		return false
	}
	*c = cell[T]{w, v}
	return true
}

// What is greater of two values of one column, where their timestamps tie.
func greater[T cmp.Ordered](a, b T) bool { return a > b }
func greaterBytes(a, b []byte) bool      { return bytes.Compare(a, b) > 0 }
func neither(_, _ struct{}) bool         { return false }

// merge takes in what another replica has of the row, cell by cell, and tells whether there was anything new in it.
func (r *row) merge(rules *Rules, o *row) bool {
	marker := r.marker.put(rules, o.marker.Written, o.marker.data, neither)
	offset := r.offset.put(rules, o.offset.Written, o.offset.data, greater)
	meta := r.meta.put(rules, o.meta.Written, o.meta.data, greater)
	value := r.value.put(rules, o.value.Written, o.value.data, greaterBytes)
	removed := o.removed > r.removed
	r.removed = max(r.removed, o.removed)
	return marker || offset || meta || value || removed
}

// view is a row in the eyes of a coordinator whose clock shows a second.
type view struct {
	*row
	rules  *Rules
	second int64
}

// live tells whether a cell is there after the row's removal.
func (v view) live(w Written) bool {
	return w.At > 0 && !w.Null && v.rules.Outlives(w.At, v.removed) && (w.Ends == 0 || v.second < w.Ends)
}

func (v view) exists() bool {
	return v.row != nil && v.rules.There(v.live(v.marker.Written), v.live(v.offset.Written), v.live(v.meta.Written) || v.live(v.value.Written))
}

// found is what a condition sees.
func (v view) found() Found {
	f := Found{Row: v.exists()}
	f.Value = f.Row && v.live(v.value.Written)
	if f.Row && v.live(v.offset.Written) {
		f.Offset, f.Stored = true, v.offset.data
	}
	return f
}

// write writes the cells of a statement, or removes the row.
func (v view) write(s persistence.Statement, at Stamp) {
	if s.Verb == persistence.Remove {
		v.removed = max(v.removed, at)
		return
	}
	w := Written{At: at, Ends: v.rules.Ends(s, v.second)}
	null := func(is bool) Written { return Written{at, is, w.Ends} }
	if marker, ok := v.rules.Marks(s.Verb, w); ok {
		v.marker.put(v.rules, marker, struct{}{}, neither)
	}
	expired := s.Verb == persistence.Expire
	v.offset.put(v.rules, null(s.NoOffset || expired), s.Offset, greater)
	v.value.put(v.rules, null(s.Value == nil || expired), s.Value, greaterBytes)
	if !expired {
		v.meta.put(v.rules, w, s.Metadata, greater)
	}
}

// read gives the row as a reader sees it, nil when there is none.
func (v view) read(k rowKey, writetimes bool) *persistence.RawRow {
	if !v.exists() {
		return nil
	}
	out := &persistence.RawRow{Partition: k.partition, Key: k.key}
	if v.live(v.offset.Written) {
		out.Offset = history.Some(v.offset.data)
	}
	if v.live(v.meta.Written) {
		out.Metadata = v.meta.data
	}
	if v.live(v.value.Written) {
		out.Value = v.value.data
	}
	if writetimes {
		out.WritetimeOffset = v.writetime(v.offset.Written)
		out.WritetimeValue = v.writetime(v.value.Written)
		if ends := v.value.Ends; ends > 0 && v.live(v.value.Written) {
			out.TTL = history.Some(ends - v.second)
		}
	}
	return out
}

func (v view) writetime(w Written) history.Opt {
	return history.Opt{N: int64(w.At), Known: v.live(w)}
}
