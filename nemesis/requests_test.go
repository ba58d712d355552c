package nemesis_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/single-writer/chaos/history"
)

// writes are the answers to a worker's writes up to an offset, as "info @2 connection-closed".
func (r *rig) writes(upTo int64) []string {
	var out []string
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.Write); ok && e.Type != history.Invoke && v.Offset <= upTo {
			out = append(out, fmt.Sprintf("%s %s @%d %s", e.Process, e.Type, v.Offset, v.Code))
		}
	}
	return out
}

// A lost answer leaves the worker in doubt, and not the store: the request goes on, or is long done. The worker fails, and
// its next life finds what was stored.
func TestLose(t *testing.T) {
	for seed := range int64(20) {
		r := newRig(t, seed, do("start", "a"), when("a", "persist-sent", 3, "lose", "a"), when("a", "commit-answered", 10))
		r.play(t)
		r.wantDone(t)
		want := []string{"a/1 ok @0 ", "a/1 ok @1 ", "a/1 info @2 connection-closed", "a/2 ok @3 "}
		if got := r.writes(3); !slices.Equal(got, want) {
			t.Errorf("seed %d: %v", seed, got)
		}
		if got, want := r.proof("lose"), "a/1 will not learn what came of its request, after persist-sent @2"; got != want {
			t.Errorf("it is proved by %s", got)
		}
	}
}

// The answer that comes while the worker stands between request and answer is lost too; so is that to a commit.
func TestLoseWhatIsThere(t *testing.T) {
	r := newRig(t, 1, do("start", "a"), when("a", "persist-sent", 3, "probe", "all", "probe", "all", "lose", "a"),
		when("a", "commit-sent", 5, "lose", "a"), when("a", "commit-answered", 10))
	r.play(t)
	r.wantDone(t)
	if got := r.writes(3); got[2] != "a/1 info @2 connection-closed" {
		t.Error(got)
	}
	var doubtful []int64
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.OffsetCommit); ok && e.Type == history.Info {
			doubtful = append(doubtful, v.Offset)
		}
	}
	if !slices.Equal(doubtful, []int64{5}) {
		t.Errorf("in doubt are the commits %v", doubtful)
	}
}

// A first write that meets a row which is gone when it looks again is refused, and nobody is named; the next life writes it.
func TestPhantom(t *testing.T) {
	r := newRig(t, 1, do("start", "a"), when("a", "before-persist", 1, "phantom", "a"), when("a", "commit-answered", 10))
	r.play(t)
	r.wantDone(t)
	if got, want := r.writes(1), []string{"a/1 fail @0 condition", "a/2 ok @0 ", "a/2 ok @1 "}; !slices.Equal(got, want) {
		t.Error(got)
	}
	if got, want := r.proof("phantom"), "a/1 will be told so by its next first write, after before-persist @0"; got != want {
		t.Errorf("it is proved by %s", got)
	}
}

// The whole row goes, and nothing is left that a condition could compare with: what is older than it is the first write of the
// key again.
func TestReap(t *testing.T) {
	r := newRig(t, 1, do("start", "a"), when("a", "before-persist", 5, "reap", "acct-1"), when("a", "commit-answered", 10))
	r.play(t)
	r.wantDone(t)
	if got, want := r.proof("reap"), "the row that a/1#4 left is gone"; got != want {
		t.Errorf("it is proved by %s", got)
	}
	var firsts []int64
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.Write); ok && e.Type == history.OK && len(v.Statements) == 2 {
			firsts = append(firsts, v.Offset)
		}
	}
	if !slices.Equal(firsts, []int64{0, 4}) {
		t.Errorf("first writes at %v", firsts)
	}
}

// A statement that finds no connection had no effect, and the worker knows it; the next one finds one.
func TestUnreachable(t *testing.T) {
	r := newRig(t, 1, do("start", "a"), when("a", "before-persist", 3, "unreachable", "a"), when("a", "commit-answered", 10))
	r.play(t)
	r.wantDone(t)
	want := []string{"a/1 ok @0 ", "a/1 ok @1 ", "a/1 fail @2 no-connections", "a/2 ok @2 ", "a/2 ok @3 "}
	if got := r.writes(3); !slices.Equal(got, want) {
		t.Error(got)
	}
	if got, want := r.proof("unreachable"), "a/1 has no connection for its next statement, after before-persist @2"; got != want {
		t.Errorf("it is proved by %s", got)
	}
}
