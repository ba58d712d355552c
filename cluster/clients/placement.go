package clients

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Placement is where a partition is.
type Placement struct {
	// Leader is -1 when nobody leads it. The preferred leader is the first of the Replicas.
	Leader, Epoch int32
	Replicas, ISR []int32
}

// Placed tells where partition 0 of the input is.
func (w *World) Placed(ctx context.Context) (Placement, error) {
	return w.servers.placed(ctx, w.topic.name, 0)
}

// Place says which brokers are to have partition 0 of the input, the preferred leader first.
func (w *World) Place(ctx context.Context, replicas []int32) error {
	return w.servers.place(ctx, w.topic.name, 0, replicas)
}

// ElectUnclean makes a replica of partition 0 of the input that lives its leader, whatever that lacks.
func (w *World) ElectUnclean(ctx context.Context) error {
	return w.servers.elect(ctx, kadm.ElectLiveReplica, w.topic.name, 0)
}

// End is where partition 0 of the input ends, by its leader.
func (w *World) End(ctx context.Context) (int64, error) {
	ends, err := kadm.NewClient(w.servers.admin).ListEndOffsets(ctx, w.topic.name)
	if err != nil {
		return 0, fmt.Errorf("ask where the input ends: %w", err)
	}
	end, _ := ends.Lookup(w.topic.name, 0)
	return end.Offset, end.Err
}

// Lives tells whether the controller takes the broker to be alive: nil is yes.
func (w *World) Lives(ctx context.Context, id int32) error {
	answers, err := w.servers.most(ctx, func() kmsg.Request { return kmsg.NewPtrMetadataRequest() })
	for _, a := range answers {
		for _, b := range a.(*kmsg.MetadataResponse).Brokers {
			if b.NodeID == id {
				return nil
			}
		}
	}
	return errors.Join(fmt.Errorf("%s is not known to live", BrokerName(id)), err)
}

// placed tells where a partition is.
func (s *Servers) placed(ctx context.Context, topic string, partition int32) (Placement, error) {
	all, err := s.placements(ctx, topic)
	if err != nil {
		return Placement{}, err
	}
	p, ok := all[partition]
	if !ok {
		return p, fmt.Errorf("%s has no partition %d", topic, partition)
	}
	return p, nil
}

// placements asks the brokers themselves: one that is cut off from the others goes on telling what it knew, and would say of
// itself that it leads. Who knows of the newest leader is right.
func (s *Servers) placements(ctx context.Context, topic string) (map[int32]Placement, error) {
	answers, err := s.most(ctx, func() kmsg.Request {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(topic)
		req := kmsg.NewPtrMetadataRequest()
		req.Topics = []kmsg.MetadataRequestTopic{t}
		return req
	})
	newest := map[int32]Placement{}
	for _, a := range answers {
		for _, t := range a.(*kmsg.MetadataResponse).Topics {
			for _, p := range t.Partitions {
				if n, known := newest[p.Partition]; !known || p.LeaderEpoch > n.Epoch {
					newest[p.Partition] = Placement{p.Leader, p.LeaderEpoch, p.Replicas, p.ISR}
				}
			}
		}
	}
	if err == nil && len(newest) == 0 {
		err = errors.New("nobody knows it")
	}
	if err != nil {
		return nil, fmt.Errorf("ask who has %s: %w", topic, err)
	}
	return newest, nil
}

// most asks every broker itself, and gives the answers when more than half of them have answered: one of these knows what is
// so. A broker that is paused or gone is not waited for.
func (s *Servers) most(ctx context.Context, request func() kmsg.Request) (answers []kmsg.Response, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	type answer struct {
		response kmsg.Response
		err      error
	}
	brokers := s.admin.SeedBrokers()
	came := make(chan answer, len(brokers))
	for _, b := range brokers {
		go func(b *kgo.Broker) {
			response, err := b.Request(ctx, request())
			came <- answer{response, err}
		}(b)
	}
	var errs []error
	for range brokers {
		a := <-came
		if a.err != nil {
			errs = append(errs, a.err)
		} else if answers = append(answers, a.response); len(answers) > len(brokers)/2 {
			return answers, nil
		}
	}
	return nil, fmt.Errorf("of %d brokers too few answer: %w", len(brokers), errors.Join(errs...))
}

// place says which brokers are to have a partition, the preferred leader first.
func (s *Servers) place(ctx context.Context, topic string, partition int32, replicas []int32) error {
	var req kadm.AlterPartitionAssignmentsReq
	req.Assign(topic, partition, replicas)
	answers, err := kadm.NewClient(s.admin).AlterPartitionAssignments(ctx, req)
	if err == nil {
		err = answers.Error()
	}
	if err != nil {
		return fmt.Errorf("give %s/%d to the brokers %v: %w", topic, partition, replicas, err)
	}
	return nil
}

// elect elects a leader. That who leads already need not be elected is no error.
func (s *Servers) elect(ctx context.Context, how kadm.ElectLeadersHow, topic string, partition int32) error {
	set := kadm.TopicsSet{}
	set.Add(topic, partition)
	results, err := kadm.NewClient(s.admin).ElectLeaders(ctx, how, set)
	if err == nil {
		err = results[topic][partition].Err
	}
	if err != nil && !errors.Is(err, kerr.ElectionNotNeeded) {
		return fmt.Errorf("elect a leader of %s/%d: %w", topic, partition, err)
	}
	return nil
}

// lead makes a broker the preferred leader of a partition that it has a replica of, and then its leader.
func (s *Servers) lead(ctx context.Context, topic string, partition, id int32) error {
	p, err := s.placed(ctx, topic, partition)
	if err != nil {
		return nothingDone(err)
	}
	if !slices.Contains(p.ISR, id) {
		return nothingDone(fmt.Errorf("%s cannot lead %s/%d: in sync are the brokers %v alone", BrokerName(id), topic, partition, p.ISR))
	}
	others := slices.DeleteFunc(slices.Clone(p.Replicas), func(r int32) bool { return r == id })
	if err := s.place(ctx, topic, partition, append([]int32{id}, others...)); err != nil {
		return err
	}
	return s.elect(ctx, kadm.ElectPreferredReplica, topic, partition)
}

// Patiently looks until there is no error, or ctx ends: then the last one is told.
func Patiently(ctx context.Context, look func() error) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := look()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w (%w)", err, context.Cause(ctx))
		case <-tick.C:
		}
	}
}
