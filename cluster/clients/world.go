package clients

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/cluster/clients/cassandra"
	"github.com/single-writer/chaos/cluster/clients/wire"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// Servers are addresses of real servers, and the rig's own clients for them.
type Servers struct {
	kafkaAddrs []string
	driver     Driver
	wire       *wire.Dialer
	admin      *kgo.Client
	keyspace   string
	// session goes over all nodes, through has one of each node that somebody has asked for.
	session   cassandra.Session
	cassandra cassandra.Config
	through   nodeSessions
}

// kafka are the options that every Kafka client has. EOF on a connection's first use is retried: in a rig that cuts
// connections it is no sign of a wrong protocol.
//
// Metadata is asked for again soon: a topic that was made a moment ago may not be in the first answer, and franz-go's own
// pause of 5 s would look like a stall of whatever comes first.
func (s *Servers) kafka() []kgo.Opt {
	return []kgo.Opt{kgo.SeedBrokers(s.kafkaAddrs...), kgo.AlwaysRetryEOF(), kgo.MetadataMinAge(metadataMinAge)}
}

const metadataMinAge = 100 * time.Millisecond

// Connect connects to the servers. It waits for nothing: whoever started them knows that they answer. Before a run is
// opened, [Servers.MakeSchema] must make a place for its rows.
func Connect(kafkaAddrs, cassandraHosts []string, cassandraPort int, d Driver) (*Servers, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	s := &Servers{kafkaAddrs: kafkaAddrs, driver: d, wire: &wire.Dialer{Protocol: wire.CQL, Rules: &wire.Rules{}}}
	admin, err := kgo.NewClient(append(s.kafka(),
		kgo.ClientID("chaos-admin"), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0))...)
	if err != nil {
		return nil, fmt.Errorf("make the admin client of Kafka: %w", err)
	}
	s.admin = admin
	library, _ := d.library()
	s.cassandra = cassandra.Config{
		Hosts: cassandraHosts, Port: cassandraPort, Timeout: requestTimeout, Retries: d.Retries, Pause: d.Pause, Dialer: s.wire,
	}
	s.session, err = library.connect(s.cassandra)
	if err != nil {
		admin.Close()
		return nil, fmt.Errorf("connect to Cassandra at %v: %w", cassandraHosts, err)
	}
	return s, nil
}

// Warm makes the servers do once, on scratch names, all that a run will time: every statement prepared, one conditional
// write, one produce and one commit. The first of each is slower by far than the next, and would be taken for a stall.
func (s *Servers) Warm(ctx context.Context, scratch string) error {
	r := s.rows(scratch)
	for _, st := range forms("warm") {
		if _, err := r.execute(ctx, st, nil); err != nil {
			return fmt.Errorf("warm up Cassandra: %w", err)
		}
	}
	w, err := s.Open(ctx, scratch, 1, history.NewMemory(history.Header{}))
	if err != nil {
		return fmt.Errorf("warm up Kafka: %w", err)
	}
	defer w.Close(ctx)
	if err := w.admin.ProduceSync(ctx, &kgo.Record{Topic: scratch, Value: []byte("warm")}).FirstErr(); err != nil {
		return fmt.Errorf("warm up Kafka: produce: %w", err)
	}
	code, err := w.commitOffset(ctx, s.admin, nil, workload.Token{Generation: -1}, 0, 1)
	if err != nil {
		return fmt.Errorf("warm up Kafka: commit: %w", err)
	}
	if code != "" {
		return fmt.Errorf("warm up Kafka: the commit was refused: %s", code)
	}
	return nil
}

// rows are those of the run of that name.
func (s *Servers) rows(run string) *rows {
	return &rows{session: s.session, keyspace: s.keyspace, group: run, topic: run}
}

// cql sends a statement that is about no run's rows.
func (s *Servers) cql(ctx context.Context, text string, values ...any) cassandra.Rows {
	return s.session.Query(ctx, cassandra.Request{CQL: text, Values: values, Consistency: cassandra.Quorum})
}

// Close closes the rig's own clients.
func (s *Servers) Close() {
	s.session.Close()
	s.through.close()
	s.admin.Close()
}

// World is one run on real servers.
type World struct {
	servers *Servers
	ctx     context.Context
	cancel  context.CancelFunc
	engine  *engine
	board   *board.Board
	admin   *kgo.Client
	rows    *rows
	topic   topic
	group   string
	// offsetsFrom is where each partition of the offsets topic ended before the run.
	offsetsFrom map[int32]int64
	members     []*member
	// wire is what acts upon the messages between workers and Kafka.
	wire *wire.Rules
	// logs counts the topics besides the input topic.
	logs int
	// The coordinator of the group, by requests of their own goroutines and so not under the baton.
	coordinatorMu    sync.Mutex
	coordinatorNode  int32
	coordinatorKnown bool
	// requests are the goroutines that the run has started; Close waits for them.
	requests sync.WaitGroup
}

var (
	_ workload.Consumers = (*World)(nil)
	_ workload.Producer  = (*World)(nil)
	_ workload.Truth     = (*World)(nil)
	_ workload.Wire      = (*World)(nil)
	_ persistence.Rows   = (*World)(nil)
)

// Open makes the world of one run: the name is that of its topic and of its group, and must be new. The context's end
// aborts the run.
func (s *Servers) Open(ctx context.Context, name string, partitions int, recorder history.Recorder) (*World, error) {
	t, err := s.createTopic(ctx, name, partitions, nil)
	if err != nil {
		return nil, err
	}
	ends, err := s.offsetsEnds(ctx)
	if err != nil {
		return nil, err
	}
	w := &World{
		servers: s, topic: t, group: name, rows: s.rows(name), offsetsFrom: ends, engine: newEngine(), admin: s.admin,
		wire: &wire.Rules{},
	}
	w.ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	w.board = board.New(w.engine, recorder)
	stop := context.AfterFunc(ctx, func() {
		w.engine.Enter(func() { w.board.Abort(fmt.Errorf("the run was interrupted: %w", context.Cause(ctx))) })
	})
	inner := w.cancel
	w.cancel = func() { stop(); inner() }
	err = announced(ctx, func(ctx context.Context) (history.Opt, error) { return w.committed(ctx, w.admin, 0) })
	if err != nil {
		w.cancel()
		return nil, err
	}
	return w, nil
}

// Board is the run's board.
func (w *World) Board() *board.Board { return w.board }

// closeWithin is how long clients may take to end.
const closeWithin = 15 * time.Second

// removeWithin is how long Kafka may take to be told that a topic goes.
const removeWithin = 5 * time.Second

// Close ends the clients that are left, waits for all goroutines of the run, and removes its topic: the broker maps two files
// of each partition into memory, of which a night of runs would leave it more than a process may have. Rows stay: a
// keyspace that is kept is to be looked at.
func (w *World) Close(ctx context.Context) error {
	w.engine.Enter(func() {
		for _, m := range w.members {
			m.Sever()
		}
	})
	w.clearWire()
	w.cancel()
	done := make(chan struct{})
	go func() { w.requests.Wait(); close(done) }()
	select {
	case <-done:
		ctx, cancel := context.WithTimeout(ctx, removeWithin)
		defer cancel()
		// One that stays goes with all that this process has made.
		_, _ = kadm.NewClient(w.servers.admin).DeleteTopics(ctx, w.topic.name)
		return nil
	case <-time.After(closeWithin):
		buf := make([]byte, 1<<20)
		return fmt.Errorf("clients of the run %s have not ended within %s; the stacks:\n%s", w.group, closeWithin,
			buf[:runtime.Stack(buf, true)])
	}
}
