package sim

import (
	"slices"

	"github.com/single-writer/chaos/cluster"
)

// The broker's answers to a batch, by the protocol's names.
const (
	codeOutOfOrder   = "OUT_OF_ORDER_SEQUENCE_NUMBER"
	codeInvalidEpoch = "INVALID_PRODUCER_EPOCH"
)

// sequences is what one partition knows of one idempotent producer (KIP-98): its epoch and its last batches, the oldest first.
type sequences struct {
	epoch int16
	last  []numbered
}

// numbered is a batch that is in the log.
type numbered struct {
	first, last int32
	base        int64
}

// admit says what becomes of a batch: it is appended when the code is empty and it is not known already.
func (s *sequences) admit(r logRules, b cluster.Batch) (code string, known *numbered) {
	if s == nil {
		return r.unknown(b.Sequence), nil
	}
	switch {
	case b.Epoch < s.epoch:
		return r.fenced(), nil
	case b.Epoch > s.epoch:
		return r.renewed(b.Sequence), nil
	}
	if i := slices.IndexFunc(s.last, func(n numbered) bool { return r.same(n, b) }); i >= 0 {
		return codeNone, &s.last[i]
	}
	return r.next(s.last[len(s.last)-1].last, b.Sequence), nil
}

// note notes a batch that was appended.
func (s *sequences) note(r logRules, b cluster.Batch, base int64) *sequences {
	if s == nil || s.epoch != b.Epoch {
		s = &sequences{epoch: b.Epoch}
	}
	s.last = append(s.last, numbered{b.Sequence, b.Sequence + int32(len(b.Records)) - 1, base})
	s.last = s.last[max(0, len(s.last)-r.kept):]
	return s
}

// logRules are the facts of Kafka's logs that package conformance looks for in real brokers too; a test of this package breaks
// them one by one.
type logRules struct {
	// unknown, renewed and next answer a batch of a producer that is not known, that has a new epoch, and that goes on.
	unknown func(sequence int32) string
	renewed func(sequence int32) string
	next    func(last, sequence int32) string
	// fenced answers a batch of an epoch that is over.
	fenced func() string
	// kept is how many batches of a producer are known again (ProducerStateEntry.NUM_BATCHES_TO_RETAIN).
	kept int
	// same tells whether a batch is one that is in the log: by its numbers, whatever is in it.
	same func(n numbered, b cluster.Batch) bool
	// cleanable is where the part of a log ends that may be compacted.
	cleanable func(l *partitionLog) int
	// latest tells whether a record is the last word about its key.
	latest func(offset, lastOfKey int64) bool
	// gone tells whether a tombstone that a pass has met before goes in the next.
	gone func(met bool) bool
}

func kafkaLog() logRules {
	first := func(sequence int32) string {
		if sequence != 0 {
			return codeOutOfOrder
		}
		return codeNone
	}
	return logRules{
		unknown: func(int32) string { return codeNone },
		renewed: first,
		next: func(last, sequence int32) string {
			if sequence != last+1 {
				return codeOutOfOrder
			}
			return codeNone
		},
		fenced: func() string { return codeInvalidEpoch },
		kept:   5,
		same: func(n numbered, b cluster.Batch) bool {
			return n.first == b.Sequence && n.last == b.Sequence+int32(len(b.Records))-1
		},
		cleanable: func(l *partitionLog) int { return l.active },
		latest:    func(offset, lastOfKey int64) bool { return offset >= lastOfKey },
		gone:      func(met bool) bool { return met },
	}
}
