package persistence

import (
	"errors"
	"fmt"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// compound is one persist or delete under way: one or more statements, one operation in the history.
type compound struct {
	store *Store
	f     history.F
	value history.Write
	meta  string
	bytes []byte
	op    int64
	// applied: a statement was. resent: one was refused that the driver had sent before, to an end that nobody knows.
	applied, resent bool
}

// begin reaches the point before a write, then takes the timestamp of a plain one and records the call: in that order,
// so that a worker held here writes with the time at which it goes on, as a stalled one would.
func (s *Store) begin(f history.F, key string, offset int64, state *ledger.State) (*compound, error) {
	c := &compound{store: s, f: f}
	c.value = history.Write{Partition: s.Partition, Key: key, Offset: offset, Owner: s.Owner, State: state}
	if state != nil {
		b, err := state.Encode()
		if err != nil {
			return nil, fmt.Errorf("encode the state of %s: %w", key, err)
		}
		c.bytes = b
	}
	c.reach(f.Before(), "")
	c.value.Write = s.writeID()
	c.meta = encodeMetadata(c.value.Write, s.Owner.Generation)
	if !s.Arm.conditional(f) {
		c.value.Timestamp = history.Some(s.Process.Clock())
	}
	call := c.value
	c.op = s.Process.Invoke(f, &call)
	return c, nil
}

// reach reaches a point of this write: before-persist, persist-sent, persist-answered, and the same of delete.
func (c *compound) reach(point, outcome string) {
	c.store.reach(point, c.value.Key, c.value.Offset, outcome)
}

// unanswered ends a compound at a statement that has no answer.
type unanswered struct {
	outcome Outcome
	err     error
}

func (u *unanswered) Error() string { return u.err.Error() }
func (u *unanswered) Unwrap() error { return u.err }

// send sends one statement and awaits its answer, with a point between the two.
func (c *compound) send(verb Verb, cond Condition) (Answer, error) {
	st := Statement{
		Verb: verb, If: cond, Partition: c.value.Partition, Key: c.value.Key, Offset: c.value.Offset,
		Metadata: c.meta, Value: c.bytes, Timestamp: c.value.Timestamp.N,
	}
	call := c.store.Rows.Start(st)
	c.reach(c.f.Sent(), "")
	a, outcome, err := call.Await()
	done := history.StatementDone{CQL: st.Form()}
	for _, e := range a.Earlier {
		done.Earlier = append(done.Earlier, e.Code)
	}
	switch {
	case outcome != Answered:
		done.Result = CodeOf(err)
	case a.Applied:
		done.Result = history.ResultApplied
	case a.Refusal == RowAbsent:
		done.Result = history.ResultAbsent
	case a.Refusal == OffsetNull:
		done.Result = history.ResultNull
	default:
		done.Result, done.Stored = history.ResultRefused, history.Some(a.Stored)
	}
	c.value.Statements = append(c.value.Statements, done)
	if outcome != Answered {
		return a, &unanswered{outcome, err}
	}
	if !a.Applied && InDoubt(a.Earlier) {
		c.settle(&a)
	}
	c.applied = c.applied || a.Applied
	return a, nil
}

// settle looks into a refusal of a statement that the driver had sent before: it may be by its own first sending. A row that
// holds the write's own offset is read, and the id of the write in it says whose it is. Its own: then it was applied, and the
// refusal is none. Anything else proves nothing, as the first sending may have been applied and overwritten since.
func (c *compound) settle(a *Answer) {
	c.resent = true
	if a.Refusal != OffsetStored || a.Stored != c.value.Offset {
		return
	}
	row, err := c.store.read(c.value.Key, history.ForOwnWrite)
	if err == nil && row != nil && row.Write == c.value.Write {
		a.Applied, c.resent, c.value.Settled = true, false, history.SettledOwn
	}
}

// CodeOf is the history's name of an error of the store or the broker.
func CodeOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return "error"
}

// finish records what came of the write and reaches its last point, whatever that was. What the row refused to a second
// sending, and what such a refusal leaves to do nothing about, is not known to have had no effect.
func (c *compound) finish(err error) error {
	v := c.value
	t, outcome := history.OK, history.OutcomeApplied
	var refused *Conflict
	var none *unanswered
	switch {
	case err == nil && c.resent && !c.applied:
		t, outcome, v.Code = history.Info, history.OutcomeUnknown, history.CodeResent
	case err == nil:
	case errors.As(err, &refused):
		t, outcome = history.Fail, history.OutcomeRefused
		v.Code, v.Stored = history.CodeCondition, refused.Stored
		if c.resent {
			t, outcome, v.Code = history.Info, history.OutcomeUnknown, history.CodeResent
		}
	case errors.As(err, &none):
		t, outcome = c.doubt(none.outcome)
		v.Code, v.Error = CodeOf(err), err.Error()
	}
	c.store.Process.Answer(c.op, t, c.f, &v)
	c.reach(c.f.Answered(), outcome)
	if none != nil {
		return fmt.Errorf("%s %s @%d: %w", c.f, v.Key, v.Offset, err)
	}
	return err
}

// doubt is what is known of a compound whose last statement was not answered. Statements before it were refused, or the
// compound would have ended there, so that the last one decides, unless a refusal was of a second sending.
func (c *compound) doubt(o Outcome) (history.Type, string) {
	if o == Failed && !c.resent {
		return history.Fail, Failed.point()
	}
	return history.Info, history.OutcomeUnknown
}

// conflict is the refusal by a row that holds another writer's offset.
func (c *compound) conflict(stored history.Opt) error {
	return &Conflict{Key: c.value.Key, Attempted: c.value.Offset, Stored: stored}
}
