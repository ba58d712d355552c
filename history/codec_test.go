package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/single-writer/chaos/ledger"
)

// fill sets every field of v to something that no other field holds; those that may be left out only if optional.
func fill(v reflect.Value, optional bool, n *int64) {
	*n++
	switch x := v.Addr().Interface().(type) {
	case *Opt:
		*x = Some(*n)
		return
	case *decimal.Decimal:
		*x = decimal.New(*n, -2)
		return
	case *ledger.Digest:
		*x = ledger.Digest(*n)
		return
	case *ledger.Kind:
		*x = ledger.Post
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("s%d <\"\\\u2028é>", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), optional, n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), optional, n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if _, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); optional || options == "" {
				fill(v.Field(i), optional, n)
			}
		}
	default:
		v.SetInt(*n)
	}
}

// filled gives a filled value of the type that f asks for.
func filled(f F, optional bool) any {
	v := reflect.New(vocabulary[f].value)
	var n int64
	fill(v.Elem(), optional, &n)
	return v.Interface()
}

// every gives all f there are, the end last.
func every() []F {
	var all []F
	for f := range vocabulary {
		if f != End {
			all = append(all, f)
		}
	}
	slices.Sort(all)
	return append(all, End)
}

// events gives an event of each f, or a whole operation: each in full, then each with what it must have only.
func events() []Event {
	var all []Event
	add := func(f F, t Type, op int64, v any) {
		n := len(all)
		all = append(all, Event{Index: n, Time: int64(n) * 1000, Process: "a/1", Type: t, F: f, Op: op, Value: v})
	}
	op := int64(0)
	for _, optional := range []bool{true, false} {
		for _, f := range every() {
			switch {
			case f.IsOp():
				op++
				add(f, Invoke, op, filled(f, false))
				add(f, []Type{OK, Fail, Info}[op%3], op, filled(f, optional))
			case f != End || !optional:
				add(f, Note, 0, filled(f, optional))
			}
		}
	}
	return all
}

var header = func() Header {
	var h Header
	var n int64
	fill(reflect.ValueOf(&h).Elem(), true, &n)
	h.Schema = Schema
	return h
}()

// file gives the events as a history file.
func file(t testing.TB, es []Event) []byte {
	t.Helper()
	var out bytes.Buffer
	f, err := NewFile(&out, header)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range es {
		f.Record(e)
	}
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestEveryValueComesBack(t *testing.T) {
	want := &History{Header: header, Events: events()}
	if err := Validate(want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFrom("x", bytes.NewReader(file(t, want.Events)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read is not what was written (-want +got):\n%s", diff)
	}
	if !got.Ended() || (&History{}).Ended() || (&History{Events: got.Events[:3]}).Ended() {
		t.Error("a history has ended when its last event is the end, and only then")
	}
}

// The form of a line is what scripts and older histories rely on: reading and writing again changes no byte.
func TestLinesStayAsTheyAre(t *testing.T) {
	lines := strings.Join([]string{first, call, answer, strings.Replace(put, "1.50", "1.5", 1), end, ""}, "\n")
	h, err := ReadFrom("x", strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	out, err := AppendHeader(nil, h.Header)
	for _, e := range h.Events {
		if err == nil {
			out, err = AppendLine(out, e)
		}
	}
	if diff := cmp.Diff(lines, string(out)); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	odd := Event{Process: "a\"\\\n<é\xff", Type: Note, F: End, Value: &Ending{}}
	b, err := AppendLine(nil, odd)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := decodeEvent(bytes.TrimSpace(b)); err != nil || e.Process != "a\"\\\n<é\ufffd" {
		t.Errorf("%s is read as %q: %v", b, e.Process, err)
	}
}

func TestOpt(t *testing.T) {
	for _, c := range []struct {
		json string
		want Opt
		text string
	}{{`null`, Opt{}, "none"}, {`0`, Some(0), "0"}, {`-1`, Some(-1), "-1"}, {`9223372036854775807`, Some(1<<63 - 1),
		"9223372036854775807"}} {
		got := Some(5)
		if err := json.Unmarshal([]byte(c.json), &got); err != nil || got != c.want || got.String() != c.text {
			t.Errorf("%s is read as %v: %v", c.json, got, err)
		}
		if b, err := json.Marshal(got); err != nil || string(b) != c.json {
			t.Errorf("%v is written as %s: %v", got, b, err)
		}
	}
	for _, bad := range []string{`"1"`, `1.5`, `9223372036854775808`, `{}`} {
		o := Some(5)
		if err := json.Unmarshal([]byte(bad), &o); err == nil || o != Some(5) {
			t.Errorf("%s is read as %v: %v", bad, o, err)
		}
	}
	b, err := json.Marshal(&CommittedOffset{})
	if err != nil || string(b) != `{"partition":0}` {
		t.Errorf("an unknown offset is written as %s: %v", b, err)
	}
}

func TestWriterRefusesWhatNobodyCouldRead(t *testing.T) {
	for _, c := range []struct {
		f    F
		v    any
		want string
	}{
		{"perist", &Write{}, `encode event 3 (a/1 note perist): unknown f "perist"; did you mean "persist"?`},
		{End, nil, `encode event 3 (a/1 note end): its value must be a *Ending, not <nil>`},
		{End, Ending{}, `encode event 3 (a/1 note end): its value must be a *Ending, not history.Ending`},
		{End, &Write{}, `encode event 3 (a/1 note end): its value must be a *Ending, not *history.Write`},
		{End, (*Ending)(nil), `encode event 3 (a/1 note end): its value must be a *Ending, not *history.Ending`},
	} {
		_, err := AppendLine(nil, Event{Index: 3, Process: "a/1", Type: Note, F: c.f, Value: c.v})
		if err == nil || err.Error() != c.want {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}
