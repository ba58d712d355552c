package history

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/ledger"
)

// TestAppended: the log's own word counts once there is any, else the producer's, in the order of the log.
func TestAppended(t *testing.T) {
	m := NewMemory(Header{})
	produce := func(op, id int64) *Produced {
		v := &Produced{Event: ledger.Event{ID: id}}
		m.Record(Event{Process: "producer", Type: Invoke, F: Produce, Op: op, Value: v})
		return v
	}
	answer := func(op int64, call *Produced, at Opt) {
		v := *call
		v.Offset = at
		m.Record(Event{Process: "producer", Type: OK, F: Produce, Op: op, Value: &v})
	}
	first, second := produce(1, 1), produce(2, 2)
	answer(2, second, Some(1))
	answer(1, first, Some(0))
	answer(3, produce(3, 3), Opt{})
	produce(4, 4)
	check := func(wantLog bool, want ...Appended) {
		t.Helper()
		got, fromLog := m.Appended()
		if diff := cmp.Diff(want, got); diff != "" || fromLog != wantLog {
			t.Errorf("from the log: %v (-want +got):\n%s", fromLog, diff)
		}
	}
	told := func(partition int32, offset, id int64, at int) Appended {
		return Appended{InputRecord{partition, offset, ledger.Event{ID: id}}, at}
	}
	check(false, told(0, 0, 1, 3), told(0, 1, 2, 2))
	for _, r := range []Appended{told(1, 0, 9, 0), told(0, 1, 7, 0), told(0, 0, 8, 0), told(0, 1, 7, 0)} {
		m.Record(Event{Process: "observer", Type: Note, F: Record, Value: &r.InputRecord})
	}
	check(true, told(0, 0, 8, 9), told(0, 1, 7, 8), told(1, 0, 9, 7))
}
