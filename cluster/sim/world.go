package sim

import (
	"fmt"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/cluster/sim/cassandra"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// World is one simulated run: its scheduler, its board, its brokers and its store.
type World struct {
	scheduler *scheduler
	net       *network
	board     *board.Board
	kafka     *kafka
	store     *cassandra.Store
	// between is the network of the store's nodes.
	between *internode
	// The connections of the rig's own clients; produced counts what the producer has sent.
	producer, admin link
	produced        int64
	// coordinator is who coordinates the group by then.
	coordinator func() *broker
	// wire is what somebody has armed to act upon messages, lossy what is lost by chance.
	wire  wire
	lossy lossy
	// logRules are those of the logs that are made besides the input topic.
	logRules logRules
}

var (
	_ workload.Consumers = (*World)(nil)
	_ workload.Producer  = (*World)(nil)
	_ workload.Truth     = (*World)(nil)
	_ workload.Wire      = (*World)(nil)
	_ persistence.Rows   = (*World)(nil)
)

// adminTimeout is how long a request of the rig's own waits that is sent once.
const adminTimeout = 5 * time.Second

// New makes a world with an empty input topic of so many partitions, whose schedule is a random walk.
func New(seed int64, partitions int, recorder history.Recorder) *World {
	return newWorld(walk{seeded(seed)}, Cluster{}, cluster.Spec{Seed: seed, Partitions: partitions}, recorder)
}

func newWorld(by strategy, c Cluster, spec cluster.Spec, recorder history.Recorder) *World {
	s := newScheduler(by)
	w := &World{scheduler: s, net: &network{s}, board: board.New(s, recorder), lossy: newLossy(spec.Seed, c.Loss), logRules: kafkaLog()}
	w.wire.lostCommits = map[string]func(*broker, func(string)){}
	w.kafka = newKafka(w.net, spec)
	w.coordinator = w.kafka.coordinator
	w.between = newInternode(w.net, spec.Seed, c.Loss)
	w.store = w.between.open(c.nodes(spec), c.Skew)
	s.abort = func(err error) { w.board.Abort(fmt.Errorf("%w: %s", err, w.board.Waiting())) }
	return w
}

// Facts is the cluster as the history's header tells it.
func Facts() history.ClusterFacts {
	return history.ClusterFacts{Kind: "sim", Kafka: "sim", Cassandra: "sim", Consistency: "QUORUM", Serial: "SERIAL"}
}

// Board is the run's board.
func (w *World) Board() *board.Board { return w.board }

// NewMember makes a consumer, which joins at its first poll.
func (w *World) NewMember(process string, c workload.MemberConfig) (workload.Member, error) {
	m := &member{world: w, client: process, config: c, links: make([]link, len(w.kafka.brokers)), at: w.kafka.coordinator()}
	if m.at == nil || m.at.trouble != "" {
		m.seek()
	}
	m.heartbeat.do, m.pollClock.do = m.sendHeartbeat, m.pollExpired
	return m, nil
}

// Produce appends to the input topic, once however often it is sent.
func (w *World) Produce(partition int32, _ string, value []byte) persistence.Call[workload.ProduceAnswer] {
	w.produced++
	number := w.produced
	return insist(w, &w.producer, longPatience, func() *broker { return w.kafka.leader(partition) },
		func(b *broker, reply func(tried[workload.ProduceAnswer])) { b.produce(partition, number, value, reply) })
}

// ofCoordinator asks the group's coordinator, whoever that is by then, until there is an answer.
func ofCoordinator[T any](w *World, answer func(g *group) T) *board.Call[T] {
	return insist(w, &w.admin, patience, w.coordinator, func(b *broker, reply func(tried[T])) {
		if g, code := b.coordinates(); code == codeNone {
			reply(tried[T]{answer: answer(g)})
		} else {
			reply(again[T]())
		}
	})
}

// Committed reads the group's committed offset.
func (w *World) Committed(partition int32) persistence.Call[history.Opt] {
	return ofCoordinator(w, func(g *group) history.Opt { return g.Committed(partition) })
}

// Coordinator asks for the coordinator's record of the group.
func (w *World) Coordinator() persistence.Call[workload.CoordinatorAnswer] {
	return ofCoordinator(w, (*group).Describe)
}

// GroupLog reads the coordinator's log.
func (w *World) GroupLog() persistence.Call[[]history.GroupLogEntry] {
	return ofCoordinator(w, func(*group) []history.GroupLogEntry { return w.kafka.readGroupLog() })
}

// Evict makes the coordinator remove a member as if it had left.
func (w *World) Evict(id string) persistence.Call[workload.CommitAnswer] {
	return ofCoordinator(w, func(g *group) workload.CommitAnswer { return workload.CommitAnswer{Code: g.Leave(id)} })
}

// Input reads the whole input topic.
func (w *World) Input(partition int32) persistence.Call[[]workload.Record] {
	return insist(w, &w.admin, patience, func() *broker { return w.kafka.leader(partition) },
		func(b *broker, reply func(tried[[]workload.Record])) {
			l := w.kafka.input[partition]
			if l.leader != b.number {
				reply(again[[]workload.Record]())
				return
			}
			var all []workload.Record
			for _, r := range l.entries[:l.high] {
				all = append(all, r.Record)
			}
			reply(tried[[]workload.Record]{answer: all})
		})
}
