package history

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// Wherever a killed rig's file ends, every line that wc -l counts is there and nothing else.
func TestCutAtEveryByte(t *testing.T) {
	whole := []byte(strings.Join([]string{first, call, answer, put, end, ""}, "\n"))
	uncut, err := ReadFrom("x", bytes.NewReader(whole))
	if err != nil || len(uncut.Warnings) > 0 {
		t.Fatal(err, uncut.Warnings)
	}
	for cut := range whole {
		h, err := ReadFrom("x", bytes.NewReader(whole[:cut]))
		if cut <= len(first) {
			want := "x:1: the header is torn: nothing can be read"
			if cut == 0 {
				want = "x:1: the file is empty: not even a header"
			}
			if err == nil || err.Error() != want {
				t.Fatalf("cut at %d: %v, want %s", cut, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		lines, rest := bytes.Count(whole[:cut], []byte("\n")), whole[bytes.LastIndexByte(whole[:cut], '\n')+1:cut]
		var want []string
		if len(rest) > 0 {
			want = []string{fmt.Sprintf("x:%d: torn last line of %d bytes left out", lines+1, len(rest))}
		}
		if diff := cmp.Diff(want, h.Warnings); diff != "" || len(h.Events) != lines-1 {
			t.Fatalf("cut at %d: %d events of %d lines, warnings %s", cut, len(h.Events), lines, diff)
		}
		if lines > 1 && !cmp.Equal(uncut.Events[:lines-1], h.Events) {
			t.Fatalf("cut at %d: other events than were written", cut)
		}
	}
}

const (
	first = `{"schema":1,"rig":"chaos","version":"0.1.0","scenario":"calm","arm":"cassandra/cas","guards":[],"without":[],"seed":1,` +
		`"cluster":{"kind":"sim","kafka":"sim","cassandra":"sim","consistency":"QUORUM","serial":"SERIAL"},` +
		`"input":{"partitions":1,"keys":["acct-1"],"events":1},"requires":[]}`
	call   = `{"index":0,"time":5,"process":"a/1","type":"invoke","f":"commit","op":1,"value":{"partition":0,"offset":1,"member":"m","generation":1}}`
	answer = `{"index":1,"time":6,"process":"a/1","type":"ok","f":"commit","op":1,"value":{"partition":0,"offset":1,"member":"m","generation":1}}`
	put    = `{"index":2,"time":7,"process":"a/1","type":"invoke","f":"persist","op":2,"value":{"partition":0,"key":"k","offset":0,"member":"m",` +
		`"generation":1,"write":"a/1#1","state":{"balance":"1.50","count":1,"offset":0,"digest":"00000000000000ff"}}}`
	end = `{"index":3,"time":7,"process":"drain","type":"note","f":"end","value":{"finished":true,"reason":"done"}}`
)

// Each case changes one thing in a history of a header and these four events. The column of want is given by the text
// that it points at: "4:@x" is the column of the first x in the changed line 4.
func TestMalformed(t *testing.T) {
	lines := []string{"", first, call, answer, put, end}
	for _, c := range []struct {
		line           int
		old, new, want string
	}{
		// The file.
		{1, first, "", `1:1: not JSON: unexpected end of JSON input`},
		{1, first, "\xef\xbb\xbf" + first, `1:1: the file begins with a byte order mark; a history has none`},
		{3, answer, answer + "\n", `4: an empty line inside the history`},
		{3, answer, answer + "\n\r", `4: an empty line inside the history`},
		{3, answer, "index 1", `3:1: not JSON: invalid character 'i' looking for beginning of value`},
		{3, answer, "\x00\x00", `3:1: not JSON: invalid character '\x00' looking for beginning of value`},
		{3, `"a/1"`, "\"a\x00/1\"", `3:@` + "\x00" + `: not JSON: invalid character '\x00' in string literal`},
		{3, `a/1`, "\xff", `3:@` + "\xff" + `: not UTF-8: byte 0xff`},
		{3, `a/1`, "é\xed\xa0\x80", `3:@` + "\xed" + `: not UTF-8: byte 0xed`},
		{3, answer, answer[:50], `3:51: not JSON: unexpected end of JSON input`},
		{3, answer, answer + " ?", `3:@?: not JSON: invalid character '?' after top-level value`},
		{3, answer, "[]", `3:1: an array where an object is due`},
		{3, answer, "null", `3:1: null where an object is due`},
		{3, answer, "7", `3:1: a number where an object is due`},
		{3, `a/1`, strings.Repeat("a", 100_000), `3: the line is longer than 90000 bytes`},

		// The header.
		{1, first, `{"index":0}`, `1: the first line is no header: it has no schema number`},
		{1, first, `[]`, `1: the first line is no header: it has no schema number`},
		{1, `:1,`, `:2,`, `1: schema 2 is not supported; this version reads schema 1`},
		{1, `:1,`, `:"1",`, `1:@"1": header: field "schema": a string where a whole number is due`},
		{1, `:1,`, `:1,"schema":1,`, `1:@"schema":1,"r: header: field "schema": it is there twice`},
		{1, `"seed":1,`, ``, `1:1: header: field "seed": it is missing`},
		{1, `"kafka"`, `"kafak"`, `1:@"kafak": header: field "cluster": unknown field "kafak"; did you mean "kafka"?`},
		{1, `["acct-1"]`, `["acct-1",7]`, `1:@7]: header: field "input.keys[1]": a number where a string is due`},

		// The envelope.
		{3, `"index":1,`, ``, `3:1: field "index": it is missing`},
		{3, `"value":{`, `"valeu":{`, `3:@"valeu": unknown field "valeu"; did you mean "value"?`},
		{3, `"time"`, `"Time"`, `3:@"Time": unknown field "Time"; did you mean "time"?`},
		{3, `"op":1`, `"op":1,"op":1`, `3:@"op":1,"value: field "op": it is there twice`},
		{3, `"op":1`, `"op":1,"\u006fp":1`, `3:@"\u006fp": field "op": it is there twice`},
		{3, `"op":1`, `"op":null`, `3:@null: field "op": null where a whole number is due`},
		{3, `"op":1`, `"op":1.0`, `3:@1.0: field "op": 1.0 where a whole number is due`},
		{3, `"op":1`, `"op":9223372036854775808`, `3:@9223372036854775808: field "op": 9223372036854775808 does not fit into 64 bits`},
		{3, `"commit"`, `"comit"`, `3: unknown f "comit"; did you mean "commit"?`},
		{3, `"commit"`, `"transact"`, `3: unknown f "transact"; known are commit, committed, delete, dropped, end, evicted, fault, group, ` +
			`group-log, journal, journal-clear, journal-read, key-add, key-remove, keys-read, life, persist, plan, point, produce, read, ` +
			`record, recover, scan, truth`},

		// Values.
		{3, `{"partition":0,"offset":1,"member":"m","generation":1}`, `null`, `3:@null: value of commit: null where an object is due`},
		{3, `{"partition":0,"offset":1,"member":"m","generation":1}`, `[{}]`, `3:@[{}]: value of commit: an array where an object is due`},
		{3, `"offset":1,`, ``, `3:@{"part: value of commit: field "offset": it is missing`},
		{3, `"generation":1`, `"x":"\"}"`, `3:@"x": value of commit: unknown field "x"`},
		{3, `"generation":1`, `"generation":1,"generation":1`, `3:@"generation":1}: value of commit: field "generation": it is there twice`},
		{3, `"generation":1`, `"generation":3000000000`, `3:@3000: value of commit: field "generation": 3000000000 does not fit into 32 bits`},
		{4, ``, ``, ``}, // nothing is changed
		{4, `"count":1,`, ``, `4:@{"balance: value of persist: field "state.count": it is missing`},
		{4, `"count":1`, `"count":1,"count":2`, `4:@"count":2: value of persist: field "state.count": it is there twice`},
		{4, `"count":1`, `"count":0`, `4:@{"balance: value of persist: field "state": count must be positive`},
		{4, `"count":1`, `"count":true`, `4:@true: value of persist: field "state.count": true or false where a whole number is due`},
		{4, `"1.50"`, `null`, `4:@null: value of persist: field "state.balance": null where a string is due`},
		{4, `"1.50"`, `"1.5x"`, `4:@"1.5x": value of persist: field "state.balance": error decoding string '"1.5x"': can't convert 1.5x to decimal`},
		{4, `"1.50"`, `"1e99"`, `4:@{"balance: value of persist: field "state": an amount has at most 18 decimal places and 128 bits`},
		{4, `00000000000000ff`, `ff`, `4:@"ff": value of persist: field "state.digest": digest "ff" is not 16 hexadecimal digits`},
		{4, `"state"`, `"statements":[{"cql":"update","result":"applied"},{"cql":"x"}],"state"`,
			`4:@{"cql":"x: value of persist: field "statements[1].result": it is missing`},
		{4, `"state"`, `"stored":"9","state"`, `4:@"9": value of persist: field "stored": a string where a whole number is due`},

		// The rules of shape.
		{3, `"index":1`, `"index":2`, `3: index 2 where 1 is next`},
		{3, `"index":1`, `"index":0`, `3: index 0 where 1 is next`},
		{3, `"time":6`, `"time":4`, `3: time 4 is before that of the line above, 5`},
		{2, `"time":5`, `"time":-5`, `2: time -5 is before the beginning of the run`},
		{3, `a/1`, ``, `3: event 1 ( ok commit) has no process`},
		{3, `"offset":1`, `"offset":5`, `3: event 1 (a/1 ok commit) answers op 1 about offset 5 of partition 0 by m in generation 1, ` +
			`which was called about offset 1 of partition 0 by m in generation 1`},
		{3, `a/1`, `a/2`, `3: event 1 (a/2 ok commit) answers op 1, which is event 0 (a/1 invoke commit)`},
		{3, `"op":1`, `"op":2`, `3: event 1 (a/1 ok commit) answers op 2, which no line above calls, or which was answered before`},
		{3, `"op":1,`, ``, `3: event 1 (a/1 ok commit) has no op: commit is an operation`},
		{4, `"op":2`, `"op":1`, `4: event 2 (a/1 invoke persist): op 1 is not above the op ids before it (1)`},
		{2, `"op":1`, `"op":-1`, `2: event 0 (a/1 invoke commit): op -1 is not above the op ids before it (0)`},
		{3, `"ok"`, `"done"`, `3: event 1 (a/1 done commit): the type of an operation is invoke, ok, fail or info`},
		{3, `"ok"`, `"note"`, `3: event 1 (a/1 note commit): the type of an operation is invoke, ok, fail or info`},
		{5, `"note"`, `"ok"`, `5: event 3 (drain ok end): end is a note: its type is note and it has no op`},
		{5, `"value"`, `"op":3,"value"`, `5: event 3 (drain note end): end is a note: its type is note and it has no op`},
		{5, end, end + "\n" + strings.Replace(end, "3", "4", 1), `6: event 4 (drain note end) comes after the end`},
	} {
		changed := append([]string(nil), lines...)
		changed[c.line] = strings.Replace(lines[c.line], c.old, c.new, 1)
		want := c.want
		if before, rest, ok := strings.Cut(want, ":@"); ok {
			points, reason, _ := strings.Cut(rest, ": ")
			want = fmt.Sprintf("%s:%d: %s", before, strings.Index(changed[c.line], points)+1, reason)
		}
		_, err := read("h.jsonl", strings.NewReader(strings.Join(changed[1:], "\n")+"\n"), 90_000)
		var m *Malformed
		switch {
		case want == "" && err != nil:
			t.Errorf("the history itself is refused: %v", err)
		case want != "" && (err == nil || err.Error() != "h.jsonl:"+want):
			t.Errorf("line %d, %.60q for %.60q:\n got %v\nwant h.jsonl:%s", c.line, c.new, c.old, err, want)
		case want != "" && !errors.As(err, &m):
			t.Errorf("%v is no *Malformed", err)
		}
	}
}

// What other tools may do to a history without changing what it says.
func TestLawfulForms(t *testing.T) {
	plain := strings.Join([]string{first, call, answer, put, end, ""}, "\n")
	want, err := ReadFrom("x", strings.NewReader(plain))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"CRLF line ends":     strings.ReplaceAll(plain, "\n", "\r\n"),
		"spaces":             strings.NewReplacer(`":`, "\" :\t", `,"`, ` , "`, `{`, `{ `, `}`, ` }`).Replace(plain),
		"an escaped key":     strings.Replace(plain, `"index"`, `"\u0069ndex"`, 1),
		"fields in no order": strings.Replace(plain, `"index":1,"time":6,`, `"time":6,"index":1,`, 1),
		"the value first":    strings.Replace(plain, end, `{"value":{"reason":"done","finished":true},"index":3,"time":7,"process":"drain","type":"note","f":"end"}`, 1),
		"null for left out":  strings.Replace(plain, `"write":"a/1#1"`, `"write":"a/1#1","stored":null,"statements":null`, 1),
		"a long line":        strings.Replace(plain, `{"index":3`, `{`+strings.Repeat(" ", 200_000)+`"index":3`, 1),
	} {
		got, err := ReadFrom("x", strings.NewReader(text))
		if diff := cmp.Diff(want, got); err != nil || diff != "" || text == plain {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	if _, err := ReadFile(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, []byte(first+"\n"+call+"\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil || err.Error() != path+`:3:1: field "index": it is missing` {
		t.Errorf("a malformed file: %v", err)
	}
	if err := os.WriteFile(path, []byte(first+"\n"+call+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if h, err := ReadFile(path); err != nil || len(h.Events) != 1 || h.Header.Scenario != "calm" {
		t.Errorf("a history: %v, %v", h, err)
	}
	broken := iotest.ErrReader(errors.New("input/output error"))
	if _, err := ReadFrom("x", broken); err == nil || err.Error() != "read history x, line 1: input/output error" {
		t.Errorf("a reader that fails: %v", err)
	}
}
