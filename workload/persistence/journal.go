package persistence

import (
	"fmt"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// journal is the buffer of one key's journal: the events that were folded and are not in the table yet. Every event goes
// there, also one whose state the monotone buffer drops (as in kafka-flow). Rows are inserted plainly and nothing fences
// them: a former owner's rows land whatever becomes of its snapshot.
type journal struct {
	store   *Store
	key     string
	pending []ledger.Entry
}

func (j *journal) append(e ledger.Event, offset int64) {
	j.pending = append(j.pending, ledger.Entry{Offset: offset, Event: e})
}

// flush inserts what is pending, one row after another as in kafka-flow. (There every flush inserts again all events since the
// last delete; here each is inserted once.)
func (j *journal) flush() error {
	for len(j.pending) > 0 {
		if err := j.insert(j.pending[0]); err != nil {
			return err
		}
		j.pending = j.pending[1:]
	}
	return nil
}

func (j *journal) insert(e ledger.Entry) error {
	s := j.store
	value, err := e.Event.Encode()
	if err != nil {
		return fmt.Errorf("encode event %d of %s: %w", e.Event.ID, j.key, err)
	}
	v := history.JournalWrite{Partition: s.Partition, Key: j.key, Offset: e.Offset, Owner: s.Owner, Event: e.Event,
		Write: s.writeID(), Timestamp: s.Process.Clock()}
	call := v
	op := s.Process.Invoke(history.Journal, &call)
	_, outcome, err := s.Rows.Start(Statement{Table: Journal, Verb: Insert, Partition: s.Partition, Key: j.key, Offset: e.Offset,
		Metadata: encodeMetadata(v.Write, s.Owner.Generation), Value: value, Timestamp: v.Timestamp}).Await()
	v.Code, v.Error, err = whyNot(outcome, err)
	s.Process.Answer(op, outcome.Type(), history.Journal, &v)
	s.reach(history.PointJournalAnswered, j.key, e.Offset, outcome.point())
	if err != nil {
		return fmt.Errorf("journal %s @%d: %w", j.key, e.Offset, err)
	}
	return nil
}

// clear removes the key's rows, and forgets what is pending.
func (j *journal) clear() error {
	j.pending = nil
	s := j.store
	v := history.JournalRemoval{Partition: s.Partition, Key: j.key, Owner: s.Owner, Timestamp: s.Process.Clock()}
	call := v
	op := s.Process.Invoke(history.JournalClear, &call)
	_, outcome, err := s.Rows.Start(Statement{Table: Journal, Verb: Remove, Partition: s.Partition, Key: j.key,
		Timestamp: v.Timestamp}).Await()
	v.Code, v.Error, err = whyNot(outcome, err)
	s.Process.Answer(op, outcome.Type(), history.JournalClear, &v)
	if err != nil {
		return fmt.Errorf("clear the journal of %s: %w", j.key, err)
	}
	return nil
}

// read reads the key's rows, in the order of their offsets. What is no event ends the recovery: leaving it out would make
// another state of the rest.
func (j *journal) read() (ledger.Log, error) {
	s := j.store
	v := history.JournalRows{Partition: s.Partition, Key: j.key, Owner: s.Owner}
	call := v
	op := s.Process.Invoke(history.JournalRead, &call)
	a, outcome, err := s.Rows.Start(Statement{Table: Journal, Verb: Select, Partition: s.Partition, Key: j.key}).Await()
	if outcome != Answered {
		v.Error = err.Error()
		s.Process.Answer(op, outcome.Type(), history.JournalRead, &v)
		return nil, fmt.Errorf("read the journal of %s: %w", j.key, err)
	}
	v.Rows = JournalEntries(a.Rows)
	s.Process.Answer(op, history.OK, history.JournalRead, &v)
	var log ledger.Log
	for _, r := range v.Rows {
		if r.Event == nil {
			return nil, fmt.Errorf("recover %s: row %d of its journal is no event", j.key, r.Offset)
		}
		log = append(log, ledger.Entry{Offset: r.Offset, Event: *r.Event})
	}
	return log, nil
}

// JournalEntries makes history entries of stored rows; of one whose value is no event, without it.
func JournalEntries(rows []RawRow) []history.JournalEntry {
	var out []history.JournalEntry
	for _, r := range rows {
		e := history.JournalEntry{Partition: r.Partition, Key: r.Key, Offset: r.Offset.N, Write: r.Decode().Write}
		if event, err := ledger.DecodeEvent(r.Value); err == nil {
			e.Event = &event
		}
		out = append(out, e)
	}
	return out
}

// whyNot gives what an operation without an answer says of it; nothing, and no error, when it was answered.
func whyNot(o Outcome, err error) (code, text string, left error) {
	if o == Answered {
		return "", "", nil
	}
	return CodeOf(err), err.Error(), err
}

// point is the outcome as a point tells it.
func (o Outcome) point() string {
	return [...]string{history.OutcomeApplied, history.OutcomeFailed, history.OutcomeUnknown}[o]
}
