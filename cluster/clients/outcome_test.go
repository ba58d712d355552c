package clients

import (
	"context"
	"errors"
	"fmt"
	"testing"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/single-writer/chaos/workload/persistence"
)

// What a driver's error says of the statement: a time-out never says that nothing happened (of 55 proposals that timed out
// on three real nodes, 54 were applied), and too few replicas does so only before a round began.
func TestClassify(t *testing.T) {
	plain := persistence.Statement{Verb: persistence.Update}
	conditional := persistence.Statement{Verb: persistence.Update, If: persistence.IfOffsetAtMost}
	for _, c := range []struct {
		name string
		s    persistence.Statement
		err  error
		code string
		want persistence.Outcome
	}{
		{"never sent", plain, gocql.ErrNoConnections, "no-connections", persistence.Failed},
		{"too few replicas, plain", plain, &gocql.RequestErrUnavailable{Consistency: gocql.Quorum}, "unavailable", persistence.Failed},
		{"too few for the round", conditional, &gocql.RequestErrUnavailable{Consistency: gocql.Serial}, "unavailable", persistence.Failed},
		{"too few to commit what was accepted", conditional, &gocql.RequestErrUnavailable{Consistency: gocql.Quorum}, "unavailable",
			persistence.Unknown},
		{"timed out", plain, &gocql.RequestErrWriteTimeout{WriteType: "SIMPLE"}, "write-timeout-SIMPLE", persistence.Unknown},
		{"timed out in the round", conditional, &gocql.RequestErrWriteTimeout{WriteType: "CAS"}, "write-timeout-CAS", persistence.Unknown},
		{"contention", conditional, &gocql.RequestErrCASWriteUnknown{}, "cas-write-unknown", persistence.Unknown},
		{"read inside the round", conditional, &gocql.RequestErrReadTimeout{}, "read-timeout", persistence.Unknown},
		{"no answer", conditional, gocql.ErrTimeoutNoResponse, "timeout", persistence.Unknown},
		{"our deadline", conditional, context.DeadlineExceeded, "timeout", persistence.Unknown},
		{"the connection broke", plain, gocql.ErrConnectionClosed, "connection-closed", persistence.Unknown},
		{"anything else", plain, errors.New("context canceled"), "error", persistence.Unknown},
	} {
		err := classify(c.s, fmt.Errorf("update: %w", c.err))
		if got := outcomeOf(err); got != c.want || persistence.CodeOf(err) != c.code || !errors.Is(err, c.err) {
			t.Errorf("%s: %s, outcome %d, not %s, %d", c.name, persistence.CodeOf(err), got, c.code, c.want)
		}
	}
}

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
		{kerr.NotCoordinator.Code, "NOT_COORDINATOR", persistence.Answered},
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
		if forgets := !w.coordinatorKnown; forgets != (c.name == "NOT_COORDINATOR") {
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
