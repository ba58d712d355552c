package clients

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// offsetsTopic is where coordinators keep their groups: commits and members, each record with a key that names the group.
const offsetsTopic = "__consumer_offsets"

// offsetsEnds gives the end of each partition of the offsets topic. A cluster that never had a group has no such topic yet.
func (s *Servers) offsetsEnds(ctx context.Context) (map[int32]int64, error) {
	listed, err := kadm.NewClient(s.admin).ListEndOffsets(ctx, offsetsTopic)
	if err == nil {
		err = listed.Error()
	}
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the end of %s: %w", offsetsTopic, err)
	}
	ends := map[int32]int64{}
	for p, o := range listed[offsetsTopic] {
		ends[p] = o.Offset
	}
	return ends, nil
}

// groupPartition is the partition of the offsets topic that a group is in: GroupCoordinatorService.partitionFor, by
// Java's String.hashCode over UTF-16 units, with Utils.abs, to which the least integer is 0.
func groupPartition(group string, partitions int) int32 {
	var hash int32
	for _, unit := range utf16.Encode([]rune(group)) {
		hash = 31*hash + int32(unit)
	}
	if hash = max(hash, -hash); hash < 0 {
		hash = 0
	}
	return hash % int32(partitions)
}

// GroupLog reads the group's records from the end that the log had when the run began to that which it has now.
func (w *World) GroupLog() persistence.Call[[]history.GroupLogEntry] {
	return call(w, 2*requestTimeout, func(ctx context.Context) ([]history.GroupLogEntry, error) {
		ends, err := w.servers.offsetsEnds(ctx)
		if err != nil {
			return nil, err
		}
		if len(ends) == 0 {
			return []history.GroupLogEntry{{Ends: true}}, nil
		}
		p := groupPartition(w.group, len(ends))
		records, err := w.servers.readLog(ctx, offsetsTopic, p, w.offsetsFrom[p], ends[p])
		if err != nil {
			return nil, err
		}
		var out []history.GroupLogEntry
		for _, r := range records {
			e, ok, err := w.logged(r)
			if err != nil {
				return nil, fmt.Errorf("%s/%d, record %d: %w", offsetsTopic, p, r.Offset, err)
			}
			if ok {
				out = append(out, e)
			}
		}
		return append(out, history.GroupLogEntry{Position: ends[p], Ends: true}), nil
	})
}

// The versions of the keys in the offsets topic that classic groups have.
const (
	lastCommitKey = 1
	groupKey      = 2
)

// logged decodes one record of the offsets topic, and tells whether it is about the run: its group and its topic.
func (w *World) logged(r *kgo.Record) (history.GroupLogEntry, bool, error) {
	e := history.GroupLogEntry{Position: r.Offset, Timestamp: history.Some(r.Timestamp.UnixMilli())}
	// Every key begins with its version and the name of its group.
	key := kbin.Reader{Src: r.Key}
	version, group := key.Int16(), key.String()
	if r.Attrs.IsControl() || key.Ok() && group != w.group {
		return e, false, nil
	}
	switch {
	case version <= lastCommitKey:
		var k kmsg.OffsetCommitKey
		if err := k.ReadFrom(r.Key); err != nil {
			return e, false, fmt.Errorf("decode the key of a commit: %w", err)
		}
		c, err := loggedCommit(r.Value)
		c.Partition, e.Commit = k.Partition, c
		return e, k.Topic == w.topic.name, err
	case version == groupKey:
		g, err := loggedGroup(r.Value)
		e.Group = g
		return e, true, err
	}
	e.KeyVersion = history.Some(int64(version))
	return e, true, nil
}

func loggedCommit(value []byte) (*history.LoggedCommit, error) {
	c := &history.LoggedCommit{}
	if value == nil {
		return c, nil
	}
	var v kmsg.OffsetCommitValue
	if err := v.ReadFrom(value); err != nil {
		return c, fmt.Errorf("decode a commit: %w", err)
	}
	c.Offset = history.Some(v.Offset)
	if token, ok := readToken(v.Metadata); ok {
		c.Member, c.Generation = token.Member, token.Generation
	}
	return c, nil
}

func loggedGroup(value []byte) (*history.LoggedGroup, error) {
	g := &history.LoggedGroup{}
	if value == nil {
		return g, nil
	}
	var v kmsg.GroupMetadataValue
	if err := v.ReadFrom(value); err != nil {
		return g, fmt.Errorf("decode a group: %w", err)
	}
	g.Generation, g.ProtocolType = history.Some(int64(v.Generation)), v.ProtocolType
	if v.Protocol != nil {
		g.Protocol = *v.Protocol
	}
	if v.Leader != nil {
		g.Leader = *v.Leader
	}
	for _, m := range v.Members {
		partitions, err := assignedPartitions(m.Assignment)
		if err != nil {
			return g, fmt.Errorf("decode the assignment of %s: %w", m.MemberID, err)
		}
		g.Members = append(g.Members, history.LoggedMember{
			Member: m.MemberID, Client: m.ClientID, Session: m.SessionTimeoutMillis, Rebalance: m.RebalanceTimeoutMillis,
			Partitions: partitions,
		})
	}
	return g, nil
}

// assignedPartitions decodes an assignment. The run's group has one topic.
func assignedPartitions(assignment []byte) ([]int32, error) {
	if len(assignment) == 0 {
		return nil, nil
	}
	var a kmsg.ConsumerMemberAssignment
	if err := a.ReadFrom(assignment); err != nil {
		return nil, err
	}
	var out []int32
	for _, t := range a.Topics {
		out = append(out, t.Partitions...)
	}
	return out, nil
}

// writeToken makes a commit's metadata: the offsets topic keeps it with the offset, and nothing else tells there who
// committed.
func writeToken(t workload.Token) string { return t.Member + "@" + strconv.Itoa(int(t.Generation)) }

func readToken(metadata string) (workload.Token, bool) {
	at := strings.LastIndexByte(metadata, '@')
	if at < 0 {
		return workload.Token{}, false
	}
	generation, err := strconv.ParseInt(metadata[at+1:], 10, 32)
	return workload.Token{Member: metadata[:at], Generation: int32(generation)}, err == nil
}
