package history

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Malformed is a history that breaks the rules of its own format. It is never given a verdict.
type Malformed struct {
	// Name is the file's, or what the caller called the source.
	Name string
	// Line counts from 1, Column too; Column is 0 where the whole line is meant.
	Line, Column int
	Reason       string
}

func (m *Malformed) Error() string {
	if m.Column > 0 {
		return fmt.Sprintf("%s:%d:%d: %s", m.Name, m.Line, m.Column, m.Reason)
	}
	return fmt.Sprintf("%s:%d: %s", m.Name, m.Line, m.Reason)
}

// ReadFile reads and validates the history in a file. A file that breaks the format gives a *Malformed.
func ReadFile(path string) (*History, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	defer f.Close()
	return ReadFrom(path, f)
}

// ReadFrom reads and validates a history; name is used in errors. A torn last line, one without its line end, is what a
// killed rig leaves: it is left out with a warning and costs nothing else. So the lines taken are those that wc -l counts,
// whatever byte the file was cut at. Anything else that is wrong gives a *Malformed.
func ReadFrom(name string, r io.Reader) (*History, error) { return read(name, r, maxLine) }

// maxLine is the length of a line above which no history is: a file without line ends, which is none of ours, must not
// be read into memory to find that out.
const maxLine = 64 << 20

func read(name string, r io.Reader, limit int) (*History, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	h := &History{}
	check := newShape()
	for n := 1; ; n++ {
		b, err := readLine(in, limit)
		switch {
		case errors.Is(err, errLong):
			return nil, &Malformed{Name: name, Line: n, Reason: fmt.Sprintf("the line is longer than %d bytes", limit)}
		case err != nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("read history %s, line %d: %w", name, n, err)
		case err != nil && n == 1 && len(b) == 0:
			return nil, &Malformed{Name: name, Line: 1, Reason: "the file is empty: not even a header"}
		case err != nil && n == 1:
			return nil, &Malformed{Name: name, Line: 1, Reason: "the header is torn: nothing can be read"}
		case err != nil && len(b) > 0:
			h.Warnings = append(h.Warnings, fmt.Sprintf("%s:%d: torn last line of %d bytes left out", name, n, len(b)))
		}
		if err != nil {
			return h, nil //nolint:nilerr // it is io.EOF
		}
		if err := h.take(check, bytes.TrimRight(b, "\r\n"), n); err != nil {
			m := &Malformed{Name: name, Line: n, Reason: err.Error()}
			var at *broken
			if errors.As(err, &at) {
				m.Column = at.column
			}
			return nil, m
		}
	}
}

var errLong = errors.New("line too long")

// readLine reads a line with its end; at the end of the input what is left, and io.EOF.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	b, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return b, err
	}
	whole := bytes.Clone(b)
	for errors.Is(err, bufio.ErrBufferFull) && len(whole) <= limit {
		b, err = in.ReadSlice('\n')
		whole = append(whole, b...)
	}
	if len(whole) > limit {
		return nil, errLong
	}
	return whole, err
}

// take adds one line.
func (h *History) take(check *shape, b []byte, n int) error {
	if n == 1 {
		header, err := decodeHeader(b)
		h.Header = header
		return err
	}
	if len(b) == 0 {
		return errors.New("an empty line inside the history")
	}
	e, err := decodeEvent(b)
	if err != nil {
		return err
	}
	if err := check.accept(e); err != nil {
		return err
	}
	h.Events = append(h.Events, e)
	return nil
}
