package conformance

import (
	"fmt"

	"github.com/single-writer/chaos/cluster"
)

const (
	outOfOrder   = "OUT_OF_ORDER_SEQUENCE_NUMBER"
	invalidEpoch = "INVALID_PRODUCER_EPOCH"
	idempotent   = "KIP-98, ProducerAppendInfo; "
)

// idempotence is how a partition numbers the batches of a producer, so that one sent twice is stored once.
func idempotence() []Fact {
	return []Fact{{
		Name: "a-batch-sent-twice", Of: Kafka, Source: idempotent + measuredHere,
		Says:      "a batch that is sent again is answered with its offset of before, and stored once",
		Otherwise: "it is stored again",
		show: func(b *bench) {
			t := b.topic(false)
			t.appends(batch(1, 0, 0, "x", "y"), "at 0")
			t.appends(batch(1, 0, 0, "x", "y"), "at 0")
			t.appends(batch(1, 0, 2, "z"), "at 2")
			t.appends(batch(1, 0, 0, "x", "y"), "at 0")
			t.holds("x=x@0 y=y@1 z=z@2")
		},
	}, {
		Name: "other-values-of-the-same-numbers", Of: Kafka, Source: idempotent + measuredHere,
		Says:      "a batch with the numbers of one that is stored is taken for it, whatever is in it: accepted, and dropped",
		Otherwise: "what is in it counts",
		show: func(b *bench) {
			t := b.topic(false)
			t.appends(batch(1, 0, 0, "x", "y"), "at 0")
			t.appends(batch(1, 0, 0, "p", "q"), "at 0")
			t.holds("x=x@0 y=y@1")
		},
	}, {
		Name: "a-gap-or-an-overlap", Of: Kafka, Source: idempotent + measuredHere,
		Says:      "a batch that leaves a number out, or repeats only a part of one before, is OUT_OF_ORDER_SEQUENCE_NUMBER and not stored",
		Otherwise: "numbers need only rise",
		show: func(b *bench) {
			t := b.topic(false)
			t.appends(batch(1, 0, 0, "x", "y"), "at 0")
			t.appends(batch(1, 0, 3, "z"), outOfOrder)
			t.appends(batch(1, 0, 1, "y", "z"), outOfOrder)
			t.appends(batch(1, 0, 0, "x"), outOfOrder)
			t.appends(batch(1, 0, 2, "z"), "at 2")
			t.holds("x=x@0 y=y@1 z=z@2")
		},
	}, {
		Name: "five-batches-are-known-again", Of: Kafka, Source: "ProducerStateEntry.NUM_BATCHES_TO_RETAIN; " + measuredHere,
		Says:      "a batch is known again while it is among the last five of its producer; before that it is OUT_OF_ORDER_SEQUENCE_NUMBER",
		Otherwise: "only the last one is known again",
		show: func(b *bench) {
			t := b.topic(false)
			at := func(i int) cluster.Batch { return batch(1, 0, int32(i), name(i)) }
			for i := range 6 {
				t.appends(at(i), fmt.Sprintf("at %d", i))
			}
			t.appends(at(1), "at 1")
			t.appends(at(0), outOfOrder)
		},
	}, {
		Name: "a-new-epoch-begins-at-0", Of: Kafka, Source: idempotent + measuredHere,
		Says:      "the numbers of a new epoch begin at 0, or they are OUT_OF_ORDER_SEQUENCE_NUMBER; the epoch before is INVALID_PRODUCER_EPOCH from then on",
		Otherwise: "they go on",
		show: func(b *bench) {
			t := b.topic(false)
			t.appends(batch(1, 0, 0, "x"), "at 0")
			t.appends(batch(1, 1, 1, "y"), outOfOrder)
			t.appends(batch(1, 0, 1, "y"), "at 1")
			t.appends(batch(1, 1, 0, "z"), "at 2")
			t.appends(batch(1, 0, 2, "w"), invalidEpoch)
			t.holds("x=x@0 y=y@1 z=z@2")
		},
	}, {
		Name: "the-last-epoch-is-fenced", Of: Kafka, Source: idempotent + measuredHere,
		Says:      "a batch of an epoch that is over is INVALID_PRODUCER_EPOCH, also one that was stored before",
		Otherwise: "it is accepted",
		show: func(b *bench) {
			t := b.topic(false)
			t.appends(batch(1, 0, 0, "x"), "at 0")
			t.appends(batch(1, 1, 0, "y"), "at 1")
			t.appends(batch(1, 0, 0, "x"), invalidEpoch)
			t.appends(batch(1, 0, 1, "z"), invalidEpoch)
			t.holds("x=x@0 y=y@1")
		},
	}, {
		Name: "an-unknown-producer-begins-anywhere", Of: Kafka, Source: idempotent + measuredHere,
		Says:      "a producer that the partition does not know may begin with any number, and goes on from there",
		Otherwise: "it has to begin at 0",
		show: func(b *bench) {
			t := b.topic(false)
			t.appends(batch(1, 0, 7, "x"), "at 0")
			t.appends(batch(1, 0, 9, "z"), outOfOrder)
			t.appends(batch(1, 0, 8, "y"), "at 1")
			t.appends(batch(2, 3, 0, "z"), "at 2")
			t.holds("x=x@0 y=y@1 z=z@2")
		},
	}}
}
