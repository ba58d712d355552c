package clients

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/workload/persistence"
)

// partitionLog is a topic of one partition, to which batches are sent as they are: franz-go's producer would number them.
type partitionLog struct {
	world *World
	topic topic
}

// Log makes a topic of one partition, compacted or not.
func (w *World) Log(compacted bool) (cluster.Log, error) {
	ctx, cancel := context.WithTimeout(w.ctx, requestTimeout)
	defer cancel()
	w.logs++
	var configs map[string]*string
	if compacted {
		configs = map[string]*string{
			"cleanup.policy": kadm.StringPtr("compact"), "segment.ms": kadm.StringPtr("100"),
			"min.cleanable.dirty.ratio": kadm.StringPtr("0"), "delete.retention.ms": kadm.StringPtr("0"),
		}
	}
	t, err := w.servers.createTopic(ctx, fmt.Sprintf("%s.log-%d", w.group, w.logs), 1, configs)
	if err != nil {
		return nil, err
	}
	return &partitionLog{world: w, topic: t}, nil
}

// Append sends a batch, once. That a broker does not know a new topic yet is no answer of its log.
func (l *partitionLog) Append(b cluster.Batch) persistence.Call[cluster.Appended] {
	return call(l.world, requestTimeout, func(ctx context.Context) (cluster.Appended, error) {
		again := time.NewTicker(5 * time.Millisecond)
		defer again.Stop()
		for {
			a, err := l.append(ctx, b)
			if err != nil || a.Code != "UNKNOWN_TOPIC_ID" && a.Code != "UNKNOWN_TOPIC_OR_PARTITION" && a.Code != "NOT_LEADER_FOR_PARTITION" {
				return a, err
			}
			select {
			case <-again.C:
			case <-ctx.Done():
				return a, fmt.Errorf("the new topic is not known to its broker: %s", a.Code)
			}
		}
	})
}

func (l *partitionLog) append(ctx context.Context, b cluster.Batch) (cluster.Appended, error) {
	p := kmsg.NewProduceRequestTopicPartition()
	p.Records = encode(b, time.Now())
	t := kmsg.NewProduceRequestTopic()
	t.Topic, t.TopicID, t.Partitions = l.topic.name, l.topic.id, []kmsg.ProduceRequestTopicPartition{p}
	req := kmsg.NewPtrProduceRequest()
	req.Acks, req.TimeoutMillis, req.Topics = -1, int32(requestTimeout.Milliseconds()), []kmsg.ProduceRequestTopic{t}
	leader, err := l.leader(ctx)
	if err != nil {
		return cluster.Appended{}, err
	}
	resp, err := l.world.admin.Broker(int(leader)).Request(ctx, req)
	if err != nil {
		return cluster.Appended{}, err
	}
	produced, ok := resp.(*kmsg.ProduceResponse)
	if !ok || len(produced.Topics) != 1 || len(produced.Topics[0].Partitions) != 1 {
		return cluster.Appended{}, errors.New("the answer is not of the one partition that was asked for")
	}
	answer := produced.Topics[0].Partitions[0]
	return cluster.Appended{Code: codeName(answer.ErrorCode), Base: answer.BaseOffset}, nil
}

// leader is the broker that leads the topic's partition, or any one while nobody knows: it is answered for.
func (l *partitionLog) leader(ctx context.Context) (int32, error) {
	m, err := kadm.NewClient(l.world.admin).Metadata(ctx, l.topic.name)
	if err != nil {
		return 0, fmt.Errorf("look who leads the topic %s: %w", l.topic.name, err)
	}
	if p, ok := m.Topics[l.topic.name].Partitions[0]; ok && p.Leader >= 0 {
		return p.Leader, nil
	}
	return m.Controller, nil
}

// Read reads what there is up to the end that it finds first.
func (l *partitionLog) Read() persistence.Call[[]cluster.LogRecord] {
	return call(l.world, 2*requestTimeout, func(ctx context.Context) ([]cluster.LogRecord, error) {
		records, err := l.world.servers.readWhole(ctx, l.topic.name, 0)
		var out []cluster.LogRecord
		for _, r := range records {
			out = append(out, cluster.LogRecord{Offset: r.Offset, Key: string(r.Key), Value: r.Value})
		}
		return out, err
	})
}

// encode makes a record batch of version 2 (KIP-98): its length counts what comes after the length, its checksum is of what
// comes after the checksum.
func encode(b cluster.Batch, at time.Time) []byte {
	batch := kmsg.RecordBatch{
		PartitionLeaderEpoch: -1, Magic: 2, LastOffsetDelta: int32(len(b.Records) - 1),
		FirstTimestamp: at.UnixMilli(), MaxTimestamp: at.UnixMilli(),
		ProducerID: b.Producer, ProducerEpoch: b.Epoch, FirstSequence: b.Sequence, NumRecords: int32(len(b.Records)),
	}
	for i, r := range b.Records {
		record := kmsg.Record{OffsetDelta: int32(i), Key: []byte(r.Key), Value: r.Value}
		batch.Records = append(batch.Records, withLength(record)...)
	}
	const lengthEnds, checksumAt = 12, 17
	raw := batch.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[lengthEnds-4:], uint32(len(raw)-lengthEnds))
	binary.BigEndian.PutUint32(raw[checksumAt:], crc32.Checksum(raw[checksumAt+4:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

// withLength encodes a record, which begins with the length of the rest.
func withLength(r kmsg.Record) []byte {
	rest := len(r.AppendTo(nil)) - 1 // a length of 0 takes one byte
	r.Length = int32(rest)
	return r.AppendTo(nil)
}
