package persistence_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/workload/persistence"
)

func posted(offset int64) ledger.Event {
	return ledger.Event{ID: offset + 1, Account: "k", Kind: ledger.Post, Amount: decimal.New(offset+1, 0)}
}

// fold is the state of these events from nothing, foldOn onto a state.
func fold(offsets ...int64) ledger.State { return foldOn(ledger.State{}, offsets...) }

func foldOn(s ledger.State, offsets ...int64) ledger.State {
	for _, o := range offsets {
		s = s.Fold(posted(o), o)
	}
	return s
}

// journaled are the rows of a journal as a read finds them.
func journaled(t *testing.T, offsets ...int64) reply {
	t.Helper()
	var rows []persistence.RawRow
	for _, o := range offsets {
		b, err := posted(o).Encode()
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, persistence.RawRow{Key: "k", Offset: history.Some(o), Value: b, Metadata: `{"write":"z/1#1","generation":1}`})
	}
	return reply{form: "journal-select", answer: persistence.Answer{Rows: rows}}
}

// life is a key under an arm that restores from events.
type life struct {
	*persistence.Key
	*script
	*process
}

// restored restores the key; then the script is what the store answers.
func restored(t *testing.T, arm *persistence.Arm, found []reply, then ...reply) life {
	t.Helper()
	s, p, writes := &script{t: t, replies: found}, &process{}, int64(0)
	store := persistence.Store{Arm: arm, Process: p, Rows: s, Events: true, Life: p.Name(), NextWrite: func() int64 { writes++; return writes }}
	k, err := store.Restore("k", false)
	if err != nil {
		t.Fatal(err)
	}
	s.replies, s.sent, p.lines = then, nil, nil
	t.Cleanup(func() {
		for _, r := range s.replies {
			t.Errorf("never sent: %s", r.form)
		}
	})
	return life{k, s, p}
}

// sentForms are the forms of what was sent, in order.
func (l life) sentForms() []string {
	var out []string
	for _, st := range l.sent {
		out = append(out, st.Form())
	}
	return out
}

// What a recovery from events comes to: kafka-flow's own examples (pull request 834, ReadState), and what they become
// without the guards. The floor is the offset below which the buffer holds nothing to be written.
func TestRestoreFromEvents(t *testing.T) {
	cas := arm(t, persistence.CassandraCAS)
	unfiltered := arm(t, persistence.CassandraCAS, persistence.JournalFloorFilter)
	unfloored := arm(t, persistence.CassandraCAS, persistence.JournalFloorFilter, persistence.JournalFloor)
	unguarded := arm(t, persistence.CassandraCAS, persistence.JournalFloorFilter, persistence.JournalFloor, persistence.MonotoneInit)
	for _, c := range []struct {
		name  string
		arm   *persistence.Arm
		found []reply
		want  ledger.State
		floor history.Opt
	}{
		{name: "a tombstone, and rows on both sides of it", arm: cas, found: []reply{found(tombstone(5)), journaled(t, 2, 3, 7, 8)},
			want: fold(7, 8), floor: history.Some(8)},
		{name: "a tombstone, and rows below it", arm: cas, found: []reply{found(tombstone(5)), journaled(t, 2, 3)}, floor: history.Some(5)},
		{name: "a value, and rows on both sides of it", arm: cas, found: []reply{found(row(t, 10)), journaled(t, 2, 11, 12)},
			want: foldOn(state(10), 11, 12), floor: history.Some(12)},
		{name: "a value that the journal leads to, and one event more", arm: cas, found: []reply{found(row(t, 2)), journaled(t, 1, 2, 3)},
			want: foldOn(state(2), 3), floor: history.Some(3)},
		{name: "no row", arm: cas, found: []reply{found(nil), journaled(t, 0, 1)}, want: fold(0, 1), floor: history.Some(1)},
		{name: "nothing", arm: cas, found: []reply{found(nil), journaled(t)}},
		{name: "a value, and no journal", arm: cas, found: []reply{found(row(t, 5)), journaled(t)}, want: state(5), floor: history.Some(5)},

		{name: "unfiltered, a tombstone", arm: unfiltered, found: []reply{found(tombstone(5)), journaled(t, 2, 3, 7, 8)},
			want: fold(2, 3, 7, 8), floor: history.Some(8)},
		{name: "unfiltered, rows up to a value", arm: unfiltered, found: []reply{found(row(t, 5)), journaled(t, 2, 5)},
			want: fold(2, 5), floor: history.Some(5)},
		{name: "unfiltered, rows below a tombstone", arm: unfiltered, found: []reply{found(tombstone(5)), journaled(t, 2, 3)},
			floor: history.Some(5)},
		{name: "unfiltered, a value and no journal", arm: unfiltered, found: []reply{found(row(t, 5)), journaled(t)},
			want: state(5), floor: history.Some(5)},
		{name: "unfloored, rows below a tombstone", arm: unfloored, found: []reply{found(tombstone(5)), journaled(t, 2, 3)},
			want: fold(2, 3), floor: history.Some(5)},
		{name: "unguarded, rows below a tombstone", arm: unguarded, found: []reply{found(tombstone(5)), journaled(t, 2, 3)},
			want: fold(2, 3), floor: history.Some(3)},
		{name: "unfloored, a value and no journal", arm: unfloored, found: []reply{found(row(t, 5)), journaled(t)}, floor: history.Some(5)},

		{name: "last-write-wins asks only the journal", arm: arm(t, persistence.CassandraLWW), found: []reply{journaled(t, 2, 3)},
			want: fold(2, 3), floor: history.Some(3)},
		{name: "so does the half fence", arm: arm(t, persistence.CassandraCASPersist), found: []reply{journaled(t)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := restored(t, c.arm, c.found)
			made := k.Outcome()
			if !k.Recovered.Equal(c.want) || made.Floor != c.floor || (made.State != nil) != c.want.Open() {
				t.Errorf("recovered %s, floor %s; want %s, floor %s", k.Recovered, made.Floor, c.want, c.floor)
			}
			if k.Dirty() {
				t.Error("dirty: what was recovered is stored already")
			}
		})
	}
}

// A close in the journal ends what is before it.
func TestRestoreOverAClose(t *testing.T) {
	rows := journaled(t, 0, 1, 2)
	b, _ := ledger.Event{ID: 2, Account: "k", Kind: ledger.Close}.Encode()
	rows.answer.Rows[1].Value = b
	if k := restored(t, arm(t, persistence.CassandraLWW), []reply{rows}); !k.Recovered.Equal(fold(2)) {
		t.Errorf("recovered %s", k.Recovered)
	}
	rows.answer.Rows = rows.answer.Rows[:2]
	k := restored(t, arm(t, persistence.CassandraLWW), []reply{rows})
	if made := k.Outcome(); made.State != nil || made.Floor != history.Some(1) {
		t.Errorf("made %+v", made)
	}
}

// A flush is: each event's row, the snapshot that they lead to, and once the key's place on the list. A delete is: the
// snapshot, the journal, the list.
func TestOrderOfWrites(t *testing.T) {
	add, event, removed := applied("keys-insert"), applied("journal-insert"), []reply{applied("journal-delete"), applied("keys-delete")}
	k := restored(t, arm(t, persistence.CassandraCAS), []reply{found(nil), journaled(t)}, slices.Concat(
		[]reply{event, event, absent(updateIf), applied(insertNew), add, event, applied(updateIf)},
		[]reply{applied(updateIf)}, removed, []reply{event, applied(updateIf), add})...)
	for _, offsets := range [][]int64{{0, 1}, {2}} {
		for _, o := range offsets {
			k.Append(posted(o), fold(offsets...), o)
		}
		if !k.Dirty() || k.Flush() != nil || k.Dirty() || k.Flush() != nil {
			t.Errorf("after %v: dirty %v", offsets, k.Dirty())
		}
	}
	if d := cmp.Diff([]string{"invoke journal", "ok journal", "journal-answered @0 applied"}, k.lines[:3]); d != "" {
		t.Error(d)
	}
	k.Append(posted(3), fold(3), 3) // what is pending is gone with its key
	if err := k.Delete(4); err != nil || k.Dirty() {
		t.Errorf("%v, dirty %v", err, k.Dirty())
	}
	k.Append(posted(5), fold(5), 5)
	if err := k.Flush(); err != nil {
		t.Error(err)
	}
	if st := k.sent[0]; st.Offset != 0 || st.Timestamp == 0 || st.Metadata != `{"write":"a/1#1","generation":0}` || st.If != persistence.Always {
		t.Errorf("%+v", st)
	}
}

// Without journal-order the snapshot is first. Last-write-wins has no such guard: its order is fixed.
func TestWithoutJournalOrder(t *testing.T) {
	k := restored(t, arm(t, persistence.CassandraCAS, persistence.JournalOrder), []reply{found(nil), journaled(t)}, stored(updateIf, 9))
	k.Append(posted(0), fold(0), 0)
	if got := result(k.Flush()); got != "conflict 9" {
		t.Error(got)
	}
	k = restored(t, arm(t, persistence.CassandraCAS), []reply{found(nil), journaled(t)}, applied("journal-insert"), stored(updateIf, 9))
	k.Append(posted(0), fold(0), 0)
	if got := result(k.Flush()); got != "conflict 9" {
		t.Error(got)
	}
}

// Also what the monotone buffer drops goes into the journal, as in kafka-flow: it lies below the floor, where no recovery of
// the fence takes it.
func TestJournalOfWhatTheBufferDrops(t *testing.T) {
	k := restored(t, arm(t, persistence.CassandraCAS), []reply{found(tombstone(5)), journaled(t)}, applied("journal-insert"), applied("keys-insert"))
	k.Append(posted(2), fold(2), 2)
	if err := k.Flush(); err != nil || k.State().Open() {
		t.Errorf("%v, %s", err, k.State())
	}
}

// Last-write-wins deletes only what it has found or stored, of the journal too.
func TestDeleteOfAJournalNeverStored(t *testing.T) {
	k := restored(t, arm(t, persistence.CassandraLWW), []reply{journaled(t)})
	k.Append(posted(0), fold(0), 0)
	if err := k.Delete(1); err != nil || k.Dirty() {
		t.Errorf("%v, dirty %v", err, k.Dirty())
	}
	k = restored(t, arm(t, persistence.CassandraLWW), []reply{journaled(t, 0)}, applied("delete"), applied("journal-delete"), applied("keys-delete"))
	if err := k.Delete(1); err != nil {
		t.Error(err)
	}
}

// A crash between the tombstone and the clearing of the journal leaves rows below the tombstone; no recovery takes them.
// In the other order it would leave a value without its journal.
func TestCrashAmidADelete(t *testing.T) {
	k := restored(t, arm(t, persistence.CassandraCAS), []reply{found(row(t, 3)), journaled(t, 1, 2, 3)}, applied(updateIf), timeout("journal-delete"))
	if err := k.Delete(4); err == nil || !strings.HasPrefix(err.Error(), "clear the journal of k: timeout") {
		t.Error(err)
	}
	if next := restored(t, arm(t, persistence.CassandraCAS), []reply{found(tombstone(4)), journaled(t, 1, 2, 3)}); next.Recovered.Open() {
		t.Errorf("recovered %s", next.Recovered)
	}
}

// An account that is closed and not opened again is flushed as a delete of all three.
func TestFlushOfAClosedJournal(t *testing.T) {
	k := restored(t, arm(t, persistence.CassandraCAS), []reply{found(row(t, 3)), journaled(t, 3)},
		applied(updateIf), applied("journal-delete"), applied("keys-delete"))
	k.Append(ledger.Event{ID: 5, Account: "k", Kind: ledger.Close}, ledger.State{}, 4)
	if err := k.Flush(); err != nil || k.sent[0].Offset != 4 || k.Dirty() {
		t.Errorf("%v, %v, dirty %v", err, k.sentForms(), k.Dirty())
	}
}

// What has no answer ends the flush, or the recovery, and is told as it is.
func TestJournalWithoutAnAnswer(t *testing.T) {
	cas := arm(t, persistence.CassandraCAS)
	for _, c := range []struct {
		replies []reply
		want    string
		lines   string
	}{
		{[]reply{timeout("journal-insert")}, "journal k @0: timeout", "info journal"},
		{[]reply{unavailable("journal-insert")}, "journal k @0: unavailable", "fail journal"},
		{[]reply{applied("journal-insert"), applied(updateIf), timeout("keys-insert")}, "key-add k: timeout", "info key-add"},
	} {
		k := restored(t, cas, []reply{found(nil), journaled(t)}, c.replies...)
		k.Append(posted(0), fold(0), 0)
		if err := k.Flush(); err == nil || !strings.HasPrefix(err.Error(), c.want) || !slices.Contains(k.lines, c.lines) {
			t.Errorf("%v, %q; want %s", err, k.lines, c.want)
		}
	}
	broken := journaled(t, 0)
	broken.answer.Rows[0].Value = []byte("{")
	for want, r := range map[string]reply{
		"read the journal of k: timeout":              timeout("journal-select"),
		"recover k: row 0 of its journal is no event": broken,
		"read the journal of k: unavailable: 1 of 2":  unavailable("journal-select"),
	} {
		store := persistence.Store{Arm: arm(t, persistence.CassandraLWW), Process: &process{}, Rows: &script{t: t, replies: []reply{r}}, Events: true}
		if _, err := store.Restore("k", false); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

// The list of keys.
func TestListed(t *testing.T) {
	p := &process{}
	store := persistence.Store{Process: p, Rows: &script{t: t, replies: []reply{
		{form: "keys-select", answer: persistence.Answer{Rows: []persistence.RawRow{{Key: "k1"}, {Key: "k2"}}}}, timeout("keys-select")}}}
	if got, err := store.Listed(); err != nil || !slices.Equal(got, []string{"k1", "k2"}) {
		t.Errorf("%v, %v", got, err)
	}
	_, err := store.Listed()
	var e *persistence.Error
	if !errors.As(err, &e) || !slices.Equal(p.lines, []string{"invoke keys-read", "ok keys-read", "invoke keys-read", "info keys-read"}) {
		t.Errorf("%v, %v", err, p.lines)
	}
}
