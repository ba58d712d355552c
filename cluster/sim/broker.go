package sim

import (
	"errors"
	"slices"
	"time"

	"github.com/single-writer/chaos/workload"
)

// errNoAnswer is why a request ended unknown.
var errNoAnswer = errors.New("no answer within the request's time-out")

// The brokers' error codes, by their names in the Kafka protocol.
const (
	codeNotLeader  = "NOT_LEADER_OR_FOLLOWER"
	codeOutOfRange = "OFFSET_OUT_OF_RANGE"
)

// broker is one of the brokers.
type broker struct {
	*server
	kafka  *kafka
	number int
	// group is what it coordinates, nil while it does not; loading tells that it reads the log that it has to know before.
	group   *group
	loading bool
	// waiting are fetches that found nothing yet.
	waiting []*fetch
	// fenced: the controller has taken it out of all that it had. news is what it does when it hears of that: until then it goes on.
	fenced bool
	news   []func()
	// contacts counts how often it was lost to the others and found again; overdue tells that nobody could see to that yet.
	contacts int
	overdue  bool
}

// fetch is one fetch request: answered at once when there are records, else when some come or its wait is over.
type fetch struct {
	positions map[int32]int64
	// first is the partition to begin with, max the most records.
	first  int32
	max    int
	reply  func(fetched)
	expiry *timer
}

// fetched is the answer to a fetch: records, or a code and the partition that it is about.
type fetched struct {
	code      string
	partition int32
	records   []workload.Record
}

// produce appends a record, unless it is there already.
func (b *broker) produce(partition int32, number int64, value []byte, reply func(tried[workload.ProduceAnswer])) {
	l := b.kafka.input[partition]
	if l.leader != b.number {
		b.refuseLater(func() { reply(again[workload.ProduceAnswer]()) })
		return
	}
	offset := int64(len(l.entries))
	done := func(kept bool) {
		if kept {
			reply(tried[workload.ProduceAnswer]{answer: workload.ProduceAnswer{Offset: offset}})
		} else {
			reply(again[workload.ProduceAnswer]())
		}
	}
	for at := len(l.entries) - 1; at >= 0 && l.entries[at].number >= number; at-- {
		if l.entries[at].number == number {
			offset = int64(at)
			l.await(at+1, done)
			return
		}
	}
	l.append(produced{workload.Record{Partition: partition, Offset: offset, Value: value}, number}, done)
}

// fetch serves a fetch.
func (b *broker) fetch(positions map[int32]int64, first int32, maxRecords int, wait time.Duration, reply func(fetched)) {
	f := &fetch{positions: positions, first: first, max: maxRecords, reply: reply}
	if b.answer(f) {
		return
	}
	b.waiting = append(b.waiting, f)
	f.expiry = b.net.After(wait, func() { b.expire(f) })
}

// expire answers a fetch that has waited for long enough.
func (b *broker) expire(f *fetch) {
	i := slices.Index(b.waiting, f)
	switch {
	case i < 0:
	case b.frozen:
		b.act(func() { b.expire(f) })
	default:
		b.waiting = slices.Delete(b.waiting, i, i+1)
		f.reply(fetched{})
	}
}

// answerFetches answers those for which there is something by now.
func (b *broker) answerFetches() {
	still := b.waiting[:0]
	for _, f := range b.waiting {
		if !b.answer(f) {
			still = append(still, f)
		}
	}
	b.waiting = still
}

// answer answers a fetch for which there are records, one partition after another, or of which a partition is not the broker's.
func (b *broker) answer(f *fetch) bool {
	var out fetched
	for i := range b.kafka.input {
		p := (int(f.first) + i) % len(b.kafka.input)
		from, ok := f.positions[int32(p)]
		if !ok {
			continue
		}
		l := b.kafka.input[p]
		switch {
		case l.leader != b.number && !b.unaware():
			out = fetched{code: codeNotLeader, partition: int32(p)}
		case l.leader != b.number:
		case from > int64(len(l.entries)):
			out = fetched{code: codeOutOfRange, partition: int32(p)}
		}
		if out.code != "" {
			break
		}
		for at := from; l.leader == b.number && at < int64(l.high) && len(out.records) < f.max; at++ {
			out.records = append(out.records, l.entries[at].Record)
		}
	}
	if out.code == "" && len(out.records) == 0 {
		return false
	}
	f.expiry.Stop()
	f.reply(out)
	return true
}

// crashed is that its process has ended: what it had in memory is gone.
func (b *broker) crashed() {
	if b.group != nil {
		b.group.over = true
	}
	b.group, b.loading, b.waiting, b.news = nil, false, nil, nil
}

// unaware tells whether it may have been replaced and not have heard of it.
func (b *broker) unaware() bool { return b.fenced || !b.kafka.there(b.number) }

// hearsLater is something that it will do when it hears what has become of its roles.
func (b *broker) hearsLater(do func()) {
	if !b.ended {
		b.news = append(b.news, do)
	}
}

// refuseLater refuses what only a leader does: one that takes itself for it waits for others to have what it has, in vain.
func (b *broker) refuseLater(refuse func()) {
	if b.unaware() {
		b.hearsLater(refuse)
		return
	}
	refuse()
}

// resign lets go of a group that another coordinates, or did meanwhile.
func (b *broker) resign() {
	if b.group != nil {
		b.group.resign()
		b.group = nil
	}
}

// hears is that it hears what has become of its roles.
func (b *broker) hears() {
	news := b.news
	b.news = nil
	if b.kafka.offsets.leader != b.number {
		b.resign()
	}
	for _, do := range news {
		do()
	}
	b.answerFetches()
}
