package checker

import "testing"

// What is in doubt is what ended unknown, of the worker that is asked for, of that kind.
func TestInDoubt(t *testing.T) {
	h := hist(post(0, 5), ok(P("a", 1)), info(P("a", 2)), commit("b", 3))
	for word, want := range map[string]bool{
		"write-in-doubt a": true, "write-in-doubt b": false, "commit-in-doubt a": false, "commit-in-doubt b": false,
	} {
		m := NewRun(h).Requirements([]string{word})[0]
		if m.Met != want || m.Met == (m.Missing != "") {
			t.Errorf("%s: %+v", word, m)
		}
	}
}
