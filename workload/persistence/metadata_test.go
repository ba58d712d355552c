package persistence

import (
	"encoding/json"
	"testing"
)

// The quick way to write and to read metadata gives what the JSON library gives, and leaves to it what is otherwise in any way.
func TestMetadata(t *testing.T) {
	for _, write := range []string{"a/1#6", "", "ä", "a\"b", "a\\b", "<&>", "a\nb"} {
		want, err := json.Marshal(metadata{write, -3})
		if got := encodeMetadata(write, -3); err != nil || got != string(want) {
			t.Errorf("%q is written as %s, and by the library as %s: %v", write, got, want, err)
		}
	}
	for _, text := range []string{
		encodeMetadata("a/1#6", 3), encodeMetadata("", 0), encodeMetadata("a/1#6", -1), encodeMetadata("ä\"b\\c<&>", 7),
		"", "{}", "free text", "null", `{"write":"a","generation":3`, `{"write":"a","generation":03}`, `{"write":"a","generation":+3}`,
		`{"write":"a","generation":3.0}`, `{"write":"a","generation":3}}`, `{"write":"a\u0041","generation":3}`, "{\"write\":\"a\nb\",\"generation\":3}",
		`{"generation":3,"write":"a"}`, `{"write":"a","generation":3,"more":1}`, `{"write":"a","generation":2147483648}`, `"write":"a","generation":3}`,
		`{"write":"a","generation":"3"}`, `{"write":"a"x","generation":3}`,
	} {
		var want metadata
		known := text != "" && json.Unmarshal([]byte(text), &want) == nil
		if got, ok := decodeMetadata(text); ok != known || ok && got != want {
			t.Errorf("%q is %+v, %v; the library says %+v, %v", text, got, ok, want, known)
		}
	}
}
