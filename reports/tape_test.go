package reports

import (
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// tape is a history under construction: one partition, one account, event n at offset n-1 with an amount of 10 n. Each
// event is a millisecond after the one before, unless the test lets more time pass.
type tape struct {
	history.Memory
	now time.Duration
	op  int64
}

const acct = "acct-1"

var generation = map[string]int32{"a/1": 1, "b/1": 3, "c/1": 5}

func newTape(h history.Header) *tape {
	h.Schema, h.Scenario, h.Seed, h.Cluster.Kind = history.Schema, "late-flush", 1, "sim"
	h.Input = history.InputFacts{Partitions: 1, Keys: []string{acct}, Events: 6}
	return &tape{Memory: *history.NewMemory(h)}
}

func (t *tape) add(process string, kind history.Type, f history.F, op int64, v any) {
	t.now += time.Millisecond
	t.Record(history.Event{Time: int64(t.now), Process: process, Type: kind, F: f, Op: op, Value: v})
}

func (t *tape) note(process string, f history.F, v any) { t.add(process, history.Note, f, 0, v) }

// call is an operation and its answer.
func (t *tape) call(process string, f history.F, asked any, kind history.Type, answered any) {
	t.op++
	op := t.op
	t.add(process, history.Invoke, f, op, asked)
	t.add(process, kind, f, op, answered)
}

func event(offset int64) ledger.Event {
	return ledger.Event{ID: offset + 1, Account: acct, Kind: ledger.Post, Amount: decimal.New(10*(offset+1), 0)}
}

// fold is the state that the events at these offsets make.
func fold(offsets ...int64) *ledger.State {
	var s ledger.State
	for _, o := range offsets {
		s = s.Fold(event(o), o)
	}
	return &s
}

func (t *tape) truth(at string, committed int64, rows ...history.KeyedRow) {
	t.note("observer", history.Truth, &history.GroundTruth{At: at, Rows: rows, Committed: []int64{committed}})
}

func (t *tape) produce(offsets ...int64) {
	for _, o := range offsets {
		t.call("producer", history.Produce, &history.Produced{Event: event(o)}, history.OK,
			&history.Produced{Event: event(o), Offset: history.Some(o)})
	}
}

func (t *tape) point(process, name string, offset int64) {
	v := &history.PointReached{Point: name, Offset: history.Some(offset), Owner: history.Owner{Generation: generation[process]}}
	t.note(process, history.Point, v)
}

func (t *tape) folds(process string, offsets ...int64) {
	for _, o := range offsets {
		t.point(process, "folded", o)
	}
}

// owns is an assignment with its recovery.
func (t *tape) owns(process string, start int64, row *history.Row) {
	t.note(process, history.Life, &history.LifeEvent{Status: "begin"})
	t.point(process, "assigned", start)
	v := &history.Recovery{Start: start, Keys: []string{acct}, Owner: history.Owner{Generation: generation[process]}}
	t.op++
	op := t.op
	t.add(process, history.Invoke, history.Recover, op, v)
	t.call(process, history.Read, &history.RowRead{Key: acct, Purpose: history.ForRecovery}, history.OK,
		&history.RowRead{Key: acct, Purpose: history.ForRecovery, Row: row})
	t.add(process, history.OK, history.Recover, op, v)
}

func written(process string, s *ledger.State, ts history.Opt) *history.Write {
	return &history.Write{
		Key: acct, Offset: s.Offset, Owner: history.Owner{Generation: generation[process]}, State: s, Timestamp: ts,
		Write: fmt.Sprintf("%s#%d", process, s.Offset),
	}
}

// plain is the timestamp of a plain write: the time.
func (t *tape) plain() history.Opt { return history.Some(t.now.Microseconds()) }

func (t *tape) persist(process string, s *ledger.State, ts history.Opt) {
	v := written(process, s, ts)
	t.call(process, history.Persist, v, history.OK, v)
}

func (t *tape) refused(process string, s *ledger.State, stored int64) {
	answer := written(process, s, history.Opt{})
	answer.Code, answer.Stored = history.CodeCondition, history.Some(stored)
	t.call(process, history.Persist, written(process, s, history.Opt{}), history.Fail, answer)
}

func (t *tape) commit(process string, offset int64) {
	v := &history.OffsetCommit{Offset: offset, Owner: history.Owner{Generation: generation[process]}}
	t.call(process, history.Commit, v, history.OK, v)
	t.point(process, "commit-answered", offset)
}

func (t *tape) fault(fault, process, proof string) {
	v := history.FaultDone{Fault: fault, Target: history.WorkerOf(process), Life: process, Phase: "begin"}
	t.note("nemesis", history.Fault, &v)
	done := v
	done.Phase, done.Proof = "done", proof
	t.note("nemesis", history.Fault, &done)
}

// row is what a read finds of a write of b's or a's.
func row(process string, s *ledger.State) *history.Row {
	return &history.Row{Offset: history.Some(s.Offset), State: s, Write: fmt.Sprintf("%s#%d", process, s.Offset),
		Generation: generation[process]}
}

// ends is the end of a run: the log as it was, what is stored, why it ended.
func (t *tape) ends(last int64, committed int64, stored *history.Row, e history.Ending) {
	for o := int64(0); o <= last; o++ {
		t.note("drain", history.Record, &history.InputRecord{Offset: o, Event: event(o)})
	}
	t.call("observer", history.Read, &history.RowRead{Key: acct, Purpose: history.ForEnd}, history.OK,
		&history.RowRead{Key: acct, Purpose: history.ForEnd, Row: stored})
	var rows []history.KeyedRow
	if stored != nil {
		rows = append(rows, history.KeyedRow{Key: acct, Row: *stored})
	}
	t.truth("end", committed, rows...)
	t.note("drain", history.End, &e)
}

const done = "plan and input were done and all of the input is committed"

// evicted is a run up to the moment at which a, evicted with event 3 folded and not stored, is released: b has stored
// event 5 and committed.
func evicted(h history.Header, fenced bool) *tape {
	t := newTape(h)
	stamp := func() history.Opt {
		if fenced {
			return history.Opt{}
		}
		return t.plain()
	}
	t.truth("start", -1)
	t.produce(0, 1, 2)
	t.owns("a/1", 0, nil)
	t.folds("a/1", 0, 1)
	t.persist("a/1", fold(0, 1), stamp())
	t.commit("a/1", 2)
	t.folds("a/1", 2)
	t.fault("hold", "a/1", "a/1 stands in folded @2")
	t.now = time.Second
	t.note("sentinel", history.Evicted, &history.Eviction{Target: "a", Life: "a/1", Member: "a/1-1", Proof: `{"members":[]}`})
	t.owns("b/1", 2, row("a/1", fold(0, 1)))
	t.produce(3, 4)
	t.folds("b/1", 2, 3, 4)
	t.persist("b/1", fold(0, 1, 2, 3, 4), stamp())
	t.commit("b/1", 5)
	t.fault("hold", "b/1", "b/1 stands in commit-answered @5")
	t.call("observer", history.Committed, &history.CommittedOffset{}, history.OK,
		&history.CommittedOffset{Offset: history.Some(5)})
	t.fault("release", "a/1", "")
	return t
}

// corrupted is the run in which a's flush lands.
func corrupted(h history.Header, fenced bool) *history.History {
	t := evicted(h, fenced)
	ts := t.plain()
	if fenced {
		ts = history.Opt{}
	}
	t.persist("a/1", fold(0, 1, 2), ts)
	t.fault("stop", "a/1", "")
	t.fault("stop", "b/1", "")
	t.owns("c/1", 5, row("a/1", fold(0, 1, 2)))
	t.produce(5)
	t.folds("c/1", 5)
	if !fenced {
		ts = t.plain()
	}
	t.persist("c/1", fold(0, 1, 2, 5), ts)
	t.commit("c/1", 6)
	t.fault("stop", "c/1", "")
	t.ends(5, 6, row("c/1", fold(0, 1, 2, 5)), history.Ending{Finished: true, Reason: done})
	return &t.History
}

// fended is the run in which the row refuses a's flush.
func fended(h history.Header) *history.History {
	t := evicted(h, true)
	t.refused("a/1", fold(0, 1, 2), 4)
	t.fault("stop", "a/1", "")
	t.fault("stop", "b/1", "")
	t.owns("c/1", 5, row("b/1", fold(0, 1, 2, 3, 4)))
	t.produce(5)
	t.folds("c/1", 5)
	t.persist("c/1", fold(0, 1, 2, 3, 4, 5), history.Opt{})
	t.commit("c/1", 6)
	t.fault("stop", "c/1", "")
	t.ends(5, 6, row("c/1", fold(0, 1, 2, 3, 4, 5)), history.Ending{Finished: true, Reason: done})
	return &t.History
}

// waiting is a run whose plan waits for what never comes.
func waiting(h history.Header) *history.History {
	t := newTape(h)
	t.truth("start", -1)
	t.produce(0)
	t.owns("a/1", 0, nil)
	t.folds("a/1", 0)
	t.persist("a/1", fold(0), t.plain())
	t.commit("a/1", 1)
	t.now = 31 * time.Second
	why := "late-flush.yaml:9:12: step 2 of the plan waited 30s for a at `delete-answered`; a/1 inside commit-answered @1"
	t.note("nemesis", history.Plan, &history.PlanStep{Of: "plan", Step: 2, Status: "timeout", Detail: why})
	t.fault("stop", "a/1", "")
	t.ends(0, 1, row("a/1", fold(0)), history.Ending{Reason: why})
	return &t.History
}

// stuck is a run whose only worker goes no further, though nothing holds it; held one in which the plan never lets it go.
func stuck(h history.Header) *history.History { return standing(h, false) }
func held(h history.Header) *history.History  { return standing(h, true) }

func standing(h history.Header, held bool) *history.History {
	t := newTape(h)
	t.truth("start", -1)
	t.produce(0, 1)
	t.owns("a/1", 0, nil)
	t.folds("a/1", 0, 1)
	if held {
		t.fault("hold", "a/1", "a/1 stands in folded @1")
	}
	t.now = 30 * time.Second
	t.note("drain", history.Fault, &history.FaultDone{Fault: "stop", Target: "a", Life: "a/1", Phase: "done"})
	t.ends(1, -1, nil, history.Ending{Finished: true,
		Reason: "plan and input were done, but the committed offset did not reach the end within 30s: a/1 stands in folded @1"})
	return &t.History
}

// cut is the run of which nothing is known after a was released.
func cut(h history.Header) *history.History {
	t := evicted(h, true)
	t.Warnings = []string{"history.jsonl:76: torn last line of 40 bytes left out"}
	return &t.History
}
