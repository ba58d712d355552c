package clients

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// The hashes are Java's own (String.hashCode, as its documentation computes it); that of "polygenelubricants" is the
// least integer, which has no absolute value and which Kafka takes for 0.
func TestGroupPartition(t *testing.T) {
	for group, hash := range map[string]int32{
		"": 0, "a": 97, "abc": 96354, "hello": 99162322, "hello world": 1794106052, "\U0001F600": 1772899,
		"polygenelubricants":                   0,
		"chaos-14827-6983e3ef-2-cassandra-cas": 225052523, "chaos group": 180371935,
	} {
		if got := groupPartition(group, math.MaxInt32); got != hash {
			t.Errorf("%q: %d, not %d", group, got, hash)
		}
		if got := groupPartition(group, 50); got != hash%50 {
			t.Errorf("%q is in partition %d of 50, not in %d", group, got, hash%50)
		}
	}
}

func TestTokenInMetadata(t *testing.T) {
	for _, token := range []workload.Token{{Member: "a/1-92dd", Generation: 7}, {Generation: -1}, {Member: "x@y", Generation: 0}} {
		if got, ok := readToken(writeToken(token)); !ok || got != token {
			t.Errorf("%v comes back as %v, %v", token, got, ok)
		}
	}
	for _, metadata := range []string{"", "a", "a@", "a@x", "a@99999999999"} {
		if got, ok := readToken(metadata); ok {
			t.Errorf("%q is of nobody in the run, not of %v", metadata, got)
		}
	}
}

// What is not the run's is left out, what the rig does not know is kept, and what cannot be read is an error.
func TestLogged(t *testing.T) {
	w := &World{group: "g", topic: topic{name: "t"}}
	commitKey := func(group, topic string) []byte {
		k := kmsg.OffsetCommitKey{Version: 1, Group: group, Topic: topic, Partition: 2}
		return k.AppendTo(nil)
	}
	members := kmsg.GroupMetadataKey{Version: 2, Group: "g"}
	committed := kmsg.OffsetCommitValue{Version: 3, Offset: 5, Metadata: "m@4"}
	foreign := kmsg.OffsetCommitValue{Version: 1, Offset: 6}
	at := history.Some(0)
	for _, c := range []struct {
		name       string
		key, value []byte
		want       *history.GroupLogEntry
	}{
		{"a commit", commitKey("g", "t"), committed.AppendTo(nil), &history.GroupLogEntry{Timestamp: at,
			Commit: &history.LoggedCommit{Partition: 2, Offset: history.Some(5), Member: "m", Generation: 4}}},
		{"somebody else's commit", commitKey("g", "t"), foreign.AppendTo(nil), &history.GroupLogEntry{Timestamp: at,
			Commit: &history.LoggedCommit{Partition: 2, Offset: history.Some(6)}}},
		{"an offset removed", commitKey("g", "t"), nil, &history.GroupLogEntry{Timestamp: at, Commit: &history.LoggedCommit{Partition: 2}}},
		{"another group", commitKey("h", "t"), committed.AppendTo(nil), nil},
		{"another topic", commitKey("g", "u"), committed.AppendTo(nil), nil},
		{"the group removed", members.AppendTo(nil), nil, &history.GroupLogEntry{Timestamp: at, Group: &history.LoggedGroup{}}},
		{"a key of KIP-848", []byte{0, 3, 0, 1, 'g', 9}, []byte{1}, &history.GroupLogEntry{Timestamp: at, KeyVersion: history.Some(3)}},
		{"one of another group", []byte{0, 3, 0, 1, 'h', 9}, []byte{1}, nil},
	} {
		got, ok, err := w.logged(&kgo.Record{Key: c.key, Value: c.value, Timestamp: time.UnixMilli(0)})
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case ok != (c.want != nil):
			t.Errorf("%s: taken %v", c.name, ok)
		case ok:
			if diff := cmp.Diff(*c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
	}
	for name, r := range map[string]*kgo.Record{
		"a commit cut short":           {Key: commitKey("g", "t"), Value: []byte{0, 3}},
		"a key cut short":              {Key: commitKey("g", "t")[:5], Value: committed.AppendTo(nil)},
		"members cut short":            {Key: members.AppendTo(nil), Value: []byte{0}},
		"a commit's key of no version": {},
	} {
		if _, _, err := w.logged(r); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
}
