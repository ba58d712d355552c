package measures

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// tape is a history under construction: one account on one partition, whose event at offset o posts 10(o+1). Each event is
// a millisecond after the one before, unless wait lets more time pass.
type tape struct {
	history.Memory
	now time.Duration
	op  int64
}

const acct = "acct-1"

func newTape() *tape {
	return &tape{Memory: *history.NewMemory(history.Header{
		Schema: history.Schema, Input: history.InputFacts{Partitions: 1, Keys: []string{acct}},
	})}
}

// of measures the tape.
func (t *tape) of(test *testing.T) Run {
	test.Helper()
	if err := history.Validate(&t.History); err != nil {
		test.Fatal(err)
	}
	return Of(&t.History)
}

func (t *tape) wait(d time.Duration) { t.now += d - time.Millisecond }

func (t *tape) add(process string, kind history.Type, f history.F, op int64, v any) {
	t.now += time.Millisecond
	t.Record(history.Event{Time: int64(t.now), Process: process, Type: kind, F: f, Op: op, Value: v})
}

func (t *tape) note(process string, f history.F, v any) { t.add(process, history.Note, f, 0, v) }

// call is an operation, with what happens before its answer.
func (t *tape) call(process string, f history.F, kind history.Type, asked, answered any, meanwhile ...func()) {
	t.op++
	op := t.op
	t.add(process, history.Invoke, f, op, asked)
	for _, m := range meanwhile {
		m()
	}
	t.add(process, kind, f, op, answered)
}

func event(offset int64) ledger.Event {
	return ledger.Event{ID: offset + 1, Account: acct, Kind: ledger.Post, Amount: decimal.New(10*(offset+1), 0)}
}

// posts are records of the input; a negative offset is a close.
func (t *tape) posts(offsets ...int64) {
	for _, o := range offsets {
		e := event(max(o, -o))
		if o < 0 {
			e.Kind, e.Amount = ledger.Close, decimal.Zero
		}
		t.note("drain", history.Record, &history.InputRecord{Offset: max(o, -o), Event: e})
	}
}

// state is the fold of the events at these offsets.
func state(offsets ...int64) *ledger.State {
	var s ledger.State
	for _, o := range offsets {
		s = s.Fold(event(o), o)
	}
	return &s
}

func row(offsets ...int64) *history.Row {
	s := state(offsets...)
	return &history.Row{Offset: history.Some(s.Offset), State: s}
}

func (t *tape) persist(process string, offset int64, kind history.Type, meanwhile ...func()) {
	asked := &history.Write{Key: acct, Offset: offset, State: state(offset), Write: process}
	answered := *asked
	answered.Statements = []history.StatementDone{{CQL: "update-if-offset", Result: "absent"},
		{CQL: "insert-if-not-exists", Result: "applied"}}
	if kind == history.Fail {
		answered.Code = history.CodeCondition
	}
	t.call(process, history.Persist, kind, asked, &answered, meanwhile...)
}

func (t *tape) deletes(process string, offset int64) {
	v := &history.Write{Key: acct, Offset: offset, Write: process}
	t.call(process, history.Delete, history.OK, v, v)
}

func (t *tape) commit(process string, offset int64) {
	v := &history.OffsetCommit{Offset: offset}
	t.call(process, history.Commit, history.OK, v, v)
}

func (t *tape) reads(p history.Purpose, r *history.Row) {
	t.call("observer", history.Read, history.OK, &history.RowRead{Key: acct, Purpose: p},
		&history.RowRead{Key: acct, Purpose: p, Row: r})
}

// ends is the ground truth at the end, and the end.
func (t *tape) ends(r *history.Row) {
	v := &history.GroundTruth{At: "end", Committed: []int64{-1}}
	if r != nil {
		v.Rows = []history.KeyedRow{{Key: acct, Row: *r}}
	}
	t.note("observer", history.Truth, v)
	t.note("drain", history.End, &history.Ending{Finished: true})
}
