package proxy_test

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// commitOnce commits by one raw request to the coordinator.
func commitOnce(ctx context.Context, cl *kgo.Client, topic, member string, generation int32, at int64) error {
	found := kadm.NewClient(cl).FindGroupCoordinators(ctx, topic)
	if err := found.Error(); err != nil {
		return fmt.Errorf("find the coordinator: %w", err)
	}
	listed, err := kadm.NewClient(cl).ListTopics(ctx, topic)
	if err != nil {
		return err
	}
	p := kmsg.NewOffsetCommitRequestTopicPartition()
	p.Offset = at
	of := kmsg.NewOffsetCommitRequestTopic()
	of.Topic, of.TopicID, of.Partitions = topic, listed[topic].ID, []kmsg.OffsetCommitRequestTopicPartition{p}
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.MemberID, req.Generation, req.Topics = topic, member, generation, []kmsg.OffsetCommitRequestTopic{of}
	resp, err := cl.Broker(int(found[topic].NodeID)).Request(ctx, req)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(resp.(*kmsg.OffsetCommitResponse).Topics[0].Partitions[0].ErrorCode)
}
