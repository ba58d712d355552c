package failure

import (
	"testing"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
)

// Two failures are the same by their kinds of events and the relations between them, whatever the numbers.
func TestFingerprint(t *testing.T) {
	write := func(process string, generation int32, offset int64) history.Event {
		return history.Event{Process: process, Type: history.OK, F: history.Persist,
			Value: &history.Write{Key: "acct-1", Offset: offset, Owner: history.Owner{Member: process, Generation: generation}}}
	}
	print := func(events ...history.Event) string {
		h := &history.History{Events: events}
		r := checker.Result{Property: "p"}
		for i := range events {
			r.Witness = append(r.Witness, checker.Evidence{Index: i})
		}
		return Fingerprint(h, r)
	}
	base := print(write("b/1", 3, 9), write("a/1", 1, 5))
	if want := "p: W1 persist ok; W2 persist ok by an older owner, lower"; base != want {
		t.Errorf("%s, not %s", base, want)
	}
	if same := print(write("c/2", 8, 7), write("b/4", 2, 1)); same != base {
		t.Errorf("other numbers and names: %s", same)
	}
	for name, other := range map[string]string{
		"higher":        print(write("b/1", 3, 9), write("a/1", 1, 10)),
		"level":         print(write("b/1", 3, 9), write("a/1", 1, 9)),
		"newer owner":   print(write("b/1", 3, 9), write("a/1", 4, 5)),
		"one worker":    print(write("b/1", 3, 9), write("b/2", 1, 5)),
		"more of it":    print(write("b/1", 3, 9), write("a/1", 1, 5), write("b/1", 3, 11)),
		"another event": print(write("b/1", 3, 9), history.Event{Process: "observer", Type: history.OK, F: history.Read, Value: &history.RowRead{Key: "acct-1"}}),
	} {
		if other == base {
			t.Errorf("%s is the same: %s", name, other)
		}
	}
}
