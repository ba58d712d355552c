package clients

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/workload/persistence"
)

// Each form of a statement with its text and how many values it binds.
func TestQuery(t *testing.T) {
	r := &rows{keyspace: "chaos", group: "g", topic: "t"}
	key := []any{"chaos", "g", "t", int32(2), "acct-1"}
	st := persistence.Statement{Partition: 2, Key: "acct-1", Offset: 7, Metadata: "m", Value: []byte("v"), Timestamp: 99}
	with := func(v persistence.Verb, c persistence.Condition) persistence.Statement {
		s := st
		s.Verb, s.If = v, c
		return s
	}
	mortal := func(s persistence.Statement) persistence.Statement {
		s.TTL = 30
		return s
	}
	nameless := with(persistence.Update, persistence.IfOffsetAtMost)
	nameless.NoOffset = true
	tombstone := with(persistence.Update, persistence.IfOffsetAtMost)
	tombstone.Value = nil
	on := func(table persistence.Table, v persistence.Verb) persistence.Statement {
		s := with(v, persistence.Always)
		s.Table = table
		return s
	}
	timed := with(persistence.Select, persistence.Always)
	timed.Writetimes = true
	const (
		where = "WHERE application_id = ? AND group_id = ? AND topic = ? AND partition = ? AND key = ?"
		set   = "SET offset = ?, created = toTimestamp(now()), metadata = ?, value = ? "
	)
	cells := []any{int64(7), "m", []byte("v")}
	join := func(parts ...[]any) (out []any) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	tried := map[string]int{}
	for _, f := range forms("k") {
		tried[fmt.Sprint(f.Form(), f.Writetimes)]++
	}
	for _, c := range []struct {
		s      persistence.Statement
		cql    string
		values []any
	}{
		{with(persistence.Select, persistence.Always), "SELECT offset, metadata, value FROM chaos.snapshots_v2 " + where, key},
		{timed, "SELECT offset, metadata, value, WRITETIME(offset), WRITETIME(value), TTL(value) FROM chaos.snapshots_v2 " + where, key},
		{with(persistence.Scan, persistence.Always), "SELECT partition, key, offset, metadata, value FROM chaos.snapshots_v2 " +
			"WHERE application_id = ? AND group_id = ? AND topic = ? ALLOW FILTERING", key[:3]},
		{with(persistence.Update, persistence.Always), "UPDATE chaos.snapshots_v2 USING TIMESTAMP ? " + set + where,
			join([]any{int64(99)}, cells, key)},
		{with(persistence.Remove, persistence.Always), "DELETE FROM chaos.snapshots_v2 USING TIMESTAMP ? " + where,
			join([]any{int64(99)}, key)},
		{with(persistence.Update, persistence.IfOffsetAtMost), "UPDATE chaos.snapshots_v2 " + set + where + " IF offset <= ?",
			join(cells, key, []any{int64(7)})},
		{tombstone, "UPDATE chaos.snapshots_v2 " + set + where + " IF offset <= ?",
			join([]any{int64(7), "m", nil}, key, []any{int64(7)})},
		{nameless, "UPDATE chaos.snapshots_v2 " + set + where + " IF offset <= ?", join([]any{nil, "m", []byte("v")}, key, []any{nil})},
		{mortal(with(persistence.Update, persistence.Always)), "UPDATE chaos.snapshots_v2 USING TIMESTAMP ? AND TTL ? " + set + where,
			join([]any{int64(99), 30}, cells, key)},
		{mortal(with(persistence.Update, persistence.IfExists)), "UPDATE chaos.snapshots_v2 USING TTL ? " + set + where + " IF EXISTS",
			join([]any{30}, cells, key)},
		{mortal(with(persistence.Insert, persistence.IfNotExists)), "INSERT INTO chaos.snapshots_v2 (application_id, group_id, topic, partition, " +
			"key, offset, created, metadata, value) VALUES (?, ?, ?, ?, ?, ?, toTimestamp(now()), ?, ?) IF NOT EXISTS USING TTL ?",
			join(key, cells, []any{30})},
		{with(persistence.Remove, persistence.IfOffsetAtMost), "DELETE FROM chaos.snapshots_v2 " + where + " IF offset <= ?",
			join(key, []any{int64(7)})},
		{with(persistence.Remove, persistence.IfExists), "DELETE FROM chaos.snapshots_v2 " + where + " IF EXISTS", key},
		{with(persistence.Update, persistence.IfOffsetNull), "UPDATE chaos.snapshots_v2 " + set + where + " IF offset = null", join(cells, key)},
		{with(persistence.Update, persistence.IfExists), "UPDATE chaos.snapshots_v2 " + set + where + " IF EXISTS", join(cells, key)},
		{with(persistence.Insert, persistence.IfNotExists), "INSERT INTO chaos.snapshots_v2 (application_id, group_id, topic, partition, " +
			"key, offset, created, metadata, value) VALUES (?, ?, ?, ?, ?, ?, toTimestamp(now()), ?, ?) IF NOT EXISTS", join(key, cells)},

		{on(persistence.Journal, persistence.Select), "SELECT offset, metadata, value FROM chaos.records " + where, key},
		{on(persistence.Journal, persistence.Scan), "SELECT partition, key, offset, metadata, value FROM chaos.records " +
			"WHERE application_id = ? AND group_id = ? AND topic = ? ALLOW FILTERING", key[:3]},
		{on(persistence.Journal, persistence.Insert), "INSERT INTO chaos.records (application_id, group_id, topic, partition, key, offset, " +
			"created, metadata, value) VALUES (?, ?, ?, ?, ?, ?, toTimestamp(now()), ?, ?) USING TIMESTAMP ?", join(key, cells, []any{int64(99)})},
		{on(persistence.Journal, persistence.Remove), "DELETE FROM chaos.records USING TIMESTAMP ? " + where, join([]any{int64(99)}, key)},
		{on(persistence.Keys, persistence.Select), "SELECT key, metadata FROM chaos.keys " +
			"WHERE application_id = ? AND group_id = ? AND topic = ? AND partition = ?", key[:4]},
		{on(persistence.Keys, persistence.Insert), "INSERT INTO chaos.keys (application_id, group_id, topic, partition, key, created, " +
			"metadata) VALUES (?, ?, ?, ?, ?, toTimestamp(now()), ?) USING TIMESTAMP ?", join(key, []any{"m", int64(99)})},
		{on(persistence.Keys, persistence.Remove), "DELETE FROM chaos.keys USING TIMESTAMP ? " + where, join([]any{int64(99)}, key)},
	} {
		if n := tried[fmt.Sprint(c.s.Form(), c.s.Writetimes || c.s.Verb == persistence.Scan && c.s.Table == persistence.Snapshots)]; n != 1 {
			t.Errorf("%s is tried %d times before a run, not once", c.s.Form(), n)
		}
		cql, values, err := r.query(c.s)
		if err != nil || cql != c.cql {
			t.Errorf("%s: %v\n got %s\nwant %s", c.s.Form(), err, cql, c.cql)
		}
		if d := cmp.Diff(c.values, values); d != "" {
			t.Errorf("%s: values: %s", c.s.Form(), d)
		}
		if n := strings.Count(cql, "?"); n != len(values) {
			t.Errorf("%s: %d places, %d values", c.s.Form(), n, len(values))
		}
	}
	if _, _, err := r.query(with(persistence.Insert, persistence.Always)); err == nil {
		t.Error("a plain insert has no form: it would write a row marker that no arm writes")
	}
	conditional := on(persistence.Journal, persistence.Insert)
	conditional.If = persistence.IfNotExists
	for _, st := range []persistence.Statement{conditional, on(persistence.Keys, persistence.Scan), on(persistence.Journal, persistence.Update)} {
		if _, _, err := r.query(st); err == nil {
			t.Errorf("%s has a form, and nobody writes so", st.Form())
		}
	}
}
