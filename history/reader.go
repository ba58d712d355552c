package history

import (
	"bufio"
	"bytes"
	"encoding/json"
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

// ReadFrom reads and validates a history; name is used in errors. A torn last line, which a killed rig leaves, is left
// out with a warning and costs nothing else; anything else that is wrong gives a *Malformed.
func ReadFrom(name string, r io.Reader) (*History, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	h := &History{}
	check := newShape()
	for n := 1; ; n++ {
		b, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read history %s, line %d: %w", name, n, err)
		}
		whole := err == nil
		if len(b) == 0 {
			break
		}
		if !whole && !json.Valid(b) {
			if n == 1 {
				return nil, &Malformed{Name: name, Line: 1, Reason: "the header is torn: nothing can be read"}
			}
			h.Warnings = append(h.Warnings, fmt.Sprintf("%s:%d: torn last line of %d bytes left out", name, n, len(b)))
			break
		}
		if err := h.take(check, bytes.TrimRight(b, "\r\n"), n); err != nil {
			m := &Malformed{Name: name, Line: n, Reason: err.Error()}
			var at *columnError
			if errors.As(err, &at) {
				m.Column = at.column
			}
			return nil, m
		}
		if !whole {
			break
		}
	}
	if h.Header.Schema == 0 {
		return nil, &Malformed{Name: name, Line: 1, Reason: "the file is empty: not even a header"}
	}
	return h, nil
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

// decodeHeader looks at the version before anything else: a header of another version may have other fields.
func decodeHeader(b []byte) (Header, error) {
	var version struct {
		Schema *int   `json:"schema"`
		Rig    string `json:"rig"`
	}
	if err := json.Unmarshal(b, &version); err != nil {
		return Header{}, jsonError(err)
	}
	switch {
	case version.Schema == nil:
		return Header{}, errors.New("the first line is no header: it has no schema")
	case *version.Schema != Schema:
		return Header{}, fmt.Errorf("schema %d is not supported; this version reads schema %d", *version.Schema, Schema)
	}
	var h Header
	if err := strict(b, &h); err != nil {
		return Header{}, fmt.Errorf("header: %w", err)
	}
	return h, nil
}
