package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// requestTimeout is how long the rig's own requests, and a statement without a time-out of its own, wait for an answer:
// above the servers' own time-outs, or many more outcomes would be unknown.
const requestTimeout = 5 * time.Second

// produceTimeout is longer: an input record in doubt ends the run.
const produceTimeout = 15 * time.Second

// topic is the input topic of one run. Newer versions of the protocol name it by its id.
type topic struct {
	name string
	id   [16]byte
}

// call runs a request in a goroutine of its own and gives its answer with the baton. An error is an unknown outcome: the
// request may have reached the server, unless the request itself says otherwise.
func call[T any](w *World, timeout time.Duration, do func(ctx context.Context) (T, error)) *board.Call[T] {
	c := board.NewCall[T](w.board)
	w.requests.Add(1)
	go func() {
		defer w.requests.Done()
		ctx, cancel := context.WithTimeout(w.ctx, timeout)
		defer cancel()
		answer, err := do(ctx)
		err = named(err)
		w.engine.Enter(func() { c.Finish(answer, outcomeOf(err), err) })
	}()
	return c
}

// named gives an error that has no name of its own one for the history.
func named(err error) error {
	var e *persistence.Error
	switch {
	case err == nil || errors.As(err, &e):
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded): // the latter is a connection's own
		return &persistence.Error{Code: "timeout", Err: err}
	case connectionBroke(err):
		return &persistence.Error{Code: "connection-closed", Err: err}
	}
	return &persistence.Error{Code: "error", Err: err}
}

// connectionBroke tells whether a request's connection was there and is no more. franz-go keeps the last of these errors, which
// tells those whose request waited on a connection that somebody else saw break, to itself.
func connectionBroke(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op != "dial" && !op.Timeout() ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		strings.HasPrefix(err.Error(), "the broker connection has died")
}

// outcomeOf reads an error's own word about whether there was an effect.
func outcomeOf(err error) persistence.Outcome {
	var e *persistence.Error
	switch {
	case err == nil:
		return persistence.Answered
	case errors.As(err, &e) && e.NoEffect:
		return persistence.Failed
	}
	return persistence.Unknown
}

// codeName is the protocol's name of an error code, empty for none.
func codeName(code int16) string {
	if code == 0 {
		return ""
	}
	var e *kerr.Error
	if errors.As(kerr.ErrorForCode(code), &e) {
		return e.Message
	}
	return fmt.Sprintf("code %d", code)
}

// Produce appends to the input topic.
func (w *World) Produce(partition int32, key string, value []byte) persistence.Call[workload.ProduceAnswer] {
	return call(w, produceTimeout, func(ctx context.Context) (workload.ProduceAnswer, error) {
		r := &kgo.Record{Topic: w.topic.name, Partition: partition, Key: []byte(key), Value: value}
		err := w.admin.ProduceSync(ctx, r).FirstErr()
		return workload.ProduceAnswer{Offset: r.Offset}, err
	})
}

// Committed reads the group's committed offset. While one is pending in a transaction there is no answer but an error.
func (w *World) Committed(partition int32) persistence.Call[history.Opt] {
	return call(w, requestTimeout, func(ctx context.Context) (history.Opt, error) {
		return w.committed(ctx, w.admin, partition)
	})
}

// committed fetches one committed offset with stable offsets required.
func (w *World) committed(ctx context.Context, cl *kgo.Client, partition int32) (history.Opt, error) {
	t := kmsg.NewOffsetFetchRequestGroupTopic()
	t.Topic, t.TopicID, t.Partitions = w.topic.name, w.topic.id, []int32{partition}
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group, g.Topics = w.group, []kmsg.OffsetFetchRequestGroupTopic{t}
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable, req.Groups = true, []kmsg.OffsetFetchRequestGroup{g}
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return history.Opt{}, err
	}
	for _, g := range resp.Groups {
		if code := codeName(g.ErrorCode); code != "" {
			return history.Opt{}, fmt.Errorf("fetch the committed offset: %s", code)
		}
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				if code := codeName(p.ErrorCode); code != "" {
					return history.Opt{}, &persistence.Error{Code: code, Err: errors.New("fetch the committed offset")}
				}
				if p.Offset < 0 {
					return history.Opt{}, nil
				}
				return history.Some(p.Offset), nil
			}
		}
	}
	return history.Opt{}, errors.New("fetch the committed offset: the answer names no partition")
}

// announced waits until the group's coordinator knows the run's topic. A creation is answered when the controller has it, and
// the broker learns of it a moment later: until then it refuses whoever names the topic by its id.
func announced(ctx context.Context, committed func(context.Context) (history.Opt, error)) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		_, err := committed(ctx)
		var refused *persistence.Error
		unknown := errors.As(err, &refused) && (refused.Code == "UNKNOWN_TOPIC_ID" || refused.Code == "UNKNOWN_TOPIC_OR_PARTITION")
		if err == nil {
			return nil
		}
		if !unknown {
			return fmt.Errorf("look whether the new topic is known: %w", err)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return fmt.Errorf("the new topic is not known to the group's coordinator: %w (%w)", err, context.Cause(ctx))
		}
	}
}

// Input reads the whole input topic up to the end that it finds first.
func (w *World) Input(partition int32) persistence.Call[[]workload.Record] {
	return call(w, 2*requestTimeout, func(ctx context.Context) ([]workload.Record, error) {
		records, err := w.servers.readWhole(ctx, w.topic.name, partition)
		var out []workload.Record
		for _, r := range records {
			if !r.Attrs.IsControl() {
				out = append(out, workload.Record{Partition: r.Partition, Offset: r.Offset, Value: r.Value})
			}
		}
		return out, err
	})
}

// Coordinator describes the group as its coordinator has it.
func (w *World) Coordinator() persistence.Call[workload.CoordinatorAnswer] {
	return call(w, requestTimeout, func(ctx context.Context) (workload.CoordinatorAnswer, error) {
		req := kmsg.NewPtrDescribeGroupsRequest()
		req.Groups = []string{w.group}
		resp, err := req.RequestWith(ctx, w.admin)
		if err != nil {
			return workload.CoordinatorAnswer{}, err
		}
		if len(resp.Groups) != 1 {
			return workload.CoordinatorAnswer{}, fmt.Errorf("describe the group: %d groups in the answer", len(resp.Groups))
		}
		return describe(resp.Groups[0])
	})
}

// describe makes the rig's form of the coordinator's answer, and keeps the raw one. A group that nobody has joined yet is
// not known to newer coordinators, and empty to older ones: both are empty here.
func describe(g kmsg.DescribeGroupsResponseGroup) (workload.CoordinatorAnswer, error) {
	seen := history.GroupSeen{State: g.State, Members: []history.MemberAtAll{}}
	switch code := codeName(g.ErrorCode); code {
	case "":
	case "GROUP_ID_NOT_FOUND":
		seen.State = "Empty"
	default:
		return workload.CoordinatorAnswer{}, fmt.Errorf("describe the group: %s", code)
	}
	if seen.State == "Dead" {
		seen.State = "Empty"
	}
	for _, m := range g.Members {
		at := history.MemberAtAll{Member: m.MemberID, Client: m.ClientID}
		// It is told only while the group is stable.
		at.Partitions, _ = assignedPartitions(m.MemberAssignment)
		seen.Members = append(seen.Members, at)
	}
	raw, err := json.Marshal(struct {
		ErrorCode int16                 `json:"error_code"`
		Group     string                `json:"group"`
		State     string                `json:"state"`
		Members   []history.MemberAtAll `json:"members"`
	}{g.ErrorCode, g.Group, g.State, seen.Members})
	return workload.CoordinatorAnswer{Group: seen, Raw: string(raw)}, err
}

// Evict makes the coordinator remove a member.
func (w *World) Evict(id string) persistence.Call[workload.CommitAnswer] {
	return call(w, requestTimeout, func(ctx context.Context) (workload.CommitAnswer, error) {
		code, err := leaveGroup(ctx, w.admin, w.group, id, "evicted")
		return workload.CommitAnswer{Code: code}, err
	})
}

// leaveGroup sends LeaveGroup for a member, whoever's client it is.
func leaveGroup(ctx context.Context, cl *kgo.Client, group, id, reason string) (code string, err error) {
	m := kmsg.NewLeaveGroupRequestMember()
	m.MemberID, m.Reason = id, &reason
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group, req.Members = group, []kmsg.LeaveGroupRequestMember{m}
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return "", err
	}
	for _, m := range resp.Members {
		if m.ErrorCode != 0 {
			return codeName(m.ErrorCode), nil
		}
	}
	return codeName(resp.ErrorCode), nil
}
