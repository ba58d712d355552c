package clients_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers/containerstest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

func TestMain(m *testing.M) { containerstest.Main(m) }

// TestContainersDrivers holds every driver to the same answers on one pair of servers.
func TestContainersDrivers(t *testing.T) {
	servers := containerstest.Start(t)
	for _, name := range clients.DriverNames() {
		t.Run(name, func(t *testing.T) {
			s := containerstest.Connect(t, servers, clients.Driver{Name: name}, "driver_"+name)
			decoding(t, s, name)
			refusals(t, s)
		})
	}
}

// TestContainersRepairRefusedByItself: a row whose offset is gone is repaired, the answer is lost, and the driver's second
// sending finds the offset there. Taken for another's, the write would be recorded to have had no effect, and be seen.
func TestContainersRepairRefusedByItself(t *testing.T) {
	s := containerstest.Connect(t, containerstest.Start(t), clients.Driver{Name: "gocql1", Retries: 1}, "repair")
	const run = "repaired"
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	table, row := s.Where()
	if err := s.CQL(ctx, "UPDATE "+table+" SET metadata = ? WHERE "+row, "{}", "chaos", run, run, int32(0), "k"); err != nil {
		t.Fatal(err)
	}
	memory := history.NewMemory(history.Header{})
	w, err := s.Open(ctx, run, 1, memory)
	if err != nil {
		t.Fatal(err)
	}
	arm, err := persistence.NewArm(persistence.CassandraCAS, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Board().Run("a/1", func(p workload.World) {
		store := &persistence.Store{Arm: arm, Process: p, Rows: w, Life: "a/1", NextWrite: func() int64 { return 1 }}
		b, err := store.Recover("k")
		if err != nil {
			t.Error(err)
			return
		}
		lost, proof := w.Arm("a/1", workload.Rule{Message: workload.Upserts, Way: workload.Answer, Do: workload.Cut, Nth: 1}), ""
		p.Go("wire", func(workload.World) { proof, _, _ = lost.Await() })
		event := ledger.Event{ID: 1, Account: "k", Kind: ledger.Post, Amount: decimal.New(1, 0)}
		b.Append(ledger.State{}.Fold(event, 0), 0)
		if err := b.Flush(); err != nil || !p.Await(time.Second, func() bool { return proof != "" }) {
			t.Errorf("the flush: %v; the answer that was lost: %q", err, proof)
		}
	})
	if err := errors.Join(err, w.Close(ctx)); err != nil {
		t.Fatal(err)
	}
	last := history.Event{}
	for _, e := range memory.Events {
		if e.F == history.Persist {
			last = e
		}
	}
	v := last.Value.(*history.Write)
	want := []history.StatementDone{{CQL: "update-if-offset", Result: "null"},
		{CQL: "update-if-offset-null", Result: "refused", Stored: history.Some(0), Earlier: []string{"connection-closed"}}}
	if d := cmp.Diff(want, v.Statements); d != "" || last.Type != history.OK || v.Settled != history.SettledOwn {
		t.Errorf("the repair ended %s, settled %q, statements (-want +got):\n%s", last.Type, v.Settled, d)
	}
}

// decoding: a row whose offset is null, one that is not there, and one with a value are told apart in answers of every form,
// and so are an empty value and none.
func decoding(t *testing.T, s *clients.Servers, group string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	do := func(st persistence.Statement) persistence.Answer {
		t.Helper()
		a, err := s.Execute(ctx, group, st)
		if err != nil {
			t.Fatalf("%s of %s: %v", st.Form(), st.Key, err)
		}
		return a
	}
	at := func(key string, v persistence.Verb, c persistence.Condition) persistence.Statement {
		return persistence.Statement{Verb: v, If: c, Partition: 1, Key: key, Offset: 5, Metadata: "m", Value: []byte("v"), Timestamp: 1}
	}
	write := func(set, key string, values ...any) {
		t.Helper()
		values = append(values, "chaos", group, group, int32(1), key)
		table, row := s.Where()
		if err := s.CQL(ctx, "UPDATE "+table+" SET "+set+" WHERE "+row, values...); err != nil {
			t.Fatal(err)
		}
	}
	// As after the expiry of its offset's cell; and a value of no bytes.
	write("value = ?", "null", []byte("v"))
	write("offset = ?, value = ?", "empty", int64(0), []byte{})
	do(at("value", persistence.Insert, persistence.IfNotExists))
	for key, want := range map[string]*persistence.RawRow{
		"absent": nil,
		"null":   {Partition: 1, Key: "null", Value: []byte("v")},
		"empty":  {Partition: 1, Key: "empty", Offset: history.Some(0), Value: []byte{}},
		"value":  {Partition: 1, Key: "value", Offset: history.Some(5), Metadata: "m", Value: []byte("v")},
	} {
		for _, serial := range []bool{false, true} {
			st := at(key, persistence.Select, persistence.Always)
			st.Serial = serial
			if d := cmp.Diff(want, do(st).Row); d != "" {
				t.Errorf("%s read, serial %v (-want +got):\n%s", key, serial, d)
			}
		}
	}
	if found := do(at("", persistence.Scan, persistence.Always)).Rows; len(found) != 3 {
		t.Errorf("the scan found %d rows, not 3", len(found))
	}
	timed := at("value", persistence.Select, persistence.Always)
	timed.Writetimes = true
	if row := do(timed).Row; !row.WritetimeOffset.Known || !row.WritetimeValue.Known || row.TTL.Known {
		t.Errorf("times: %+v", row)
	}
	for _, c := range []struct {
		st   persistence.Statement
		want persistence.Answer
	}{
		{at("absent", persistence.Update, persistence.IfOffsetAtMost), persistence.Answer{Refusal: persistence.RowAbsent}},
		{at("null", persistence.Update, persistence.IfOffsetAtMost), persistence.Answer{Refusal: persistence.OffsetNull}},
		{at("null", persistence.Insert, persistence.IfNotExists), persistence.Answer{Refusal: persistence.OffsetNull}},
		{at("empty", persistence.Insert, persistence.IfNotExists), persistence.Answer{Refusal: persistence.OffsetStored, Stored: 0}},
		{at("value", persistence.Insert, persistence.IfNotExists), persistence.Answer{Refusal: persistence.OffsetStored, Stored: 5}},
		{at("value", persistence.Update, persistence.IfOffsetNull), persistence.Answer{Refusal: persistence.OffsetStored, Stored: 5}},
		{at("value", persistence.Update, persistence.IfOffsetAtMost), persistence.Answer{Applied: true}},
		{at("absent", persistence.Remove, persistence.IfOffsetAtMost), persistence.Answer{Refusal: persistence.RowAbsent}},
		{at("value", persistence.Remove, persistence.IfExists), persistence.Answer{Applied: true}},
	} {
		if d := cmp.Diff(c.want, do(c.st)); d != "" {
			t.Errorf("%s of %s (-want +got):\n%s", c.st.Form(), c.st.Key, d)
		}
	}
}

// refusals: an error has the same word by every driver.
func refusals(t *testing.T, s *clients.Servers) {
	table, _ := s.Where()
	for _, cql := range []string{"SELEC 1", "SELECT * FROM nowhere.at_all", "UPDATE " + table + " SET offset = 1"} {
		if err := s.CQL(context.Background(), cql); persistence.CodeOf(err) != "invalid" {
			t.Errorf("%s: %v", cql, err)
		}
	}
	var exists *clients.KeyspaceError
	if err := s.MakeSchema(context.Background(), strings.Split(table, ".")[0], 1); !errors.As(err, &exists) {
		t.Errorf("a keyspace that is there: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	if _, err := s.Execute(ctx, "late", persistence.Statement{Verb: persistence.Select, Key: "k"}); persistence.CodeOf(err) != "timeout" {
		t.Errorf("past its deadline: %v", err)
	}
}
