package history

import "testing"

// TestPointNames: what an operation's points are called is made from its name, and is in the table; a name that is not has no
// kind of offset.
func TestPointNames(t *testing.T) {
	for _, f := range []F{Persist, Delete, Commit} {
		want := WriteOffset
		if f == Commit {
			want = NextOffset
		}
		for _, name := range []string{f.Before(), f.Sent(), f.Answered()} {
			if got := OffsetAt(name); got != want {
				t.Errorf("%s: its offset is of kind %d, not %d", name, got, want)
			}
		}
		if AfterAnswer(f.Before()) || AfterAnswer(f.Sent()) || !AfterAnswer(f.Answered()) {
			t.Errorf("%s: the point after its answer is not told from the others", f)
		}
	}
	if Journal.Answered() != PointJournalAnswered {
		t.Errorf("a row of the journal is answered at %s", Journal.Answered())
	}
	for _, p := range Points() {
		if (p.Offset == NoOffset) != (p.Name == PointTeardown) {
			t.Errorf("%s names an offset of kind %d", p.Name, p.Offset)
		}
	}
	if OffsetAt("folder") != NoOffset {
		t.Error("a point that there is none of names an offset")
	}
}

// TestWrites: what changes a table is an operation.
func TestWrites(t *testing.T) {
	var writes int
	for f, k := range vocabulary {
		if f.IsWrite() {
			writes++
		}
		if k.write && !k.op {
			t.Errorf("%s is a write, but no operation", f)
		}
	}
	if writes != 6 || Read.IsWrite() || Commit.IsWrite() || F("persists").IsOp() {
		t.Errorf("%d writes", writes)
	}
}
