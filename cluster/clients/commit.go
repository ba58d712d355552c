package clients

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// refusals are the answers to an OffsetCommit with which the coordinator says that it has not committed, before anything
// was written. Others, such as a request that timed out inside the broker, may come after the commit was written to its
// log, and leave the outcome unknown. So may NOT_COORDINATOR: a coordinator that is replaced says it of what it has begun to write, and
// its successor may find that in the log (CoordinatorRuntime of Kafka 4.x, CoordinatorContext.unload).
var refusals = map[string]bool{
	"UNKNOWN_MEMBER_ID": true, "ILLEGAL_GENERATION": true, "REBALANCE_IN_PROGRESS": true, "STALE_MEMBER_EPOCH": true,
	"FENCED_INSTANCE_ID": true, "FENCED_MEMBER_EPOCH": true, "COORDINATOR_LOAD_IN_PROGRESS": true,
	"INVALID_GROUP_ID": true, "GROUP_ID_NOT_FOUND": true, "GROUP_AUTHORIZATION_FAILED": true,
	"TOPIC_AUTHORIZATION_FAILED": true, "UNKNOWN_TOPIC_OR_PARTITION": true, "UNKNOWN_TOPIC_ID": true,
	"OFFSET_METADATA_TOO_LARGE": true, "INVALID_COMMIT_OFFSET_SIZE": true, "UNSUPPORTED_VERSION": true,
}

// commitOffset sends one OffsetCommit under the token that was captured, whatever the client knows of its membership by
// now. It goes to the coordinator itself and is sent once: franz-go's ordinary way sends it again when the connection
// breaks, and the second can be refused where the first was applied. Instance is the name of a static member.
func (w *World) commitOffset(ctx context.Context, cl *kgo.Client, instance *string, token workload.Token, partition int32, offset int64) (string, error) {
	node, err := w.coordinator(ctx, cl)
	if err != nil {
		return "", &persistence.Error{Code: "no-coordinator", NoEffect: true, Err: err}
	}
	p := kmsg.NewOffsetCommitRequestTopicPartition()
	p.Partition, p.Offset, p.Metadata = partition, offset, kmsg.StringPtr(writeToken(token))
	t := kmsg.NewOffsetCommitRequestTopic()
	t.Topic, t.TopicID, t.Partitions = w.topic.name, w.topic.id, []kmsg.OffsetCommitRequestTopicPartition{p}
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.MemberID, req.InstanceID, req.Generation = w.group, token.Member, instance, token.Generation
	req.Topics = []kmsg.OffsetCommitRequestTopic{t}
	resp, err := cl.Broker(int(node)).Request(ctx, req)
	if err != nil {
		w.forgetCoordinator()
		return "", unsent(err)
	}
	return w.committedAnswer(resp.(*kmsg.OffsetCommitResponse))
}

// unsent says of a request that is sent once, and found no connection and could not make one, that it had no effect.
func unsent(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return &persistence.Error{Code: "no-connections", NoEffect: true, Err: err}
	}
	return err
}

// committedAnswer reads the one partition's code: none and a refusal are answers, all else is unknown.
func (w *World) committedAnswer(resp *kmsg.OffsetCommitResponse) (string, error) {
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return "", errors.New("commit: the answer does not name the one partition")
	}
	code := w.coordinatorSaid(resp.Topics[0].Partitions[0].ErrorCode)
	if code != "" && !refusals[code] {
		return "", &persistence.Error{Code: code, Err: fmt.Errorf("commit: %s", code)}
	}
	return code, nil
}

// coordinator gives the node that coordinates the group, asked for once until it turns out not to be any more.
func (w *World) coordinator(ctx context.Context, cl *kgo.Client) (int32, error) {
	w.coordinatorMu.Lock()
	defer w.coordinatorMu.Unlock()
	if w.coordinatorKnown {
		return w.coordinatorNode, nil
	}
	found := kadm.NewClient(cl).FindGroupCoordinators(ctx, w.group)
	if err := found.Error(); err != nil {
		return 0, fmt.Errorf("find the coordinator of the group: %w", err)
	}
	w.coordinatorNode, w.coordinatorKnown = found[w.group].NodeID, true
	return w.coordinatorNode, nil
}

// coordinatorSaid is the name of a code that the coordinator has answered. One that is none any more is not asked again.
func (w *World) coordinatorSaid(code int16) string {
	name := codeName(code)
	if name == "NOT_COORDINATOR" {
		w.forgetCoordinator()
	}
	return name
}

func (w *World) forgetCoordinator() {
	w.coordinatorMu.Lock()
	defer w.coordinatorMu.Unlock()
	w.coordinatorKnown = false
}
