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

// World is one simulated run: its scheduler, its board, its broker and its store.
type World struct {
	scheduler *scheduler
	net       *network
	board     *board.Board
	broker    *broker
	store     *cassandra.Store
	// between is the network of the store's nodes.
	between *internode
	// The connections of the rig's own clients.
	producer, admin link
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

// adminTimeout is how long the rig's own requests wait for their answers.
const adminTimeout = 5 * time.Second

// New makes a world with an empty input topic of so many partitions, whose schedule is a random walk.
func New(seed int64, partitions int, recorder history.Recorder) *World {
	return newWorld(walk{seeded(seed)}, Cluster{}, cluster.Spec{Seed: seed, Partitions: partitions}, recorder)
}

func newWorld(by strategy, c Cluster, spec cluster.Spec, recorder history.Recorder) *World {
	s := newScheduler(by)
	w := &World{scheduler: s, net: &network{s}, board: board.New(s, recorder), lossy: newLossy(spec.Seed, c.Loss), logRules: kafkaLog()}
	w.wire.lostCommits = map[string]func() string{}
	w.broker = newBroker(w.net, spec.Partitions)
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
	m := &member{world: w, client: process, config: c}
	m.heartbeat.do, m.pollClock.do = m.sendHeartbeat, m.pollExpired
	return m, nil
}

// Produce appends to the input topic.
func (w *World) Produce(partition int32, _ string, value []byte) persistence.Call[workload.ProduceAnswer] {
	return request(w.board, w.broker.server, &w.producer, adminTimeout, func(reply func(workload.ProduceAnswer)) {
		reply(workload.ProduceAnswer{Offset: w.broker.produce(partition, value)})
	})
}

// Committed reads the group's committed offset.
func (w *World) Committed(partition int32) persistence.Call[history.Opt] {
	return request(w.board, w.broker.server, &w.admin, adminTimeout, func(reply func(history.Opt)) {
		reply(w.broker.group.Committed(partition))
	})
}

// Input reads the whole input topic.
func (w *World) Input(partition int32) persistence.Call[[]workload.Record] {
	return request(w.board, w.broker.server, &w.admin, adminTimeout, func(reply func([]workload.Record)) {
		reply(append([]workload.Record(nil), w.broker.log[partition]...))
	})
}

// Coordinator asks for the coordinator's record of the group.
func (w *World) Coordinator() persistence.Call[workload.CoordinatorAnswer] {
	return request(w.board, w.broker.server, &w.admin, adminTimeout, func(reply func(workload.CoordinatorAnswer)) {
		reply(w.broker.group.Describe())
	})
}

// GroupLog reads the coordinator's log.
func (w *World) GroupLog() persistence.Call[[]history.GroupLogEntry] {
	return request(w.board, w.broker.server, &w.admin, adminTimeout, func(reply func([]history.GroupLogEntry)) {
		reply(w.broker.group.log.read())
	})
}

// Evict makes the coordinator remove a member as if it had left.
func (w *World) Evict(id string) persistence.Call[workload.CommitAnswer] {
	return request(w.board, w.broker.server, &w.admin, adminTimeout, func(reply func(workload.CommitAnswer)) {
		reply(workload.CommitAnswer{Code: w.broker.group.Leave(id)})
	})
}
