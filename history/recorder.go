package history

import (
	"fmt"
	"io"
)

// Memory keeps a history in memory.
type Memory struct {
	History
}

// NewMemory begins a history.
func NewMemory(h Header) *Memory { return &Memory{History{Header: h}} }

// Record appends the event.
func (m *Memory) Record(e Event) Event {
	e.Index = len(m.Events)
	m.Events = append(m.Events, e)
	return e
}

// File writes each event as one line, whole, before Record returns: what a killed rig had recorded is in the file. It
// keeps the history in memory too, so that the verdict needs no second reading.
type File struct {
	Memory
	out io.Writer
	buf []byte
	err error
}

// NewFile begins a history on the writer, which should be an unbuffered file.
func NewFile(out io.Writer, h Header) (*File, error) {
	f := &File{Memory: *NewMemory(h), out: out}
	b, err := AppendHeader(nil, h)
	if err != nil {
		return nil, fmt.Errorf("encode the history's header: %w", err)
	}
	if _, err := out.Write(b); err != nil {
		return nil, fmt.Errorf("write the history's header: %w", err)
	}
	return f, nil
}

// Record appends the event. An error of the file is kept for Err and ends the writing, not the run's memory of it.
func (f *File) Record(e Event) Event {
	e = f.Memory.Record(e)
	if f.err != nil {
		return e
	}
	f.buf, f.err = AppendLine(f.buf[:0], e)
	if f.err == nil {
		_, f.err = f.out.Write(f.buf)
	}
	return e
}

// Err is the first error of writing the file; a run whose history could not be written has no verdict.
func (f *File) Err() error { return f.err }
