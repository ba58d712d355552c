package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/single-writer/chaos/internal/nearest"
)

// line is the envelope of an event as it is read: the value waits until f has told its type.
type line struct {
	Index   int      `json:"index"`
	Time    int64    `json:"time"`
	Process string   `json:"process"`
	Type    Type     `json:"type"`
	F       F        `json:"f"`
	Op      int64    `json:"op,omitempty"`
	Value   rawField `json:"value"`
}

// AppendLine appends the event as one JSON line, newline included. An event whose value is not of the type that its f
// asks for is an error: nothing could read it.
func AppendLine(dst []byte, e Event) ([]byte, error) {
	k, ok := vocabulary[e.F]
	if !ok {
		return dst, fmt.Errorf("encode %s: %w", e, unknown(e.F))
	}
	if v := reflect.ValueOf(e.Value); !v.IsValid() || v.Type() != reflect.PointerTo(k.value) || v.IsNil() {
		return dst, fmt.Errorf("encode %s: its value must be a *%s, not %T", e, k.value.Name(), e.Value)
	}
	value, err := json.Marshal(e.Value)
	if err != nil {
		return dst, fmt.Errorf("encode %s: %w", e, err)
	}
	// The envelope is written by hand: json.Marshal would read the whole value again to see that it is JSON.
	dst = strconv.AppendInt(append(dst, `{"index":`...), int64(e.Index), 10)
	dst = strconv.AppendInt(append(dst, `,"time":`...), e.Time, 10)
	dst = appendString(append(dst, `,"process":`...), e.Process)
	dst = appendString(append(dst, `,"type":`...), string(e.Type))
	dst = appendString(append(dst, `,"f":`...), string(e.F))
	if e.Op != 0 {
		dst = strconv.AppendInt(append(dst, `,"op":`...), e.Op, 10)
	}
	return append(append(append(dst, `,"value":`...), value...), '}', '\n'), nil
}

func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || strings.IndexByte(`"\<>&`, c) >= 0 {
			quoted, _ := json.Marshal(s) // a string always has a JSON form
			return append(dst, quoted...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// AppendHeader appends the header as one JSON line.
func AppendHeader(dst []byte, h Header) ([]byte, error) {
	b, err := json.Marshal(h)
	if err != nil {
		return dst, err
	}
	return append(append(dst, b...), '\n'), nil
}

// decodeEvent reads one line.
func decodeEvent(b []byte) (Event, error) {
	if err := checkJSON(b); err != nil {
		return Event{}, err
	}
	var l line
	if err := decodeObject(b, 0, &l); err != nil {
		return Event{}, err
	}
	k, ok := vocabulary[l.F]
	if !ok {
		return Event{}, unknown(l.F)
	}
	v := reflect.New(k.value)
	if err := decodeObject(b, l.Value.at, v.Interface()); err != nil {
		err.reason = fmt.Sprintf("value of %s: %s", l.F, err.Error())
		err.field = ""
		return Event{}, err
	}
	return Event{Index: l.Index, Time: l.Time, Process: l.Process, Type: l.Type, F: l.F, Op: l.Op, Value: v.Interface()}, nil
}

// decodeObject reads the object that begins at a place of a line that is JSON.
func decodeObject(b []byte, at int, into any) *broken {
	w := walk{b, at}
	return w.into(reflect.ValueOf(into).Elem())
}

// decodeHeader looks at the version before anything else: a header of another version may have other fields.
func decodeHeader(b []byte) (Header, error) {
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		return Header{}, &broken{column: 1, reason: "the file begins with a byte order mark; a history has none"}
	}
	if err := checkJSON(b); err != nil {
		return Header{}, err
	}
	var version struct {
		Schema *json.Number `json:"schema"`
	}
	if err := json.Unmarshal(b, &version); err != nil || version.Schema == nil {
		return Header{}, errors.New("the first line is no header: it has no schema number")
	}
	if version.Schema.String() != strconv.Itoa(Schema) {
		return Header{}, fmt.Errorf("schema %s is not supported; this version reads schema %d", *version.Schema, Schema)
	}
	var h Header
	if err := decodeObject(b, 0, &h); err != nil {
		err.reason = "header: " + err.Error()
		err.field = ""
		return Header{}, err
	}
	return h, nil
}

// unknown is the error about an f that there is none of.
func unknown(f F) error {
	names := make([]string, 0, len(vocabulary))
	for known := range vocabulary {
		names = append(names, string(known))
	}
	slices.Sort(names)
	hint := nearest.Hint(string(f), names)
	if hint == "" {
		hint = "; known are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("unknown f %.40q%s", string(f), hint)
}
