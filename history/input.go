package history

import (
	"cmp"
	"slices"
)

// Appended is one record of the input; At is the index of the event that tells of it.
type Appended struct {
	InputRecord
	At int
}

// Appended gives the records of the input by partition and offset, and tells whether they are what the log itself had at the
// end. Of a history that was cut before that they are what the producer was told. Two events that claim one offset are one
// record told twice.
func (h *History) Appended() (records []Appended, fromLog bool) {
	called := map[int64]*Produced{}
	var read, told []Appended
	for i, e := range h.Events {
		switch v := e.Value.(type) {
		case *InputRecord:
			fromLog = true
			if v != nil {
				read = append(read, Appended{*v, i})
			}
		case *Produced:
			call := called[e.Op]
			switch {
			case v == nil:
			case e.Type == Invoke:
				called[e.Op] = v
			case call != nil && v.Offset.Known:
				told = append(told, Appended{InputRecord{call.Partition, v.Offset.N, call.Event}, i})
			}
		}
	}
	records = told
	if fromLog {
		records = read
	}
	slices.SortStableFunc(records, func(a, b Appended) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
	})
	return slices.CompactFunc(records, func(a, b Appended) bool { return a.Partition == b.Partition && a.Offset == b.Offset }), fromLog
}
