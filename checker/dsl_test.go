package checker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// Histories in these tests are built of steps with short names, on one partition and, unless said, one key. The event at
// offset o has the id o+1 and posts 10(o+1).00. Workers: a has generation 1, b 3, c 4.
//
//	post(0, 1)  closes(4)     records of the input, as read from the log
//	ok(w)  no(w, 9)  info(w)  call(w)     a write that was applied, refused with stored 9, unknown, never answered
//	P("a", 5)  D("a", 5)      a conditional persist, a delete; .at(ts) makes it plain; .of(0, 1, 5) gives it other contents
//	commit("b", 10)           a commit that was accepted
//	probe(row)  last(row)     the rig's reads; show(w) is the row that a write leaves, none is no row
//	readBack(offset)          the committed offset, read by the rig
//	recover_("c", 10, row)    a recovery
//	makes("c", 10, W, 3)      one from events, that made a state of them, or closed, with a floor (-1 for none)
//	journals("a", 5)  clears("b")         a row of the journal, their removal
//	inLog("b", 10)  logEnds   an entry of the group's log; its end (grouplog_test.go has the others)

const acct = "acct-1"

var generations = map[string]int32{"a": 1, "b": 3, "c": 4}

type step func(*history.Memory)

func hist(steps ...step) *history.History {
	m := history.NewMemory(history.Header{Schema: history.Schema})
	for _, s := range steps {
		s(m)
	}
	return &m.History
}

// with sets what the scenario requires and how many events its input has.
func with(h *history.History, events int64, requires ...string) *history.History {
	h.Header.Requires, h.Header.Input.Events = requires, events
	return h
}

func all(steps ...step) step {
	return func(m *history.Memory) {
		for _, s := range steps {
			s(m)
		}
	}
}

func add(m *history.Memory, process string, t history.Type, f history.F, op int64, v any) {
	m.Record(history.Event{Time: int64(len(m.Events)) * 1e6, Process: process, Type: t, F: f, Op: op, Value: v})
}

func note(process string, f history.F, v any) step {
	return func(m *history.Memory) { add(m, process, history.Note, f, 0, v) }
}

// op is a call and, unless t is empty, its answer.
func op(process string, f history.F, asked any, t history.Type, answered any) step {
	return func(m *history.Memory) {
		id := begin(m, process, f, asked)
		if t != "" {
			add(m, process, t, f, id, answered)
		}
	}
}

func begin(m *history.Memory, process string, f history.F, asked any) int64 {
	id := int64(len(m.Events)) + 1
	add(m, process, history.Invoke, f, id, asked)
	return id
}

func life(worker string) string {
	if strings.Contains(worker, "/") {
		return worker
	}
	return worker + "/1"
}

func event(offset int64) ledger.Event {
	return ledger.Event{ID: offset + 1, Account: acct, Kind: ledger.Post, Amount: decimal.New(10*(offset+1), 0)}
}

func post(offsets ...int64) step {
	return func(m *history.Memory) {
		for _, o := range offsets {
			note("drain", history.Record, &history.InputRecord{Offset: o, Event: event(o)})(m)
		}
	}
}

func closes(o int64) step {
	return note("drain", history.Record, &history.InputRecord{Offset: o,
		Event: ledger.Event{ID: o + 1, Account: acct, Kind: ledger.Close}})
}

func upTo(n int64) []int64 {
	var out []int64
	for o := int64(0); o <= n; o++ {
		out = append(out, o)
	}
	return out
}

// W is a write under construction.
type W struct {
	f history.F
	v history.Write
}

func newW(f history.F, worker string, offset int64) W {
	return W{f, history.Write{Key: acct, Offset: offset, Write: fmt.Sprintf("%s#%s%d", life(worker), f, offset),
		Owner: history.Owner{Member: life(worker), Generation: generations[history.WorkerOf(worker)]}}}
}

// P is a persist of the fold of all posts up to the offset.
func P(worker string, offset int64) W {
	return newW(history.Persist, worker, offset).of(upTo(offset)...)
}
func D(worker string, offset int64) W { return newW(history.Delete, worker, offset) }

// of gives a persist the fold of these events.
func (w W) of(offsets ...int64) W {
	var s ledger.State
	for _, o := range offsets {
		s = s.Fold(event(o), o)
	}
	w.v.State = &s
	return w
}

func (w W) at(ts int64) W {
	w.v.Timestamp = history.Some(ts)
	return w
}

func (w W) process() string { return w.v.Member }

func ok(w W) step   { return op(w.process(), w.f, &w.v, history.OK, &w.v) }
func info(w W) step { return op(w.process(), w.f, &w.v, history.Info, &w.v) }
func call(w W) step { return op(w.process(), w.f, &w.v, "", nil) }
func no(w W, stored int64) step {
	refused := w.v
	refused.Code, refused.Stored = history.CodeCondition, history.Some(stored)
	return op(w.process(), w.f, &w.v, history.Fail, &refused)
}

var none *history.Row

// show is the row that a write leaves in the fenced arm: a delete leaves a tombstone.
func show(w W) *history.Row {
	return &history.Row{Offset: history.Some(w.v.Offset), State: w.v.State, Write: w.v.Write, Generation: w.v.Generation}
}

func read(process string, p history.Purpose, row *history.Row) step {
	return op(process, history.Read, &history.RowRead{Key: acct, Purpose: p}, history.OK,
		&history.RowRead{Key: acct, Purpose: p, Row: row})
}

func probe(row *history.Row) step  { return read("observer", history.ForProbe, row) }
func last(row *history.Row) step   { return read("drain", history.ForEnd, row) }
func settle(row *history.Row) step { return read("drain", history.ForSettling, row) }

// scan is a read of the whole table that finds one row.
func scan(row *history.Row) step {
	return op("observer", history.Scan, &history.TableScan{}, history.OK,
		&history.TableScan{Rows: []history.KeyedRow{{Key: acct, Row: *row}}})
}

// readBack is the committed offset as the rig reads it.
func readBack(offset history.Opt) step {
	return op("observer", history.Committed, &history.CommittedOffset{}, history.OK, &history.CommittedOffset{Offset: offset})
}

func recover_(worker string, start int64, row *history.Row) step {
	return func(m *history.Memory) {
		v := &history.Recovery{Start: start, Keys: []string{acct}}
		id := begin(m, life(worker), history.Recover, v)
		read(life(worker), history.ForRecovery, row)(m)
		add(m, life(worker), history.OK, history.Recover, id, v)
	}
}

// recoverIn is a recovery of nothing in a generation.
func recoverIn(worker string, generation int32) step {
	v := &history.Recovery{Keys: []string{acct}, Owner: history.Owner{Generation: generation}}
	return op(life(worker), history.Recover, v, history.OK, v)
}

// recovering is a recovery that the history does not show the end of.
func recovering(worker string, start int64, row *history.Row) step {
	return all(op(life(worker), history.Recover, &history.Recovery{Start: start, Keys: []string{acct}}, "", nil),
		read(life(worker), history.ForRecovery, row))
}

// makes is a recovery from events; no row is read of the key.
func makes(worker string, start int64, state *ledger.State, floor int64) step {
	v := &history.Recovery{Start: start, Keys: []string{acct}}
	made := history.RecoveredKey{Key: acct, State: state}
	if floor >= 0 {
		made.Floor = history.Some(floor)
	}
	return op(life(worker), history.Recover, v, history.OK,
		&history.Recovery{Start: start, Keys: v.Keys, States: []history.RecoveredKey{made}})
}

// closed is the state of an account that is not open.
var closed *ledger.State

func journals(worker string, offset int64) step {
	return func(m *history.Memory) {
		v := &history.JournalWrite{Key: acct, Offset: offset, Event: event(offset), Timestamp: clock(m)}
		op(life(worker), history.Journal, v, history.OK, v)(m)
	}
}

// journaling is a row that the history has no answer of.
func journaling(worker string, offset int64) step {
	return func(m *history.Memory) {
		begin(m, life(worker), history.Journal, &history.JournalWrite{Key: acct, Offset: offset, Event: event(offset),
			Timestamp: clock(m)})
	}
}

func clears(worker string) step {
	return func(m *history.Memory) {
		v := &history.JournalRemoval{Key: acct, Timestamp: clock(m)}
		op(life(worker), history.JournalClear, v, history.OK, v)(m)
	}
}

func commit(worker string, offset int64) step {
	v := commitValue(worker, offset)
	return op(life(worker), history.Commit, v, history.OK, v)
}

// owns is a worker's part of the work: each event folded, persisted and committed. Timestamps follow offsets.
func owns(worker string, plain bool, from, to int64) step {
	return func(m *history.Memory) {
		for o := from; o <= to; o++ {
			w := P(worker, o)
			if plain {
				w = w.at(clock(m))
			}
			all(fold(worker, o), ok(w), commit(worker, o+1))(m)
		}
	}
}

// clock is a timestamp that rises with the history.
func clock(m *history.Memory) int64 { return int64(1000 + len(m.Events)) }

// now gives a plain write the time at which it is called.
func now(w W) step { return func(m *history.Memory) { ok(w.at(clock(m)))(m) } }

func point(worker, name string, offset int64) step {
	return note(life(worker), history.Point, &history.PointReached{Point: name, Key: acct, Offset: history.Some(offset),
		Owner: history.Owner{Member: life(worker), Generation: generations[history.WorkerOf(worker)]}})
}
func fold(worker string, offset int64) step { return point(worker, "folded", offset) }

func fault(what, worker string) step {
	return note("nemesis", history.Fault, &history.FaultDone{Fault: what, Target: worker, Life: life(worker), Phase: "done"})
}

func begins(worker string) step {
	return note(life(worker), history.Life, &history.LifeEvent{Status: "begin"})
}

func evicted(worker string) step {
	return note("sentinel", history.Evicted, &history.Eviction{Target: worker, Life: life(worker), Member: life(worker)})
}

func truth(at string, committed int64, rows ...history.KeyedRow) step {
	return note("drain", history.Truth, &history.GroundTruth{At: at, Rows: rows, Committed: []int64{committed}})
}

func end(finished bool) step { return note("drain", history.End, &history.Ending{Finished: finished}) }

func verdicts(rep Report, v Verdict) []string {
	var out []string
	for _, p := range rep.Properties {
		if p.Verdict == v {
			out = append(out, p.Property)
		}
	}
	return out
}

func dump(t *testing.T, h *history.History, rep Report) {
	t.Helper()
	r := NewRun(h)
	for i := range r.events {
		t.Logf("line %d: %s", r.events[i].Line(), r.describe(i))
	}
	for _, p := range rep.Properties {
		t.Logf("%s: %s: %s", p.Property, p.Verdict, p.Summary)
		for _, w := range p.Witness {
			t.Logf("    line %d: %s", w.Line, w.Text)
		}
	}
	for _, m := range rep.Requires {
		t.Logf("requires %s: %v %s", m.Requirement, m.Met, m.Missing)
	}
}
