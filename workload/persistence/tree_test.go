package persistence_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/workload/persistence"
)

const (
	updateIf     = "update-if-offset"
	updateIfNull = "update-if-offset-null"
	updateExists = "update-if-exists"
	insertNew    = "insert-if-not-exists"
)

// The decision tree of a persist at @5: from kafka-flow's SnapshotSpec and the store's source.
func TestPersistTree(t *testing.T) {
	for name, c := range map[string]struct {
		replies []reply
		want    string
	}{
		"applied":                         {[]reply{applied(updateIf)}, "ok"},
		"newer":                           {[]reply{stored(updateIf, 9)}, "conflict 9"},
		"first write":                     {[]reply{absent(updateIf), applied(insertNew)}, "ok"},
		"first write lost to an older":    {[]reply{absent(updateIf), stored(insertNew, 3), applied(updateIf)}, "ok"},
		"first write lost to a newer":     {[]reply{absent(updateIf), stored(insertNew, 9), stored(updateIf, 9)}, "conflict 9"},
		"first write lost, row gone":      {[]reply{absent(updateIf), stored(insertNew, 3), absent(updateIf)}, "conflict none"},
		"first write lost, guard gone":    {[]reply{absent(updateIf), stored(insertNew, 3), null(updateIf), applied(updateIfNull)}, "ok"},
		"guard expired":                   {[]reply{null(updateIf), applied(updateIfNull)}, "ok"},
		"repair lost to a newer":          {[]reply{null(updateIf), stored(updateIfNull, 9)}, "conflict 9"},
		"repair lost to an older":         {[]reply{null(updateIf), stored(updateIfNull, 3)}, "conflict none"},
		"repair lost to itself":           {[]reply{null(updateIf), stored(updateIfNull, 5)}, "conflict none"},
		"time-out at first":               {[]reply{timeout(updateIf)}, "persist k @5: timeout: no answer"},
		"time-out at the insert":          {[]reply{absent(updateIf), timeout(insertNew)}, "persist k @5: timeout: no answer"},
		"time-out at the second update":   {[]reply{absent(updateIf), stored(insertNew, 3), timeout(updateIf)}, "persist k @5: timeout: no answer"},
		"time-out at the repair":          {[]reply{null(updateIf), timeout(updateIfNull)}, "persist k @5: timeout: no answer"},
		"unavailable at first":            {[]reply{unavailable(updateIf)}, "persist k @5: unavailable: 1 of 2"},
		"unavailable at the insert later": {[]reply{absent(updateIf), unavailable(insertNew)}, "persist k @5: unavailable: 1 of 2"},
	} {
		t.Run(name, func(t *testing.T) {
			b := recovered(t, arm(t, persistence.CassandraCAS), nil, c.replies...)
			b.Append(state(5), 5)
			if got := result(b.Flush()); got != c.want {
				t.Errorf("%s, not %s", got, c.want)
			}
			if clean := c.want == "ok"; b.Dirty() == clean {
				t.Errorf("dirty is %v after %s", b.Dirty(), c.want)
			}
		})
	}
}

// The decision tree of a delete at @5, which leaves a tombstone with its offset also where there is no row (as in
// kafka-flow): absent or guard-expired after a lost insert count as done.
func TestDeleteTree(t *testing.T) {
	for name, c := range map[string]struct {
		replies []reply
		want    string
	}{
		"applied":                  {[]reply{applied(updateIf)}, "ok"},
		"newer":                    {[]reply{stored(updateIf, 9)}, "conflict 9"},
		"guard expired":            {[]reply{null(updateIf)}, "ok"},
		"absent":                   {[]reply{absent(updateIf), applied(insertNew)}, "ok"},
		"insert lost to an older":  {[]reply{absent(updateIf), stored(insertNew, 3), applied(updateIf)}, "ok"},
		"insert lost to a newer":   {[]reply{absent(updateIf), stored(insertNew, 9), stored(updateIf, 9)}, "conflict 9"},
		"insert lost, row gone":    {[]reply{absent(updateIf), stored(insertNew, 3), absent(updateIf)}, "ok"},
		"insert lost, guard gone":  {[]reply{absent(updateIf), stored(insertNew, 3), null(updateIf)}, "ok"},
		"time-out":                 {[]reply{timeout(updateIf)}, "delete k @5: timeout: no answer"},
		"time-out at the insert":   {[]reply{absent(updateIf), timeout(insertNew)}, "delete k @5: timeout: no answer"},
		"unavailable at the third": {[]reply{absent(updateIf), stored(insertNew, 3), unavailable(updateIf)}, "delete k @5: unavailable: 1 of 2"},
	} {
		t.Run(name, func(t *testing.T) {
			b := recovered(t, arm(t, persistence.CassandraCAS), nil, c.replies...)
			if got := result(b.Delete(5)); got != c.want {
				t.Errorf("%s, not %s", got, c.want)
			}
			for _, st := range b.script.sent {
				if st.Value != nil || st.Offset != 5 || st.Metadata == "" {
					t.Errorf("%s is no tombstone: %+v", st.Form(), st)
				}
			}
		})
	}
}

// What a write leaves in the history: the point before it, the call, a point when each statement was sent, the answer with
// all statements, and the last point with what came of it. A conflict is a fail: it had no effect; a time-out is info,
// never fail: it may have had one, or may yet.
func TestWhatAWriteRecords(t *testing.T) {
	for name, c := range map[string]struct {
		arm     string
		replies []reply
		want    []string
	}{
		"applied": {persistence.CassandraCAS, []reply{absent(updateIf), applied(insertNew)}, []string{
			"before-persist @5", "invoke persist @5 a/1#1", "persist-sent @5", "persist-sent @5",
			"ok persist @5 a/1#1 [update-if-offset absent] [insert-if-not-exists applied]", "persist-answered @5 applied"}},
		"refused": {persistence.CassandraCAS, []reply{stored(updateIf, 9)}, []string{
			"before-persist @5", "invoke persist @5 a/1#1", "persist-sent @5",
			"fail persist @5 a/1#1 [update-if-offset refused 9] code condition stored 9", "persist-answered @5 refused"}},
		"spurious": {persistence.CassandraCAS, []reply{null(updateIf), stored(updateIfNull, 5)}, []string{
			"before-persist @5", "invoke persist @5 a/1#1", "persist-sent @5", "persist-sent @5",
			"fail persist @5 a/1#1 [update-if-offset null] [update-if-offset-null refused 5] code condition", "persist-answered @5 refused"}},
		"unknown": {persistence.CassandraCAS, []reply{absent(updateIf), timeout(insertNew)}, []string{
			"before-persist @5", "invoke persist @5 a/1#1", "persist-sent @5", "persist-sent @5",
			"info persist @5 a/1#1 [update-if-offset absent] [insert-if-not-exists timeout] code timeout", "persist-answered @5 unknown"}},
		"never done": {persistence.CassandraCAS, []reply{unavailable(updateIf)}, []string{
			"before-persist @5", "invoke persist @5 a/1#1", "persist-sent @5",
			"fail persist @5 a/1#1 [update-if-offset unavailable] code unavailable", "persist-answered @5 failed"}},
		"plain": {persistence.CassandraLWW, []reply{applied("update")}, []string{
			"before-persist @5", "invoke persist @5 a/1#1 ts 1001", "persist-sent @5",
			"ok persist @5 a/1#1 ts 1001 [update applied]", "persist-answered @5 applied"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := recovered(t, arm(t, c.arm), nil, c.replies...)
			b.Append(state(5), 5)
			b.Flush()
			if d := cmp.Diff(c.want, b.process.lines); d != "" {
				t.Error(d)
			}
		})
	}
}

// A statement carries the write's own id and generation, also a tombstone, and a client timestamp only when it is plain:
// Cassandra refuses USING TIMESTAMP beside IF (measured on Cassandra 5.0.5).
func TestStatements(t *testing.T) {
	const meta = `{"write":"a/1#1","generation":3}`
	b := recovered(t, arm(t, persistence.CassandraCAS), nil, applied(updateIf))
	b.Append(state(5), 5)
	b.Flush()
	if st := b.script.sent[0]; st.Metadata != meta || st.Timestamp != 0 || st.Offset != 5 || st.Key != "k" {
		t.Errorf("%+v", st)
	}
	b = recovered(t, arm(t, persistence.CassandraLWW), row(t, 5), applied("delete"))
	b.Delete(6)
	if st := b.script.sent[0]; st.Timestamp != 1001 {
		t.Errorf("%+v", st)
	}
}

// Without the condition a stale write is let in; it stays conditional on the row alone, so that clocks play no part.
func TestWithoutPersistCondition(t *testing.T) {
	without := arm(t, persistence.CassandraCAS, persistence.PersistCondition)
	b := recovered(t, without, row(t, 9), applied(updateExists))
	b.Append(state(12), 12)
	if got := result(b.Flush()); got != "ok" {
		t.Error(got)
	}
	b = recovered(t, without, nil, absent(updateExists), applied(insertNew), applied(updateIf))
	b.Append(state(5), 5)
	if got := result(b.Flush()); got != "ok" {
		t.Error(got)
	}
	// The delete has a guard of its own, which is still there.
	if got := result(b.Delete(6)); got != "ok" {
		t.Error(got)
	}
	if !slices.Equal(without.Without, []string{persistence.PersistCondition}) || without.Has(persistence.PersistCondition) {
		t.Errorf("without %v", without.Without)
	}
}

// Without the compound who found no row takes the row that somebody has made since, whatever is in it; it asks for the row
// alone, so that clocks play no part. A delete takes it in the same way.
func TestWithoutFirstWrite(t *testing.T) {
	without := arm(t, persistence.CassandraCAS, persistence.FirstWrite)
	b := recovered(t, without, nil, absent(updateIf), stored(insertNew, 9), applied(updateExists))
	b.Append(state(5), 5)
	if got := result(b.Flush()); got != "ok" {
		t.Error(got)
	}
	b = recovered(t, without, nil, absent(updateIf), stored(insertNew, 9), applied(updateExists))
	if got := result(b.Delete(5)); got != "ok" {
		t.Error(got)
	}
}

// Without the repair a row without an offset refuses every write, and names no offset that would explain it.
func TestWithoutRepair(t *testing.T) {
	for name, replies := range map[string][]reply{
		"at first":              {null(updateIf)},
		"after the first write": {absent(updateIf), stored(insertNew, 3), null(updateIf)},
	} {
		b := recovered(t, arm(t, persistence.CassandraCAS, persistence.Repair), nil, replies...)
		b.Append(state(5), 5)
		if got := result(b.Flush()); got != "conflict none" {
			t.Errorf("%s: %s", name, got)
		}
	}
}
