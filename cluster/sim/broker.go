package sim

import (
	"errors"
	"time"

	"github.com/single-writer/chaos/workload"
)

// errNoAnswer is why a request ended unknown.
var errNoAnswer = errors.New("no answer within the request's time-out")

// broker is the one Kafka: the input log, and the coordinator of the one group.
type broker struct {
	*server
	log   [][]workload.Record
	group *group
	// waiting are fetches that found nothing yet.
	waiting []*fetch
}

// fetch is one fetch request: answered at once when there are records, else when some come or its wait is over.
type fetch struct {
	positions map[int32]int64
	// first is the partition to begin with, max the most records.
	first  int32
	max    int
	reply  func([]workload.Record)
	expiry *timer
}

func newBroker(n *network, partitions int) *broker {
	return &broker{server: &server{net: n, name: "kafka-1"}, log: make([][]workload.Record, partitions), group: newGroup(n)}
}

// produce appends and answers the offset.
func (b *broker) produce(partition int32, value []byte) int64 {
	offset := int64(len(b.log[partition]))
	b.log[partition] = append(b.log[partition], workload.Record{Partition: partition, Offset: offset, Value: value})
	still := b.waiting[:0]
	for _, f := range b.waiting {
		if !b.answer(f) {
			still = append(still, f)
		}
	}
	b.waiting = still
	return offset
}

// fetch serves a fetch.
func (b *broker) fetch(positions map[int32]int64, first int32, maxRecords int, wait time.Duration, reply func([]workload.Record)) {
	f := &fetch{positions: positions, first: first, max: maxRecords, reply: reply}
	if b.answer(f) {
		return
	}
	b.waiting = append(b.waiting, f)
	f.expiry = b.net.After(wait, func() {
		for i, g := range b.waiting {
			if g == f {
				b.waiting = append(b.waiting[:i:i], b.waiting[i+1:]...)
				reply(nil)
				return
			}
		}
	})
}

// answer answers a fetch for which there are records, one partition after another.
func (b *broker) answer(f *fetch) bool {
	var out []workload.Record
	for i := range b.log {
		p := (int(f.first) + i) % len(b.log)
		from, ok := f.positions[int32(p)]
		if !ok {
			continue
		}
		for at := from; at < int64(len(b.log[p])) && len(out) < f.max; at++ {
			out = append(out, b.log[p][at])
		}
	}
	if len(out) == 0 {
		return false
	}
	f.expiry.Stop()
	f.reply(out)
	return true
}
