package history

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzRead reads anything: nothing makes the reader panic, what it refuses it refuses as malformed with a place, and what
// it accepts it reads again from its own writing of it.
func FuzzRead(f *testing.F) {
	// Short ones: the fuzzer makes whatever it finds interesting smaller before it goes on.
	f.Add([]byte(strings.Join([]string{first, call, answer, put, end, ""}, "\n")))
	f.Add([]byte(first + "\n" + end[:40]))
	for _, name := range every() {
		e := Event{Process: "a/1", Type: Note, F: name, Value: filled(name, true)}
		if name.IsOp() {
			e.Type, e.Op = Invoke, 1
		}
		text, err := AppendLine([]byte(first+"\n"), e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := ReadFrom("x", bytes.NewReader(b))
		if err != nil {
			var m *Malformed
			if !errors.As(err, &m) || m.Line < 1 || m.Column < 0 || m.Reason == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		if got := 1 + len(h.Events); got != bytes.Count(b, []byte("\n")) {
			t.Fatalf("%d lines taken of %d", got, bytes.Count(b, []byte("\n")))
		}
		out, err := AppendHeader(nil, h.Header)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range h.Events {
			if out, err = AppendLine(out, e); err != nil {
				t.Fatal(err)
			}
		}
		again, err := ReadFrom("x", bytes.NewReader(out))
		if err != nil {
			t.Fatalf("its own writing is refused: %v\n%s", err, out)
		}
		// An empty list and one left out are the same to everybody.
		if diff := cmp.Diff(h, again, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(History{}, "Warnings")); diff != "" {
			t.Fatalf("read again it differs (-first +again):\n%s", diff)
		}
	})
}
