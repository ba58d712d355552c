package clients

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// createTopic makes a topic, which must be new.
func (s *Servers) createTopic(ctx context.Context, name string, partitions int, configs map[string]*string) (topic, error) {
	created, err := kadm.NewClient(s.admin).CreateTopics(ctx, int32(partitions), -1, configs, name)
	if err == nil {
		err = created.Error()
	}
	if err != nil {
		return topic{}, fmt.Errorf("create the topic %s: %w", name, err)
	}
	return topic{name: name, id: created[name].ID}, nil
}

// readWhole reads one partition of a topic up to the end that it finds first.
func (s *Servers) readWhole(ctx context.Context, topic string, partition int32) ([]*kgo.Record, error) {
	ends, err := kadm.NewClient(s.admin).ListEndOffsets(ctx, topic)
	if err != nil {
		return nil, err
	}
	end, ok := ends.Lookup(topic, partition)
	if !ok || end.Err != nil {
		return nil, errors.Join(fmt.Errorf("no end offset of %s/%d", topic, partition), end.Err)
	}
	return s.readLog(ctx, topic, partition, 0, end.Offset)
}

// readLog reads one partition of a topic from one position up to another, by a consumer of its own without a group. Control
// records are among what it gives: they take positions too, and the last one may be one.
func (s *Servers) readLog(ctx context.Context, topic string, partition int32, from, to int64) ([]*kgo.Record, error) {
	if from >= to {
		return nil, nil
	}
	cl, err := kgo.NewClient(append(s.kafka(), kgo.KeepControlRecords(), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
		topic: {partition: kgo.NewOffset().At(from)},
	}))...)
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	var out []*kgo.Record
	for next := from; next < to; {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, fmt.Errorf("read %s/%d from %d: it ends at %d, and nothing came from %d on: %w", topic, partition, from, to, next, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if next = r.Offset + 1; r.Offset < to {
				out = append(out, r)
			}
		})
	}
	return out, nil
}
