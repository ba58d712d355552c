package gocql1

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gocql/gocql"

	"github.com/single-writer/chaos/cluster/clients/cassandra"
)

func TestSaid(t *testing.T) {
	for _, c := range []struct {
		err  error
		want cassandra.Said
	}{
		{&gocql.RequestErrUnavailable{Consistency: gocql.Consistency(gocql.Serial), Alive: 1, Required: 2},
			cassandra.Said{Server: true, Code: cassandra.Unavailable, Consistency: cassandra.Serial, Got: 1, Needed: 2}},
		{&gocql.RequestErrWriteTimeout{WriteType: "CAS", Received: 1, BlockFor: 3},
			cassandra.Said{Server: true, Code: cassandra.WriteTimeout, WriteType: "CAS", Got: 1, Needed: 3}},
		{&gocql.RequestErrReadTimeout{Received: 1, BlockFor: 2},
			cassandra.Said{Server: true, Code: cassandra.ReadTimeout, Got: 1, Needed: 2}},
		{&gocql.RequestErrCASWriteUnknown{Received: 1, BlockFor: 2},
			cassandra.Said{Server: true, Code: cassandra.CASUnknown, Got: 1, Needed: 2}},
		{gocql.ErrNoConnections, cassandra.Said{Local: cassandra.NeverSent}},
		{gocql.ErrNoStreams, cassandra.Said{Local: cassandra.NeverSent}},
		{gocql.ErrTimeoutNoResponse, cassandra.Said{Local: cassandra.NoAnswer}},
		{gocql.ErrConnectionClosed, cassandra.Said{Local: cassandra.Closed}},
		{errors.New("context canceled"), cassandra.Said{}},
	} {
		if got := (*session)(nil).Said(fmt.Errorf("update: %w", c.err)); got != c.want {
			t.Errorf("%v: %+v, not %+v", c.err, got, c.want)
		}
	}
}

// attempted is a statement that was sent once, with a context.
type attempted struct {
	gocql.RetryableQuery
	ctx context.Context
}

func (attempted) Attempts() int              { return 1 }
func (a attempted) Context() context.Context { return a.ctx }

// A pause between two sendings ends with the statement's context, and nothing is sent after it.
func TestPauseEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	sends := make(chan bool, 1)
	go func() { sends <- (&again{most: 3, pause: time.Hour}).Attempt(attempted{ctx: ctx}) }()
	cancel()
	select {
	case send := <-sends:
		if send {
			t.Error("it is sent again, and its context is over")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it still waits")
	}
	if !(&again{most: 3, pause: time.Nanosecond}).Attempt(attempted{ctx: context.Background()}) {
		t.Error("it is not sent again")
	}
}

// The version that the history tells is the one that is built in.
func TestLibrary(t *testing.T) {
	mod, err := os.ReadFile("../../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(Library, " ")
	if !strings.Contains(string(mod), "gocql/gocql v"+version+"\n") {
		t.Errorf("go.mod does not have %s", Library)
	}
}
