package measures

import (
	"github.com/shopspring/decimal"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// Loss is how stored states differ from the fold of the input.
type Loss struct {
	// Lost is how many events are in no stored state that should be, Extra how many are that should not.
	Lost  int `json:"lost"`
	Extra int `json:"extra"`
	// Off is by how much balances are wrong, added up over the accounts without regard to the sign.
	Off decimal.Decimal `json:"off"`
	// Line is the line of the history that shows it, 0 where nothing is wrong.
	Line int `json:"line,omitempty"`
}

// Events is how many events are off, one way or the other.
func (l Loss) Events() int { return l.Lost + l.Extra }

func (l Loss) plus(other Loss) Loss {
	sum := Loss{Lost: l.Lost + other.Lost, Extra: l.Extra + other.Extra, Off: l.Off.Add(other.Off), Line: l.Line}
	if sum.Line == 0 {
		sum.Line = other.Line
	}
	return sum
}

// lossOf compares a state, nil for none, with the fold of its account's records up to an offset, or up to its own where that
// is beyond. A difference that no one run of events explains is counted by the number of events alone.
func lossOf(log ledger.Log, stored *ledger.State, upTo int64) Loss {
	var have ledger.State
	if stored != nil {
		have = *stored
		upTo = max(upTo, have.Offset)
	}
	want := log.Fold(upTo)
	loss := Loss{Off: want.Balance.Sub(have.Balance).Abs()}
	own := log.UpTo(have.Offset)
	if !have.Open() {
		own = nil
	}
	ended := false
	for _, e := range log.UpTo(upTo)[len(own):] {
		ended = ended || e.Event.Kind == ledger.Close
	}
	switch d := log.Diff(have); {
	case !have.Open():
		loss.Lost = int(want.Count)
	case ended:
		// All that is stored is of a life that a close has ended since.
		loss.Lost, loss.Extra = int(want.Count), int(have.Count)
	case d.Explained:
		loss.Lost, loss.Extra = len(d.Lost)+len(log.UpTo(upTo))-len(own), len(d.Extra)
	default:
		loss.Lost, loss.Extra = int(max(0, want.Count-have.Count)), int(max(0, have.Count-want.Count))
	}
	return loss
}

// losses finds what is lost at the end, and what reads found missing before.
type losses struct {
	logs map[string]ledger.Log
	// committed is by partition the offset that was last accepted or read back; deleted by account the highest offset that a
	// delete was asked for, which explains that nothing is there, though no commit is beyond it yet.
	committed map[int32]int64
	deleted   map[string]history.Opt
	// asked is, by operation, what was committed when a read was called.
	asked map[int64]int64
	// journaled are the accounts of which more is stored than a row: events in a journal beside it.
	journaled map[string]bool
	settling  bool
	keys      []string
	atEnd     *Loss
	worst     Loss
}

func newLosses(h *history.History) *losses {
	return &losses{
		logs: Logs(h), keys: h.Header.Input.Keys, committed: map[int32]int64{}, deleted: map[string]history.Opt{},
		asked: map[int64]int64{}, journaled: map[string]bool{},
	}
}

func (l *losses) see(e history.Event) {
	switch v := e.Value.(type) {
	case *history.OffsetCommit:
		if v != nil && e.Type == history.OK {
			l.committed[v.Partition] = v.Offset
		}
	case *history.CommittedOffset:
		if v != nil && e.Type == history.OK && v.Offset.Known {
			l.committed[v.Partition] = v.Offset.N
		}
	case *history.Write:
		if v != nil && e.Type == history.Invoke && e.F == history.Delete {
			if d := l.deleted[v.Key]; !d.Known || d.N < v.Offset {
				l.deleted[v.Key] = history.Some(v.Offset)
			}
		}
	case *history.JournalWrite:
		if v != nil {
			l.journaled[v.Key] = true
		}
	case *history.Recovery:
		if v != nil {
			l.recovery(e, v)
		}
	case *history.RowRead:
		if v != nil {
			l.read(e, v)
		}
	case *history.GroundTruth:
		if v != nil && v.At == "end" {
			l.end(e, v)
		}
	}
}

// recovery judges what an owner made of a journal: there the rows alone tell little.
func (l *losses) recovery(e history.Event, v *history.Recovery) {
	if e.Type == history.Invoke {
		l.asked[e.Op] = l.committed[v.Partition]
		return
	}
	for _, s := range v.States {
		if e.Type == history.OK {
			l.found(e, s.Key, s.State, l.asked[e.Op])
		}
	}
}

// read judges what a read found by what was committed when it was called. What the rig's SERIAL reads may have settled
// says nothing of the run.
func (l *losses) read(e history.Event, v *history.RowRead) {
	l.settling = l.settling || v.Purpose == history.ForSettling
	switch {
	case e.Type == history.Invoke:
		l.asked[e.Op] = l.committed[v.Partition]
		return
	case e.Type != history.OK || l.settling || l.journaled[v.Key]:
		return
	}
	var have *ledger.State
	if v.Row != nil {
		have = v.Row.State
	}
	l.found(e, v.Key, have, l.asked[e.Op])
}

// found keeps the worst of what was found of accounts while an offset was committed.
func (l *losses) found(e history.Event, key string, have *ledger.State, committed int64) {
	upTo := committed - 1
	if d := l.deleted[key]; d.Known && have == nil {
		upTo = max(upTo, d.N)
	}
	if is := lossOf(l.logs[key], have, upTo); is.Events() > l.worst.Events() {
		is.Line = e.Line()
		l.worst = is
	}
}

// end compares what is stored with the whole input: the rows, and what the journal has beyond them.
func (l *losses) end(e history.Event, v *history.GroundTruth) {
	stored, upTo := map[string]ledger.State{}, map[string]history.Opt{}
	for _, row := range v.Rows {
		if row.Row.State != nil {
			stored[row.Key] = *row.Row.State
		}
		upTo[row.Key] = row.Row.Offset
	}
	for _, j := range v.Journal {
		if at := upTo[j.Key]; j.Event != nil && (!at.Known || at.N < j.Offset) {
			stored[j.Key] = stored[j.Key].Fold(*j.Event, j.Offset)
		}
	}
	var sum Loss
	for _, key := range l.keys {
		var have *ledger.State
		if s, ok := stored[key]; ok && s.Open() {
			have = &s
		}
		if log := l.logs[key]; len(log) > 0 {
			sum = sum.plus(lossOf(log, have, log[len(log)-1].Offset))
		}
	}
	if sum.Events() > 0 {
		sum.Line = e.Line()
	}
	l.atEnd = &sum
}

// Logs gives the records of each account, as far as the history tells.
func Logs(h *history.History) map[string]ledger.Log {
	logs := map[string]ledger.Log{}
	records, _ := h.Appended()
	for _, r := range records {
		logs[r.Event.Account] = append(logs[r.Event.Account], ledger.Entry{Offset: r.Offset, Event: r.Event})
	}
	return logs
}
