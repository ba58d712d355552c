package history

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMemoryGivesIndexes(t *testing.T) {
	m := NewMemory(header)
	for i := range 3 {
		if e := m.Record(Event{Index: 99, Process: "a/1", Type: Note, F: Life, Value: &LifeEvent{}}); e.Index != i {
			t.Errorf("event %d has index %d", i, e.Index)
		}
	}
	if len(m.Events) != 3 || m.Events[2].Line() != 4 {
		t.Errorf("%d events, the last on line %d", len(m.Events), m.Events[2].Line())
	}
}

// Each event is one write, whole, before Record returns: that is what a killed rig leaves readable.
func TestFileWritesEachEventAtOnce(t *testing.T) {
	var out bytes.Buffer
	f, err := NewFile(&out, header)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events() {
		f.Record(e)
		h, err := ReadFrom("x", bytes.NewReader(out.Bytes()))
		if err != nil || len(h.Warnings) > 0 {
			t.Fatal(err, h.Warnings)
		}
		if diff := cmp.Diff(f.Events, h.Events); diff != "" {
			t.Fatalf("after %s the file has not what the memory has (-want +got):\n%s", e, diff)
		}
	}
}

// full takes some bytes and then no more, like a disk.
type full struct {
	bytes.Buffer
	room int
}

var errFull = errors.New("no space left on device")

func (d *full) Write(b []byte) (int, error) {
	if len(b) > d.room {
		n, _ := d.Buffer.Write(b[:d.room])
		d.room = 0
		return n, errFull
	}
	d.room -= len(b)
	return d.Buffer.Write(b)
}

func TestFileOnAFullDisk(t *testing.T) {
	all := events()
	whole := file(t, all)
	cut := bytes.Index(whole, []byte(`{"index":5,`)) + 20
	disk := &full{room: cut}
	f, err := NewFile(disk, header)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		f.Record(e)
	}
	if !errors.Is(f.Err(), errFull) || len(f.Events) != len(all) {
		t.Errorf("error %v, %d events in memory of %d", f.Err(), len(f.Events), len(all))
	}
	h, err := ReadFrom("x", bytes.NewReader(disk.Bytes()))
	if err != nil || len(h.Events) != 5 || len(h.Warnings) != 1 {
		t.Errorf("the file has %d events, warnings %q, error %v", len(h.Events), h.Warnings, err)
	}
	if _, err := NewFile(&full{}, header); !errors.Is(err, errFull) ||
		!strings.Contains(err.Error(), "write the history's header") {
		t.Errorf("a header that cannot be written: %v", err)
	}
}

func TestFileKeepsTheFirstError(t *testing.T) {
	var out bytes.Buffer
	f, err := NewFile(&out, header)
	if err != nil {
		t.Fatal(err)
	}
	before := out.Len()
	f.Record(Event{Process: "a/1", Type: Note, F: End, Value: &Write{}})
	f.Record(Event{Process: "a/1", Type: Note, F: End, Value: &Ending{}})
	if f.Err() == nil || out.Len() != before {
		t.Errorf("error %v, and %d bytes written after it", f.Err(), out.Len()-before)
	}
}
