package history

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/single-writer/chaos/internal/nearest"
)

// The decoder of one line. encoding/json alone would take the last of two equal keys, a key in any case, null for 0, and
// a missing field for 0, and would forget where in the line it was: "ofset" must not read as offset 0. So a line is first
// checked to be JSON, then walked along the Go type that it should have, once, with the place of everything at hand.

// broken is an error at a place in a line.
type broken struct {
	// column counts bytes from 1.
	column int
	// field is the path of the field that is meant, where there is one.
	field  string
	reason string
}

func (b *broken) Error() string {
	if b.field == "" {
		return b.reason
	}
	return fmt.Sprintf("field %q: %s", b.field, b.reason)
}

// below puts the field of an error into the field or element that holds it.
func (b *broken) below(name string) *broken {
	if b.field != "" && b.field[0] != '[' {
		name += "."
	}
	b.field = name + b.field
	return b
}

// checkJSON tells whether the line is one JSON text in UTF-8, and where it is not.
func checkJSON(b []byte) *broken {
	if !utf8.Valid(b) {
		at := 0
		for {
			r, n := utf8.DecodeRune(b[at:])
			if r == utf8.RuneError && n == 1 {
				return &broken{column: at + 1, reason: fmt.Sprintf("not UTF-8: byte 0x%02x", b[at])}
			}
			at += n
		}
	}
	if json.Valid(b) {
		return nil
	}
	var raw json.RawMessage
	err := json.Unmarshal(b, &raw)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return &broken{reason: fmt.Sprintf("not JSON: %v", err)}
	}
	column := int(syntax.Offset)
	if strings.HasPrefix(syntax.Error(), "unexpected end") {
		column = len(b) + 1
	}
	return &broken{column: column, reason: "not JSON: " + syntax.Error()}
}

// walk goes through a line that is known to be JSON.
type walk struct {
	b  []byte
	at int
}

func (w *walk) space() {
	for w.at < len(w.b) && (w.b[w.at] == ' ' || w.b[w.at] == '\t' || w.b[w.at] == '\r' || w.b[w.at] == '\n') {
		w.at++
	}
}

// peek gives the next byte that is no space.
func (w *walk) peek() byte {
	w.space()
	return w.b[w.at]
}

// raw takes the next value as it is written.
func (w *walk) raw() []byte {
	w.space()
	start, depth := w.at, 0
	for {
		switch w.b[w.at] {
		case '"':
			for w.at++; w.b[w.at] != '"'; w.at++ {
				if w.b[w.at] == '\\' {
					w.at++
				}
			}
			w.at++
		case '{', '[':
			depth++
			w.at++
		case '}', ']':
			depth--
			w.at++
		case ',', ':', ' ', '\t', '\r', '\n':
			w.at++
			continue
		default:
			for w.at < len(w.b) && !strings.ContainsRune(",]} \t\r\n", rune(w.b[w.at])) {
				w.at++
			}
		}
		if depth == 0 {
			return w.b[start:w.at]
		}
	}
}

// text gives a JSON string as a Go string.
func text(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		panic(fmt.Sprintf("history: %s was valid JSON: %v", raw, err))
	}
	return s
}

// elements goes through an array or an object: each is called with the walk before an element, or before a key.
func (w *walk) elements(each func() *broken) *broken {
	w.space()
	for w.at++; ; w.at++ {
		if c := w.peek(); c == '}' || c == ']' {
			w.at++
			return nil
		}
		if err := each(); err != nil {
			return err
		}
		if c := w.peek(); c != ',' {
			w.at++
			return nil
		}
	}
}

// rawField is a field whose value is taken as it is written, with its place in the line.
type rawField struct {
	bytes []byte
	at    int
}

// valid is what knows by itself what is wrong with it.
type valid interface{ Validate() error }

var (
	rawType  = reflect.TypeFor[rawField]()
	optType  = reflect.TypeFor[Opt]()
	jsonType = reflect.TypeFor[json.Unmarshaler]()
	textType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// into reads the next value into v.
func (w *walk) into(v reflect.Value) *broken {
	c, start := w.peek(), w.at
	t := v.Type()
	fail := func(format string, args ...any) *broken {
		return &broken{column: start + 1, reason: fmt.Sprintf(format, args...)}
	}
	if c == 'n' && t != rawType {
		if t != optType && t.Kind() != reflect.Slice && t.Kind() != reflect.Pointer {
			return fail("null where %s is due", noun(t))
		}
		w.raw()
		v.SetZero()
		return nil
	}
	switch {
	case t == rawType:
		*v.Addr().Interface().(*rawField) = rawField{w.raw(), start}
		return nil
	case t == optType:
		*v.Addr().Interface().(*Opt) = Some(0)
		return w.into(v.Field(0))
	case reflect.PointerTo(t).Implements(jsonType):
		if err := v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(w.raw()); err != nil {
			return fail("%v", err)
		}
		return nil
	case t.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		return w.into(v.Elem())
	}
	if kinds[t.Kind()] != kindOf(c) && (kindOf(c) != 's' || !reflect.PointerTo(t).Implements(textType)) {
		return fail("%s where %s is due", nounOf(c), noun(t))
	}
	switch kindOf(c) {
	case 'o':
		return w.object(v)
	case 'a':
		return w.array(v)
	case 'b':
		v.SetBool(len(w.raw()) == len("true"))
		return nil
	}
	raw := w.raw()
	if kindOf(c) == 'd' {
		n, err := strconv.ParseInt(string(raw), 10, t.Bits())
		if errors.Is(err, strconv.ErrRange) {
			return fail("%s does not fit into %d bits", raw, t.Bits())
		} else if err != nil {
			return fail("%s where a whole number is due", raw)
		}
		v.SetInt(n)
		return nil
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := u.UnmarshalText([]byte(text(raw))); err != nil {
			return fail("%v", err)
		}
		return nil
	}
	v.SetString(text(raw))
	return nil
}

func (w *walk) array(v reflect.Value) *broken {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	return w.elements(func() *broken {
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		if err := w.into(v.Index(v.Len() - 1)); err != nil {
			return err.below(fmt.Sprintf("[%d]", v.Len()-1))
		}
		return nil
	})
}

func (w *walk) object(v reflect.Value) *broken {
	table, start, seen := fieldsOf(v.Type()), w.at, uint64(0)
	err := w.elements(func() *broken {
		column := w.at + 1
		raw := w.raw()
		i, ok := table.byName[string(raw[1:len(raw)-1])] // without a copy, unlike text
		if !ok {
			name := text(raw)
			if i, ok = table.byName[name]; !ok {
				return &broken{column: column, reason: fmt.Sprintf("unknown field %.40q%s", name,
					nearest.Hint(name, table.names))}
			}
		}
		name := table.names[i]
		if seen&(1<<i) != 0 {
			return &broken{column: column, field: name, reason: "it is there twice"}
		}
		seen |= 1 << i
		w.peek()
		w.at++ // the colon
		if err := w.into(v.FieldByIndex(table.fields[i])); err != nil {
			return err.below(name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if missing := table.required &^ seen; missing != 0 {
		for i, name := range table.names {
			if missing&(1<<i) != 0 {
				return &broken{column: start + 1, field: name, reason: "it is missing"}
			}
		}
	}
	if x, ok := v.Addr().Interface().(valid); ok {
		if err := x.Validate(); err != nil {
			return &broken{column: start + 1, reason: err.Error()}
		}
	}
	return nil
}

// table is the fields of a struct type: their JSON names, where they are, and a bit for each that must be there.
type table struct {
	names    []string
	byName   map[string]int
	fields   [][]int
	required uint64
}

// tables caches them by type: making one for each line would cost more than the reading.
var tables sync.Map

func fieldsOf(t reflect.Type) *table {
	if known, ok := tables.Load(t); ok {
		return known.(*table)
	}
	made := &table{byName: map[string]int{}}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			continue
		}
		if options == "" {
			made.required |= 1 << len(made.names)
		}
		made.byName[name] = len(made.names)
		made.names = append(made.names, name)
		made.fields = append(made.fields, f.Index)
	}
	known, _ := tables.LoadOrStore(t, made)
	return known.(*table)
}

// kinds gives the sort of JSON value that a Go kind is written as, kindOf that of a value which begins with c: an object,
// an array, a string, a boolean, a number in digits.
var kinds = map[reflect.Kind]byte{
	reflect.Struct: 'o', reflect.Slice: 'a', reflect.String: 's', reflect.Bool: 'b',
	reflect.Int: 'd', reflect.Int32: 'd', reflect.Int64: 'd',
}

func kindOf(c byte) byte {
	switch c {
	case '{':
		return 'o'
	case '[':
		return 'a'
	case '"':
		return 's'
	case 't', 'f':
		return 'b'
	}
	return 'd'
}

var nouns = map[byte]string{'o': "an object", 'a': "an array", 's': "a string", 'b': "true or false", 'd': "a number"}

func nounOf(c byte) string { return nouns[kindOf(c)] }

// noun names what a Go type is in JSON.
func noun(t reflect.Type) string {
	switch {
	case reflect.PointerTo(t).Implements(textType):
		return "a string"
	case kinds[t.Kind()] == 'd':
		return "a whole number"
	}
	return nouns[kinds[t.Kind()]]
}
