package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/workload"
)

// kafka is the brokers, what they store, and who of them has which role. Who leads a partition, and who is the controller, is what the
// metadata say, that is most brokers; one that is cut off from them may take itself for a leader still (failover.go).
type kafka struct {
	*network
	// rng is a stream of its own: a lone broker that stays well draws nothing from it.
	rng     *rand.Rand
	brokers []*broker
	input   []*replicatedLog[produced]
	// offsets is the partition of __consumer_offsets that has the group: whoever leads it coordinates the group.
	offsets    *replicatedLog[logged]
	controller int
	rules      groupRules
	// named counts the ids that were given to members.
	named int
}

func newKafka(n *network, spec cluster.Spec) *kafka {
	k := &kafka{network: n, rules: kafkaRules(), rng: rand.New(rand.NewPCG(uint64(spec.Seed), 0xd6e8feb86659fd93))}
	brokers := max(1, spec.Kafka)
	for i := range brokers {
		k.brokers = append(k.brokers, &broker{server: &server{net: n, name: fmt.Sprintf("kafka-%d", i+1)}, kafka: k, number: i})
	}
	first := k.rng.IntN(brokers)
	for p := range spec.Partitions {
		l := newReplicatedLog[produced](k, brokers, (first+p)%brokers)
		l.risen = func() {
			if l.leader != nobody {
				k.brokers[l.leader].answerFetches()
			}
		}
		k.input = append(k.input, l)
	}
	k.offsets = newReplicatedLog[logged](k, brokers, k.rng.IntN(brokers))
	k.controller = k.rng.IntN(brokers)
	k.coordinator().group = newGroup(k.coordinator())
	return k
}

// draw draws a time from the stream of the brokers.
func (k *kafka) draw(from, to time.Duration) time.Duration {
	return from + time.Duration(k.rng.Int64N(int64(to-from)))
}

// coordinator is the broker that is to coordinate the group, nil while there is none.
func (k *kafka) coordinator() *broker { return k.leads(k.offsets.leader) }

// leader is the broker that leads a partition of the input, nil while there is none.
func (k *kafka) leader(partition int32) *broker { return k.leads(k.input[partition].leader) }

func (k *kafka) leads(number int) *broker {
	if number == nobody {
		return nil
	}
	return k.brokers[number]
}

// asked tells whether a client finds anybody to ask for the metadata.
func (k *kafka) asked() bool { return k.anyone() != nil }

// partitions are all that brokers can lead.
func (k *kafka) partitions() []partition {
	all := []partition{k.offsets}
	for _, l := range k.input {
		all = append(all, l)
	}
	return all
}

// partition is a log, whatever is in it.
type partition interface {
	replicate()
	lead(broker int)
	leave(broker int)
	next() int
	full(replica int) bool
	ledBy() int
	holds(broker int) bool
}

func (l *replicatedLog[T]) ledBy() int { return l.leader }

// holds tells whether a broker is in sync.
func (l *replicatedLog[T]) holds(broker int) bool { return l.inSync[broker] }

// produced is a record of the input; its number tells it apart from others of its producer, which sends it again until it is
// acknowledged (KIP-98).
type produced struct {
	workload.Record
	number int64
}
