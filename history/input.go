package history

import (
	"cmp"
	"slices"

	"github.com/single-writer/chaos/ledger"
)

// Produced is one append to the input.
type Produced struct {
	Partition int32        `json:"partition"`
	Event     ledger.Event `json:"event"`
	// Offset is where the broker put it; in the answer only.
	Offset Opt    `json:"offset,omitzero"`
	Error  string `json:"error,omitempty"`
}

// InputRecord is one record of the input, read from the log itself.
type InputRecord struct {
	Partition int32        `json:"partition"`
	Offset    int64        `json:"offset"`
	Event     ledger.Event `json:"event"`
}

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
