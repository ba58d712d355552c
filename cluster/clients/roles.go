package clients

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// A role has moved when the brokers say so. The requests that move it are sent once: what came of them is read.

// moveTime is how long a role may take to move: a coordinator reads its whole log before it answers.
const moveTime = 30 * time.Second

// BrokerName is what a broker is called.
func BrokerName(id int32) string { return fmt.Sprintf("%s%d", workload.Brokers, id) }

// BrokerID gives the id of the broker of that name.
func BrokerID(name string) (id int32, err error) {
	if _, err := fmt.Sscanf(name, workload.Brokers+"%d", &id); err != nil || BrokerName(id) != name {
		return 0, fmt.Errorf("%s is no broker", name)
	}
	return id, nil
}

// Do does something to the cluster beside the run's processes, and gives the answer with the baton. It ends with the run.
func (w *World) Do(within time.Duration, do func(ctx context.Context) (string, error)) persistence.Call[string] {
	return call(w, within, do)
}

// Playing asks the brokers who has the role.
func (w *World) Playing(r workload.Role) persistence.Call[string] {
	return call(w, requestTimeout, func(ctx context.Context) (string, error) {
		id, err := w.playing(ctx, r)
		return BrokerName(id), err
	})
}

func (w *World) playing(ctx context.Context, r workload.Role) (int32, error) {
	topic, partition, err := w.comesWith(ctx, r)
	if r == workload.Controller {
		return w.servers.controller(ctx)
	}
	if err != nil {
		return 0, err
	}
	p, err := w.servers.placed(ctx, topic, partition)
	if err == nil && p.Leader < 0 {
		err = fmt.Errorf("nobody leads %s/%d", topic, partition)
	}
	return p.Leader, err
}

// comesWith is the partition whose leader has the role. The controller is chosen otherwise.
func (w *World) comesWith(ctx context.Context, r workload.Role) (topic string, partition int32, err error) {
	switch r {
	case workload.Leader:
		return w.topic.name, 0, nil
	case workload.Coordinator:
		all, err := w.servers.placements(ctx, offsetsTopic)
		if err != nil {
			return "", 0, err
		}
		return offsetsTopic, groupPartition(w.group, len(all)), nil
	case workload.Controller:
		return "", 0, errors.New("the controller cannot be told to move: another is chosen when the one that there is is killed or paused")
	}
	return "", 0, fmt.Errorf("nothing is known of a role called %q", r)
}

// controller asks for the leader of the quorum that keeps the metadata. What a plain metadata request calls the controller is any
// broker (KIP-590).
func (s *Servers) controller(ctx context.Context) (int32, error) {
	answers, err := s.most(ctx, func() kmsg.Request {
		t := kmsg.NewDescribeQuorumRequestTopic()
		t.Topic = "__cluster_metadata"
		t.Partitions = []kmsg.DescribeQuorumRequestTopicPartition{kmsg.NewDescribeQuorumRequestTopicPartition()}
		req := kmsg.NewPtrDescribeQuorumRequest()
		req.Topics = []kmsg.DescribeQuorumRequestTopic{t}
		return req
	})
	newest := kmsg.DescribeQuorumResponseTopicPartition{LeaderID: -1, LeaderEpoch: -1}
	for _, a := range answers {
		for _, t := range a.(*kmsg.DescribeQuorumResponse).Topics {
			for _, p := range t.Partitions {
				if p.ErrorCode == 0 && p.LeaderEpoch > newest.LeaderEpoch {
					newest = p
				}
			}
		}
	}
	if err == nil && newest.LeaderID < 0 {
		err = errors.New("none of them knows of any")
	}
	if err != nil {
		return 0, fmt.Errorf("ask who is the controller: %w", err)
	}
	return newest.LeaderID, nil
}

// Move gives a role to a broker by making it lead the partition that the role comes with.
func (w *World) Move(r workload.Role, server string) persistence.Call[string] {
	return call(w, moveTime, func(ctx context.Context) (string, error) {
		id, err := BrokerID(server)
		if err != nil {
			return "", nothingDone(err)
		}
		topic, partition, err := w.comesWith(ctx, r)
		if err != nil {
			return "", nothingDone(err)
		}
		before, err := w.playing(ctx, r)
		if err != nil {
			return "", nothingDone(err)
		}
		if err := w.servers.lead(ctx, topic, partition, id); err != nil {
			return "", err
		}
		err = Patiently(ctx, func() error {
			now, err := w.playing(ctx, r)
			switch {
			case err == nil && now != id:
				err = fmt.Errorf("the %s is still %s", r, BrokerName(now))
			case err == nil && r == workload.Coordinator:
				err = w.coordinates(ctx, id)
			}
			return err
		})
		return fmt.Sprintf("%s was the %s; now %s leads %s/%d, and is", BrokerName(before), r, server, topic, partition), err
	})
}

// coordinates asks the broker itself about the group: it has to read its log before it answers.
func (w *World) coordinates(ctx context.Context, id int32) error {
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = []string{w.group}
	resp, err := w.servers.admin.Broker(int(id)).Request(ctx, req)
	if err != nil {
		return err
	}
	for _, g := range resp.(*kmsg.DescribeGroupsResponse).Groups {
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
			return fmt.Errorf("%s says of the group: %w", BrokerName(id), err)
		}
	}
	return nil
}

// nothingDone is an error that came before anything was done.
func nothingDone(err error) error {
	return &persistence.Error{Code: "refused", NoEffect: true, Err: err}
}
