package gocql1

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gocql/gocql"

	"github.com/single-writer/chaos/cluster/clients/cassandra"
)

func TestSaid(t *testing.T) {
	for _, c := range []struct {
		err  error
		want cassandra.Said
	}{
		{&gocql.RequestErrUnavailable{Consistency: gocql.Consistency(gocql.Serial)},
			cassandra.Said{Server: true, Code: cassandra.Unavailable, Consistency: cassandra.Serial}},
		{&gocql.RequestErrWriteTimeout{WriteType: "CAS"}, cassandra.Said{Server: true, Code: cassandra.WriteTimeout, WriteType: "CAS"}},
		{&gocql.RequestErrReadTimeout{}, cassandra.Said{Server: true, Code: cassandra.ReadTimeout}},
		{&gocql.RequestErrCASWriteUnknown{}, cassandra.Said{Server: true, Code: cassandra.CASUnknown}},
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
