package persistence_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// again is the answer to a statement that the driver had sent before, to an end that the codes tell.
func again(r reply, codes ...string) reply {
	for _, code := range codes {
		r.answer.Earlier = append(r.answer.Earlier, &persistence.Error{Code: code, NoEffect: code == "unavailable", Err: errors.New(code)})
	}
	return r
}

// holds is what a read of the row finds: a write at the offset, by its id.
func holds(write string, offset int64) reply {
	return found(&persistence.RawRow{Key: "k", Offset: history.Some(offset), Metadata: fmt.Sprintf(`{"write":%q,"generation":3}`, write)})
}

const lost = "connection-closed"

// A refusal of a statement that the driver had sent before may be by its own first sending. With the write's own offset in the
// row the id of the write in it says so; else nobody can, and what nobody knows is info, never fail.
func TestRefusedByItself(t *testing.T) {
	for name, c := range map[string]struct {
		without string
		replies []reply
		want    string
		answer  string
		point   string
	}{
		"the insert, by its own first sending": {"",
			[]reply{absent(updateIf), again(stored(insertNew, 5), lost), holds("a/1#1", 5)},
			"ok", "ok persist @5 a/1#1 [update-if-offset absent] [insert-if-not-exists refused 5 after connection-closed] settled own-write",
			"persist-answered @5 applied"},
		"the repair, by its own first sending": {"",
			[]reply{null(updateIf), again(stored(updateIfNull, 5), lost), holds("a/1#1", 5)},
			"ok", "ok persist @5 a/1#1 [update-if-offset null] [update-if-offset-null refused 5 after connection-closed] settled own-write",
			"persist-answered @5 applied"},
		"the repair, by another at the same offset: its own may have been overwritten": {"",
			[]reply{null(updateIf), again(stored(updateIfNull, 5), lost), holds("b/1#4", 5)},
			"conflict none", "info persist @5 a/1#1 [update-if-offset null] [update-if-offset-null refused 5 after connection-closed] code resent",
			"persist-answered @5 unknown"},
		"the insert, by another at the same offset": {"",
			[]reply{absent(updateIf), again(stored(insertNew, 5), lost), holds("b/1#4", 5), applied(updateIf)},
			"ok", "ok persist @5 a/1#1 [update-if-offset absent] [insert-if-not-exists refused 5 after connection-closed] [update-if-offset applied]",
			"persist-answered @5 applied"},
		"by a newer one: its own may be under it": {"",
			[]reply{again(stored(updateIf, 9), lost)},
			"conflict 9", "info persist @5 a/1#1 [update-if-offset refused 9 after connection-closed] code resent stored 9",
			"persist-answered @5 unknown"},
		"the insert, by a newer one that is asked again": {"",
			[]reply{absent(updateIf), again(stored(insertNew, 9), lost), stored(updateIf, 9)},
			"conflict 9", "info persist @5 a/1#1 [update-if-offset absent] [insert-if-not-exists refused 9 after connection-closed] " +
				"[update-if-offset refused 9] code resent stored 9", "persist-answered @5 unknown"},
		"never applied before: a refusal as any": {"",
			[]reply{again(stored(updateIf, 9), "unavailable", "unavailable")},
			"conflict 9", "fail persist @5 a/1#1 [update-if-offset refused 9 after unavailable unavailable] code condition stored 9",
			"persist-answered @5 refused"},
		"the read that would tell fails": {"",
			[]reply{null(updateIf), again(stored(updateIfNull, 5), lost), timeout("select")},
			"conflict none", "info persist @5 a/1#1 [update-if-offset null] [update-if-offset-null refused 5 after connection-closed] code resent",
			"persist-answered @5 unknown"},
		"sent again and applied": {"",
			[]reply{again(applied(updateIf), lost)},
			"ok", "ok persist @5 a/1#1 [update-if-offset applied after connection-closed]", "persist-answered @5 applied"},
		"refused in doubt, then never sent": {"",
			[]reply{again(absent(updateIf), lost), unavailable(insertNew)},
			"persist k @5: unavailable: 1 of 2", "info persist @5 a/1#1 [update-if-offset absent after connection-closed] " +
				"[insert-if-not-exists unavailable] code unavailable", "persist-answered @5 unknown"},
		"without the condition, on a row that went away": {persistence.PersistCondition,
			[]reply{again(absent(updateExists), lost), applied(insertNew)},
			"ok", "ok persist @5 a/1#1 [update-if-exists absent after connection-closed] [insert-if-not-exists applied]",
			"persist-answered @5 applied"},
	} {
		t.Run(name, func(t *testing.T) {
			var without []string
			if c.without != "" {
				without = []string{c.without}
			}
			b := recovered(t, arm(t, persistence.CassandraCAS, without...), nil, c.replies...)
			b.Append(state(5), 5)
			if got := result(b.Flush()); got != c.want {
				t.Errorf("%s, not %s", got, c.want)
			}
			lines := b.process.lines
			if d := cmp.Diff([]string{c.answer, c.point}, lines[len(lines)-2:]); d != "" {
				t.Error(d)
			}
		})
	}
}

// The same of a delete. One that finds nothing to delete is done; but whether its first sending deleted it nobody knows.
func TestDeleteRefusedByItself(t *testing.T) {
	for name, c := range map[string]struct {
		without string
		replies []reply
		want    string
		answer  string
	}{
		"the tombstone's insert, by its own first sending": {"",
			[]reply{absent(updateIf), again(stored(insertNew, 5), lost), holds("a/1#1", 5)},
			"ok", "ok delete @5 a/1#1 [update-if-offset absent] [insert-if-not-exists refused 5 after connection-closed] settled own-write"},
		"by a newer one": {"",
			[]reply{again(stored(updateIf, 9), lost)},
			"conflict 9", "info delete @5 a/1#1 [update-if-offset refused 9 after connection-closed] code resent stored 9"},
		"the row is gone, by its own first sending or by another": {persistence.TombstoneGuard,
			[]reply{again(absent("delete-if-offset"), lost)},
			"ok", "info delete @5 a/1#1 [delete-if-offset absent after connection-closed] code resent"},
		"the row is gone, and it was sent once": {persistence.TombstoneGuard,
			[]reply{absent("delete-if-offset")},
			"ok", "ok delete @5 a/1#1 [delete-if-offset absent]"},
	} {
		t.Run(name, func(t *testing.T) {
			var without []string
			if c.without != "" {
				without = []string{c.without}
			}
			b := recovered(t, arm(t, persistence.CassandraCAS, without...), row(t, 3), c.replies...)
			if got := result(b.Delete(5)); got != c.want {
				t.Errorf("%s, not %s", got, c.want)
			}
			lines := b.process.lines
			if got := lines[len(lines)-2]; got != c.answer {
				t.Errorf("recorded %s\nnot      %s", got, c.answer)
			}
		})
	}
}
