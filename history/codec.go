package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// line is the envelope of an event in JSON, in the order in which the fields are written.
type line struct {
	Index   int             `json:"index"`
	Time    int64           `json:"time"`
	Process string          `json:"process"`
	Type    Type            `json:"type"`
	F       F               `json:"f"`
	Op      int64           `json:"op,omitempty"`
	Value   json.RawMessage `json:"value"`
}

// AppendLine appends the event as one JSON line, newline included.
func AppendLine(dst []byte, e Event) ([]byte, error) {
	value, err := json.Marshal(e.Value)
	if err != nil {
		return dst, fmt.Errorf("encode %s: %w", e, err)
	}
	return appendJSON(dst, line{e.Index, e.Time, e.Process, e.Type, e.F, e.Op, value})
}

// AppendHeader appends the header as one JSON line.
func AppendHeader(dst []byte, h Header) ([]byte, error) { return appendJSON(dst, h) }

func appendJSON(dst []byte, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return dst, err
	}
	return append(append(dst, b...), '\n'), nil
}

// decodeEvent reads one line. What it refuses it names with the column where the JSON itself is broken.
func decodeEvent(b []byte) (Event, error) {
	var l line
	if err := strict(b, &l); err != nil {
		return Event{}, err
	}
	t, ok := values[l.F]
	if !ok {
		return Event{}, fmt.Errorf("unknown f %q%s", l.F, known(l.F))
	}
	v := reflect.New(t)
	if len(l.Value) == 0 || bytes.Equal(l.Value, []byte("null")) {
		return Event{}, fmt.Errorf("%s has no value", l.F)
	}
	if err := strict(l.Value, v.Interface()); err != nil {
		return Event{}, fmt.Errorf("value of %s: %w", l.F, err)
	}
	return Event{Index: l.Index, Time: l.Time, Process: l.Process, Type: l.Type, F: l.F, Op: l.Op, Value: v.Interface()}, nil
}

// strict decodes an object into the struct that v points to and refuses unknown, repeated-by-case and missing fields:
// a misspelt "ofset" must not read as offset 0.
func strict(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return jsonError(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON object")
	}
	var present map[string]json.RawMessage
	if err := json.Unmarshal(b, &present); err != nil {
		return jsonError(err)
	}
	for _, name := range required(reflect.TypeOf(v).Elem()) {
		if _, ok := present[name]; !ok {
			return fmt.Errorf("field %q is missing", name)
		}
	}
	return nil
}

// jsonError says at which byte the JSON is broken, where the decoder knows.
func jsonError(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return &columnError{column: int(syntax.Offset), err: fmt.Errorf("not JSON: %s", syntax.Error())}
	}
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		return &columnError{column: int(typ.Offset), err: fmt.Errorf("field %q: a JSON %s is no %s", typ.Field, typ.Value, typ.Type)}
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// columnError carries where in its line an error is, counted from 1.
type columnError struct {
	column int
	err    error
}

func (e *columnError) Error() string { return e.err.Error() }
func (e *columnError) Unwrap() error { return e.err }

// requiredFields caches, by struct type, the names of the fields without omitempty or omitzero.
var requiredFields sync.Map

func required(t reflect.Type) []string {
	if names, ok := requiredFields.Load(t); ok {
		return names.([]string)
	}
	var names []string
	for f := range fields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if options == "" && name != "" {
			names = append(names, name)
		}
	}
	requiredFields.Store(t, names)
	return names
}

// fields walks the fields of a struct, those of embedded structs included.
func fields(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Anonymous {
				for g := range fields(f.Type) {
					if !yield(g) {
						return
					}
				}
				continue
			}
			if !yield(f) {
				return
			}
		}
	}
}

// known lists the f that there are, for the error about one that is not.
func known(F) string {
	names := make([]string, 0, len(values))
	for f := range values {
		names = append(names, string(f))
	}
	slices.Sort(names)
	return "; known are " + strings.Join(names, ", ")
}
