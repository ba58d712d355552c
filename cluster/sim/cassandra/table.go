package cassandra

import (
	"cmp"
	"slices"

	"github.com/single-writer/chaos/workload/persistence"
)

// table is rows of cells with timestamps, of which the greatest wins: those that a node has, or a part of them on its way.
type table struct {
	rows map[rowKey]*row
	// order is the rows by key: for scans, and as those of one Cassandra partition are clustered.
	order []rowKey
	// cleared is when all rows of a key were removed, by the key at offset 0: older writes, also those that come later, stay
	// behind it.
	cleared map[rowKey]Stamp
}

func newTable() *table { return &table{rows: map[rowKey]*row{}, cleared: map[rowKey]Stamp{}} }

// rowKey names a row; offset is part of the name in the journal alone.
type rowKey struct {
	partition int32
	key       string
	offset    int64
}

func (k rowKey) compare(l rowKey) int {
	return cmp.Or(cmp.Compare(k.partition, l.partition), cmp.Compare(k.key, l.key), cmp.Compare(k.offset, l.offset))
}

// whole is the key of all rows of its key.
func (k rowKey) whole() rowKey { return rowKey{partition: k.partition, key: k.key} }

func keyOf(s persistence.Statement) rowKey { return rowKey{partition: s.Partition, key: s.Key} }

// write is what a statement writes: at a time, and to end by the clock of the node that coordinates it.
type write struct {
	persistence.Statement
	at     Stamp
	second int64
}

// apply writes.
func (t *table) apply(r *Rules, w write) {
	k := keyOf(w.Statement)
	if w.Table == persistence.Journal {
		if w.Verb == persistence.Remove {
			t.clear(k, w.at)
			return
		}
		k.offset = w.Offset
	}
	view{t.row(k), r, w.second}.write(w.Statement, w.at)
}

// row gives a row to write to.
func (t *table) row(k rowKey) *row {
	r, ok := t.rows[k]
	if !ok {
		r = &row{removed: t.cleared[k.whole()]}
		t.rows[k] = r
		at, _ := slices.BinarySearchFunc(t.order, k, rowKey.compare)
		t.order = slices.Insert(t.order, at, k)
	}
	return r
}

// clear removes all rows of a key by one tombstone over them.
func (t *table) clear(k rowKey, at Stamp) {
	t.cleared[k] = max(t.cleared[k], at)
	for _, l := range t.order {
		if l.whole() == k {
			t.rows[l].removed = max(t.rows[l].removed, at)
		}
	}
}

// asks tells whether a read is about a row.
func asks(s persistence.Statement, k rowKey) bool {
	switch {
	case s.Verb == persistence.Scan:
		return true
	case s.Table == persistence.Keys && s.Verb == persistence.Select:
		return k.partition == s.Partition
	}
	return k.whole() == keyOf(s)
}

// read gives what a read finds, to a coordinator whose clock shows the second: rows that are there, in order.
func (t *table) read(r *Rules, s persistence.Statement, second int64) persistence.Answer {
	if s.Verb == persistence.Select && s.Table == persistence.Snapshots {
		k := keyOf(s)
		return persistence.Answer{Row: view{t.rows[k], r, second}.read(k, s.Writetimes)}
	}
	var out persistence.Answer
	for _, k := range t.order {
		if !asks(s, k) {
			continue
		}
		if row := (view{t.rows[k], r, second}).read(k, s.Writetimes && s.Verb == persistence.Scan); row != nil {
			out.Rows = append(out.Rows, *row)
		}
	}
	return out
}

// part copies what a statement is about.
func (t *table) part(s persistence.Statement) *table {
	out := newTable()
	for _, k := range t.order {
		if asks(s, k) {
			copied := *t.rows[k]
			out.rows[k], out.order = &copied, append(out.order, k)
		}
	}
	for k, at := range t.cleared {
		if asks(s, k) {
			out.cleared[k] = at
		}
	}
	return out
}

// merge takes in what another replica has, and tells whether there was anything new in it.
func (t *table) merge(r *Rules, o *table) (changed bool) {
	for _, k := range o.order {
		if t.row(k).merge(r, o.rows[k]) {
			changed = true
		}
	}
	for k, at := range o.cleared {
		if at > t.cleared[k] {
			t.clear(k, at)
			changed = true
		}
	}
	return changed
}
