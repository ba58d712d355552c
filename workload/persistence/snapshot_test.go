package persistence_test

import (
	"strings"
	"testing"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/workload/persistence"
)

// The buffer of a fenced arm is monotone (as in kafka-flow): what is strictly below the cell is dropped, or a
// rightful owner that replays its window would be refused by its own row.
func TestMonotoneBuffer(t *testing.T) {
	b := recovered(t, arm(t, persistence.CassandraCAS), row(t, 5), applied(updateIf), applied(updateIf))
	b.Append(state(3), 3)
	if b.Dirty() || !b.State().Equal(state(5)) {
		t.Errorf("after a replay of @3: dirty %v, %s", b.Dirty(), b.State())
	}
	// The state that is stored: the cell stays clean. Another state at the same offset is a new one.
	b.Append(state(5), 5)
	if b.Dirty() {
		t.Error("dirty after the equal state")
	}
	other := state(4)
	other.Offset = 5
	b.Append(other, 5)
	if !b.Dirty() {
		t.Error("clean after another state at the same offset")
	}
	b.Flush()
	b.Append(state(8), 8)
	b.Flush()
	if b.Dirty() || b.script.sent[1].Offset != 8 {
		t.Errorf("dirty %v, sent %+v", b.Dirty(), b.script.sent)
	}
	if err := b.Flush(); err != nil {
		t.Error("a clean flush is nothing:", err)
	}
}

// A last-write-wins buffer has no such rule: the replay of @3 is stored over @5.
func TestPlainBufferIsNotMonotone(t *testing.T) {
	b := recovered(t, arm(t, persistence.CassandraLWW), row(t, 5), applied("update"))
	b.Append(state(3), 3)
	b.Flush()
	if got := b.script.sent[0].Offset; got != 3 {
		t.Errorf("stored @%d", got)
	}
}

// A recovered tombstone is no state, and its offset is the floor all the same (kafka-flow: K2): a replay below it
// brings nothing back.
func TestTombstoneFloor(t *testing.T) {
	b := recovered(t, arm(t, persistence.CassandraCAS), tombstone(5), applied(updateIf))
	if b.State().Open() || b.Dirty() {
		t.Errorf("recovered %s, dirty %v", b.State(), b.Dirty())
	}
	b.Append(state(4), 4)
	if b.Dirty() {
		t.Error("a replay below the tombstone is to be stored")
	}
	b.Append(state(6), 6)
	b.Flush()
	if got := b.script.sent[0].Offset; got != 6 {
		t.Errorf("stored @%d", got)
	}
}

// A delete that a replay presents below the cell is lifted to it, or the owner's own row would refuse it (as in
// kafka-flow).
func TestDeleteIsLifted(t *testing.T) {
	b := recovered(t, arm(t, persistence.CassandraCAS), row(t, 5), applied(updateIf), applied(updateIf))
	b.Delete(2)
	b.Append(state(4), 4)
	if got := b.script.sent[0].Offset; got != 5 || b.State().Open() || b.Dirty() {
		t.Errorf("deleted @%d, then %s, dirty %v", got, b.State(), b.Dirty())
	}
	b.Delete(9)
	if got := b.script.sent[1].Offset; got != 9 {
		t.Errorf("deleted @%d", got)
	}
}

// A last-write-wins owner deletes only what it has found or stored (as in kafka-flow); a fenced one always leaves its
// tombstone (F-9).
func TestDeleteOfWhatWasNeverStored(t *testing.T) {
	lww := arm(t, persistence.CassandraLWW)
	b := recovered(t, lww, nil, applied("update"), applied("delete"))
	b.Append(state(3), 3)
	b.Delete(4)
	if b.Dirty() || len(b.script.sent) != 0 {
		t.Errorf("dirty %v, sent %v", b.Dirty(), b.script.sent)
	}
	b.Append(state(5), 5)
	b.Flush()
	b.Delete(6)
	b.Delete(7)
	recovered(t, lww, row(t, 5), applied("delete")).Delete(6)
	recovered(t, arm(t, persistence.CassandraCAS), nil, absent(updateIf), applied(insertNew)).Delete(6)
}

// An account that is closed and not opened anew is flushed as a delete.
func TestFlushOfAClosedAccount(t *testing.T) {
	b := recovered(t, arm(t, persistence.CassandraCAS), row(t, 5), applied(updateIf))
	b.Append(ledger.State{}, 6)
	if !b.Dirty() {
		t.Error("clean after the close")
	}
	b.Flush()
	if st := b.script.sent[0]; st.Value != nil || st.Offset != 6 {
		t.Errorf("%+v", st)
	}
}

// What a recovery makes of a row.
func TestRecovery(t *testing.T) {
	broken := row(t, 5)
	broken.Value = broken.Value[:10]
	for name, c := range map[string]struct {
		arm  string
		row  *persistence.RawRow
		want string
	}{
		"live":                     {persistence.CassandraCAS, row(t, 5), state(5).String()},
		"absent":                   {persistence.CassandraCAS, nil, "closed"},
		"tombstone":                {persistence.CassandraCAS, tombstone(5), "closed"},
		"all cells null":           {persistence.CassandraCAS, &persistence.RawRow{Key: "k"}, "closed"},
		"tombstone in a plain arm": {persistence.CassandraLWW, tombstone(5), "closed"},
		"broken":                   {persistence.CassandraCAS, broken, "recover k: the stored value is no state"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &process{}
			store := persistence.Store{Arm: arm(t, c.arm), Process: p, Rows: &script{t: t, replies: []reply{found(c.row)}}}
			b, err := store.Recover("k")
			var got string
			if err != nil {
				got = err.Error()
			} else {
				got = b.State().String()
			}
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("%s, not %s", got, c.want)
			}
			if err == nil && b.Dirty() {
				t.Error("dirty after the recovery")
			}
			if want := "invoke read,ok read"; strings.Join(p.lines, ",") != want {
				t.Errorf("recorded %v", p.lines)
			}
		})
	}
}

// A read that has no answer ends the recovery, and the history says so.
func TestRecoveryFails(t *testing.T) {
	for want, r := range map[string]reply{"info read": timeout("select"), "fail read": unavailable("select")} {
		p := &process{}
		store := persistence.Store{Arm: arm(t, persistence.CassandraCAS), Process: p, Rows: &script{t: t, replies: []reply{r}}}
		if _, err := store.Recover("k"); err == nil || !strings.HasPrefix(err.Error(), "read k: ") {
			t.Error(err)
		}
		if p.lines[1] != want {
			t.Errorf("recorded %v", p.lines)
		}
	}
}

// What is stored is told as it is, also what nobody of this rig has written.
func TestDecode(t *testing.T) {
	r := row(t, 5).Decode()
	if r.Write != "z/1#4" || r.Generation != 2 || !r.State.Equal(state(5)) || r.Offset != history.Some(5) {
		t.Errorf("%+v", r)
	}
	if r := tombstone(5).Decode(); r == nil || r.State != nil || r.Broken != "" {
		t.Errorf("%+v", r)
	}
	if (*persistence.RawRow)(nil).Decode() != nil {
		t.Error("no row is a row")
	}
	odd := &persistence.RawRow{Value: []byte("x"), Metadata: "free text"}
	if r := odd.Decode(); r.State != nil || r.Broken != `"x"` || r.Write != "" {
		t.Errorf("%+v", r)
	}
	if r := (&persistence.RawRow{Value: []byte{}}).Decode(); r.Broken != `""` {
		t.Errorf("an empty value is no null: %+v", r)
	}
}

func TestUnknownArmsAndGuards(t *testing.T) {
	for _, c := range []struct {
		arm, without, want string
	}{
		{"cassandra/cad", "", `no arm is called "cassandra/cad"; there are: cassandra/lww, cassandra/cas-persist, cassandra/cas`},
		{"cassandra/lww", "persist-condition", `cassandra/lww has no guard "persist-condition"; its guards: replay-filter`},
		{"cassandra/cas", "luck", `cassandra/cas has no guard "luck"; its guards: replay-filter, monotone-buffer, `},
		{"cassandra/cas-persist", "tombstone", `cassandra/cas-persist has no guard "tombstone"; its guards: replay-filter, persist-condition, `},
		{"cassandra/cas", "tombstone tombstone", `the guard tombstone is taken away twice`},
		{"cassandra/cas", "tombstone-floor tombstone", `tombstone-floor has nothing to do without tombstone, so that`},
		{"cassandra/cas-persist", "persist-condition repair", `repair has nothing to do without persist-condition, so that`},
	} {
		without := strings.Fields(c.without)
		if _, err := persistence.NewArm(c.arm, without); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s without %s: %v, not %s", c.arm, c.without, err, c.want)
		}
	}
}
