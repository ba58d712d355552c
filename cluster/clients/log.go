package clients

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

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
