package clients

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// requests is a client with connections of its own: the broker serves those of one connection one after another, and a join
// that waits for others would keep them from joining.
type requests struct {
	world  *World
	client *kgo.Client
	// instance is the name of a static member; nil of a dynamic one.
	instance *string
}

// Requests makes a client that asks the coordinator one request at a time. It ends with the run.
func (w *World) Requests(client string) (cluster.Requests, error) {
	cl, err := kgo.NewClient(append(w.servers.kafka(), kgo.ClientID(client))...)
	if err != nil {
		return nil, fmt.Errorf("make a client of Kafka: %w", err)
	}
	w.requests.Add(1)
	context.AfterFunc(w.ctx, func() {
		defer w.requests.Done()
		cl.Close()
	})
	return &requests{world: w, client: cl}, nil
}

// As makes it a static member.
func (r *requests) As(instance string) { r.instance = &instance }

// protocol is the one assignor that all name: nobody assigns by it, as who leads says who gets what.
const protocol = "range"

// Join joins. Its answer may take as long as a rebalance does.
func (r *requests) Join(member string, session, rebalance time.Duration) persistence.Call[cluster.Joined] {
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group, req.MemberID, req.InstanceID, req.ProtocolType = r.world.group, member, r.instance, "consumer"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = int32(session.Milliseconds()), int32(rebalance.Milliseconds())
	subscription := kmsg.NewConsumerMemberMetadata()
	subscription.Topics = []string{r.world.topic.name}
	p := kmsg.NewJoinGroupRequestProtocol()
	p.Name, p.Metadata = protocol, subscription.AppendTo(nil)
	req.Protocols = []kmsg.JoinGroupRequestProtocol{p}
	return call(r.world, rebalance+requestTimeout, func(ctx context.Context) (cluster.Joined, error) {
		resp, err := asked[*kmsg.JoinGroupResponse](ctx, r, req)
		if err != nil {
			return cluster.Joined{}, err
		}
		return cluster.Joined{
			Code: r.world.coordinatorSaid(resp.ErrorCode), Token: workload.Token{Member: resp.MemberID, Generation: resp.Generation},
			Leads: len(resp.Members) > 0,
		}, nil
	})
}

// Sync syncs.
func (r *requests) Sync(t workload.Token, leads bool) persistence.Call[workload.CommitAnswer] {
	req := kmsg.NewPtrSyncGroupRequest()
	req.Group, req.MemberID, req.InstanceID, req.Generation = r.world.group, t.Member, r.instance, t.Generation
	req.ProtocolType, req.Protocol = kmsg.StringPtr("consumer"), kmsg.StringPtr(protocol)
	if leads {
		of := kmsg.NewConsumerMemberAssignmentTopic()
		of.Topic, of.Partitions = r.world.topic.name, []int32{0}
		all := kmsg.NewConsumerMemberAssignment()
		all.Topics = []kmsg.ConsumerMemberAssignmentTopic{of}
		mine := kmsg.NewSyncGroupRequestGroupAssignment()
		mine.MemberID, mine.MemberAssignment = t.Member, all.AppendTo(nil)
		req.GroupAssignment = []kmsg.SyncGroupRequestGroupAssignment{mine}
	}
	return call(r.world, requestTimeout, func(ctx context.Context) (workload.CommitAnswer, error) {
		resp, err := asked[*kmsg.SyncGroupResponse](ctx, r, req)
		if err != nil {
			return workload.CommitAnswer{}, err
		}
		return workload.CommitAnswer{Code: r.world.coordinatorSaid(resp.ErrorCode)}, nil
	})
}

// Heartbeat heartbeats.
func (r *requests) Heartbeat(t workload.Token) persistence.Call[workload.CommitAnswer] {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.MemberID, req.InstanceID, req.Generation = r.world.group, t.Member, r.instance, t.Generation
	return call(r.world, requestTimeout, func(ctx context.Context) (workload.CommitAnswer, error) {
		resp, err := asked[*kmsg.HeartbeatResponse](ctx, r, req)
		if err != nil {
			return workload.CommitAnswer{}, err
		}
		return workload.CommitAnswer{Code: r.world.coordinatorSaid(resp.ErrorCode)}, nil
	})
}

// Commit commits.
func (r *requests) Commit(t workload.Token, partition int32, offset int64) persistence.Call[workload.CommitAnswer] {
	return call(r.world, requestTimeout, func(ctx context.Context) (workload.CommitAnswer, error) {
		code, err := r.world.commitOffset(ctx, r.client, r.instance, t, partition, offset)
		return workload.CommitAnswer{Code: code}, err
	})
}

// asked sends a request to the coordinator, once.
func asked[T kmsg.Response](ctx context.Context, r *requests, req kmsg.Request) (answer T, err error) {
	node, err := r.world.coordinator(ctx, r.client)
	if err != nil {
		return answer, err
	}
	resp, err := r.client.Broker(int(node)).Request(ctx, req)
	if err != nil {
		r.world.forgetCoordinator()
		return answer, err
	}
	answer, ok := resp.(T)
	if !ok {
		return answer, errors.New("the answer is to another request")
	}
	return answer, nil
}
