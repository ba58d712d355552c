package clients

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/single-writer/chaos/cluster/clients/cassandra"
	"github.com/single-writer/chaos/workload/persistence"
)

// A statement that was sent again had no effect only if none of its sendings had: the last word is of the last one.
func TestExecuteSentAgain(t *testing.T) {
	conditional := persistence.Statement{Verb: persistence.Update, If: persistence.IfOffsetAtMost}
	for name, c := range map[string]struct {
		earlier []error
		want    persistence.Outcome
	}{
		"sent once":            {nil, persistence.Failed},
		"the first had none":   {[]error{errNone}, persistence.Failed},
		"the first is unknown": {[]error{errNone, errLost}, persistence.Unknown},
	} {
		r := &rows{session: said{fakeRows{errNone, c.earlier}}, group: "g", topic: "t"}
		a, err := r.execute(context.Background(), conditional, nil)
		if got := outcomeOf(err); got != c.want || persistence.CodeOf(err) != "no-connections" || len(a.Earlier) != len(c.earlier) {
			t.Errorf("%s: outcome %d, not %d; earlier %v", name, got, c.want, a.Earlier)
		}
	}
}

var (
	errNone = errors.New("no connections")
	errLost = errors.New("lost")
)

// said is a driver that answers every statement with the rows.
type said struct{ rows fakeRows }

func (s said) Query(context.Context, cassandra.Request) cassandra.Rows { return s.rows }
func (said) Close()                                                    {}
func (said) Said(err error) cassandra.Said {
	if errors.Is(err, errNone) {
		return cassandra.Said{Local: cassandra.NeverSent}
	}
	return cassandra.Said{}
}

// fakeRows is an answer of no rows.
type fakeRows struct {
	err     error
	earlier []error
}

func (fakeRows) Columns() []string  { return []string{"[applied]"} }
func (fakeRows) Scan(...any) bool   { return false }
func (r fakeRows) Close() error     { return r.err }
func (r fakeRows) Earlier() []error { return r.earlier }

// A refusal by the coordinator is an answer. A code that may come after the commit was written is none: the outcome is
// unknown then.
func TestCommittedAnswer(t *testing.T) {
	for _, c := range []struct {
		code int16
		name string
		want persistence.Outcome
	}{
		{0, "", persistence.Answered},
		{kerr.UnknownMemberID.Code, "UNKNOWN_MEMBER_ID", persistence.Answered},
		{kerr.IllegalGeneration.Code, "ILLEGAL_GENERATION", persistence.Answered},
		{kerr.RebalanceInProgress.Code, "REBALANCE_IN_PROGRESS", persistence.Answered},
		{kerr.NotCoordinator.Code, "", persistence.Unknown},
		{kerr.RequestTimedOut.Code, "", persistence.Unknown},
		{kerr.CoordinatorNotAvailable.Code, "", persistence.Unknown},
		{kerr.UnknownServerError.Code, "", persistence.Unknown},
	} {
		resp := kmsg.NewPtrOffsetCommitResponse()
		p := kmsg.NewOffsetCommitResponseTopicPartition()
		p.ErrorCode = c.code
		topic := kmsg.NewOffsetCommitResponseTopic()
		topic.Partitions = []kmsg.OffsetCommitResponseTopicPartition{p}
		resp.Topics = []kmsg.OffsetCommitResponseTopic{topic}
		w := &World{coordinatorKnown: true}
		name, err := w.committedAnswer(resp)
		if name != c.name || outcomeOf(err) != c.want {
			t.Errorf("code %d: %q, %v", c.code, name, err)
		}
		if forgets := !w.coordinatorKnown; forgets != (c.code == kerr.NotCoordinator.Code) {
			t.Errorf("code %d: the coordinator is forgotten: %v", c.code, forgets)
		}
	}
	if _, err := (&World{}).committedAnswer(kmsg.NewPtrOffsetCommitResponse()); outcomeOf(err) != persistence.Unknown {
		t.Errorf("an answer without the partition: %v", err)
	}
}

func TestCodeName(t *testing.T) {
	for code, want := range map[int16]string{0: "", 25: "UNKNOWN_MEMBER_ID", 22: "ILLEGAL_GENERATION", 27: "REBALANCE_IN_PROGRESS"} {
		if got := codeName(code); got != want {
			t.Errorf("%d is %s, not %s", code, got, want)
		}
	}
	if codeName(32000) == "" {
		t.Error("a code that nobody knows reads as none")
	}
}

// A commit that found no connection had no effect; of one whose connection broke nobody knows.
func TestUnsent(t *testing.T) {
	if got := outcomeOf(unsent(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED})); got != persistence.Failed {
		t.Errorf("a dial that was refused: outcome %d", got)
	}
	if got := outcomeOf(named(unsent(&net.OpError{Op: "write", Err: syscall.EPIPE}))); got != persistence.Unknown {
		t.Errorf("a connection that broke: outcome %d", got)
	}
}

// What a broken connection is called does not depend on who saw it break; a dial that fails, or a time that is over, is no
// broken connection.
func TestNamed(t *testing.T) {
	op := func(op string, err error) error { return fmt.Errorf("commit: %w", &net.OpError{Op: op, Err: err}) }
	for _, c := range []struct {
		err  error
		want string
	}{
		{op("read", syscall.ECONNRESET), "connection-closed"},
		{op("write", syscall.EPIPE), "connection-closed"},
		{op("read", net.ErrClosed), "connection-closed"},
		{fmt.Errorf("read: %w", io.EOF), "connection-closed"},
		{errors.New("the broker connection has died and the request will be retried on a new connection"), "connection-closed"},
		{op("dial", syscall.ECONNREFUSED), "error"},
		{op("read", os.ErrDeadlineExceeded), "timeout"},
		{fmt.Errorf("read: %w", context.DeadlineExceeded), "timeout"},
		{errors.New("broker is too old"), "error"},
	} {
		if got := persistence.CodeOf(named(c.err)); got != c.want {
			t.Errorf("%v is called %s, not %s", c.err, got, c.want)
		}
	}
}
