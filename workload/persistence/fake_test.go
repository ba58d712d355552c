package persistence_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/workload/persistence"
)

// script answers statements in order; a statement that is not in it fails the test.
type script struct {
	t       *testing.T
	replies []reply
	sent    []persistence.Statement
}

// reply is what the store answers to the statement of that form.
type reply struct {
	form    string
	answer  persistence.Answer
	outcome persistence.Outcome
	err     error
}

func (s *script) Start(st persistence.Statement) persistence.Call[persistence.Answer] {
	if len(s.replies) == 0 {
		s.t.Fatalf("a statement too many: %s", st.Form())
	}
	r := s.replies[0]
	s.replies = s.replies[1:]
	if st.Form() != r.form {
		s.t.Errorf("sent %s, not %s", st.Form(), r.form)
	}
	s.sent = append(s.sent, st)
	return r
}

func (r reply) Await() (persistence.Answer, persistence.Outcome, error) {
	return r.answer, r.outcome, r.err
}

// The answers of a script, by the form of the statement.
func applied(form string) reply {
	return reply{form: form, answer: persistence.Answer{Applied: true}}
}
func absent(form string) reply {
	return reply{form: form, answer: persistence.Answer{Refusal: persistence.RowAbsent}}
}
func null(form string) reply {
	return reply{form: form, answer: persistence.Answer{Refusal: persistence.OffsetNull}}
}
func stored(form string, offset int64) reply {
	return reply{form: form, answer: persistence.Answer{Refusal: persistence.OffsetStored, Stored: offset}}
}

func found(row *persistence.RawRow) reply {
	return reply{form: "select", answer: persistence.Answer{Row: row}}
}

func timeout(form string) reply {
	return reply{form: form, outcome: persistence.Unknown, err: &persistence.Error{Code: "timeout", Err: errors.New("no answer")}}
}

func unavailable(form string) reply {
	return reply{form: form, outcome: persistence.Failed, err: &persistence.Error{Code: "unavailable", NoEffect: true, Err: errors.New("1 of 2")}}
}

// process records what an arm does, a line each.
type process struct {
	lines []string
	ops   int64
	clock int64
}

func (p *process) Name() string { return "a/1" }
func (p *process) Clock() int64 { p.clock++; return 1000 + p.clock }
func (p *process) Point(v history.PointReached) {
	p.lines = append(p.lines, strings.TrimSpace(fmt.Sprintf("%s @%s %s", v.Point, v.Offset, v.Outcome)))
}

func (p *process) Invoke(f history.F, value any) int64 {
	p.ops++
	p.Answer(p.ops, history.Invoke, f, value)
	return p.ops
}

func (p *process) Note(f history.F, value any) { p.Answer(0, history.Note, f, value) }

func (p *process) Answer(_ int64, t history.Type, f history.F, value any) {
	s := fmt.Sprintf("%s %s", t, f)
	if v, ok := value.(*history.Write); ok {
		s += fmt.Sprintf(" @%d %s", v.Offset, v.Write)
		if v.Timestamp.Known {
			s += " ts " + v.Timestamp.String()
		}
		for _, d := range v.Statements {
			s += " [" + d.CQL + " " + d.Result
			if d.Stored.Known {
				s += " " + d.Stored.String()
			}
			if len(d.Earlier) > 0 {
				s += " after " + strings.Join(d.Earlier, " ")
			}
			s += "]"
		}
		if v.Settled != "" {
			s += " settled " + v.Settled
		}
		if v.Code != "" {
			s += " code " + v.Code
		}
		if v.Stored.Known {
			s += " stored " + v.Stored.String()
		}
	}
	p.lines = append(p.lines, s)
}

// bench is one key under an arm.
type bench struct {
	*persistence.Snapshot
	script  *script
	process *process
}

// recovered recovers the key from a row, after which the script is what the store answers.
func recovered(t *testing.T, arm *persistence.Arm, row *persistence.RawRow, replies ...reply) *bench {
	t.Helper()
	s, p, writes := &script{t: t, replies: []reply{found(row)}}, &process{}, int64(0)
	store := persistence.Store{
		Arm: arm, Process: p, Rows: s, Owner: history.Owner{Member: "m", Generation: 3},
		Life: p.Name(), NextWrite: func() int64 { writes++; return writes },
	}
	b, err := store.Recover("k")
	if err != nil {
		t.Fatal(err)
	}
	s.replies, s.sent, p.lines = replies, nil, nil
	t.Cleanup(func() {
		for _, r := range s.replies {
			t.Errorf("never sent: %s", r.form)
		}
	})
	return &bench{b, s, p}
}

func arm(t *testing.T, name string, without ...string) *persistence.Arm {
	t.Helper()
	a, err := persistence.NewArm(name, without)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// state is a state of one event at the offset; row a stored one.
func state(offset int64) ledger.State {
	e := ledger.Event{ID: offset + 1, Account: "k", Kind: ledger.Post, Amount: decimal.New(offset+1, 0)}
	return ledger.State{}.Fold(e, offset)
}

func row(t *testing.T, offset int64) *persistence.RawRow {
	t.Helper()
	b, err := state(offset).Encode()
	if err != nil {
		t.Fatal(err)
	}
	return &persistence.RawRow{Key: "k", Offset: history.Some(offset), Value: b, Metadata: `{"write":"z/1#4","generation":2}`}
}

func tombstone(offset int64) *persistence.RawRow {
	return &persistence.RawRow{Key: "k", Offset: history.Some(offset)}
}

// result is an error in short.
func result(err error) string {
	var c *persistence.Conflict
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &c):
		return "conflict " + c.Stored.String()
	}
	return err.Error()
}
