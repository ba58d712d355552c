// Package containers runs real Apache Kafka and Apache Cassandra in containers. It has three ideas:
//
//   - A start ([Open], [Start]) makes servers for one run and removes them at its end; what a killed
//     run left behind, the next start removes (sweep.go).
//   - Servers are warm once they are complete and have no owner any more ([Up], [OpenWarm], [Down]; the
//     files warm*.go): they stay, and any number of runs use them at once.
//   - The doctor ([Examine]; the files doctor*.go) looks at all that both need, and changes nothing.
//
// It needs a Docker engine on this machine and images of both servers, see package images. Clients
// reach Kafka on a port of 127.0.0.1, which survives a stop and start of the broker, and Cassandra on
// the node's own address in the engine's network, so that drivers see the address that the node tells
// its peers.
package containers

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/cluster/containers/owner"
	"github.com/single-writer/chaos/cluster/containers/ready"
)

// Options says what [Start] starts.
type Options struct {
	// KafkaImage and CassandraImage override the images that [images.Resolve] finds.
	KafkaImage, CassandraImage string
	// Run identifies the run in the labels of what is started. Empty is a random one.
	Run string
	// Warm marks the servers as ones that are to stay when they are complete: as a warm cluster.
	Warm bool
	// Keyspace names the keyspace that a [Cluster] makes for its rows, which then stays. Empty is one of
	// its own, that goes with it.
	Keyspace string
	// Driver is the client library that a [Cluster]'s runs reach Cassandra by.
	Driver clients.Driver
	// Patience is how long a server may take until it answers. Zero is 90 s.
	Patience time.Duration
	// Log receives progress, a line at a time. Nil is nowhere.
	Log func(string)

	// anyVersion takes warm servers whatever they are: to look at them, or to remove them.
	anyVersion bool
}

func (o Options) withDefaults(patience time.Duration) Options {
	if o.Run == "" {
		o.Run = randomID()
	}
	if o.Patience == 0 {
		o.Patience = patience
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return o
}

// Servers are a running Kafka and Cassandra, both of which have answered requests.
type Servers struct {
	Run string

	KafkaAddr     string // host:port
	CassandraHost string
	CassandraPort int

	// The versions are what the servers say of themselves.
	KafkaVersion, CassandraVersion     string
	KafkaImage, CassandraImage         images.Image
	KafkaContainer, CassandraContainer string // ids
	Network                            string // id

	Started time.Time // by the engine's clock
	Timings Timings

	engine engine
	closed func() error
}

// CassandraAddr is the node's host:port.
func (s *Servers) CassandraAddr() string {
	return net.JoinHostPort(s.CassandraHost, strconv.Itoa(s.CassandraPort))
}

// Timings says where the time of a start went.
type Timings struct {
	Sweep            time.Duration // removing what dead owners left
	Images           time.Duration // finding, or pulling, the images
	Network          time.Duration
	Kafka, Cassandra ServerTimings // side by side
	Total            time.Duration
}

// ServerTimings is the start of one server. Each duration is since the start of its container was
// asked for.
type ServerTimings struct {
	Running     time.Duration // the container runs
	FirstAnswer time.Duration // the server answered its first request
	Ready       time.Duration // it answered all that a run depends on
}

// Start starts one Kafka broker and one Cassandra node side by side and returns when both have
// answered real requests. It first removes what dead owners left. When it fails or ctx ends, it
// removes what it started.
//
// The error is an [images.NoEngineError], an [images.NoImageError], a [PortError], a [NetworkError] or
// a [NotReadyError] where one of these applies.
func Start(ctx context.Context, o Options) (servers *Servers, err error) {
	began := time.Now()
	o = o.withDefaults(90 * time.Second)
	docker, err := images.Connect(ctx)
	if err != nil {
		return nil, err
	}
	engine := engine{docker}
	// The clean-up below removes all that has this id.
	if err := unused(ctx, docker, o.Run); err != nil {
		engine.Close()
		return nil, err
	}
	s := &starter{options: o, engine: engine, network: networkOf(o.Run), servers: &Servers{Run: o.Run, Started: began, engine: engine}}
	defer func() {
		if err == nil {
			return
		}
		if e := removeRun(ctx, docker, o.Run); e != nil {
			err = errors.Join(err, fmt.Errorf("remove what was started: %w", e))
		}
		engine.Close()
	}()
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	s.servers.Timings.Total = time.Since(began)
	s.servers.closed = sync.OnceValue(engine.Close)
	return s.servers, nil
}

// Close kills and removes the servers with all their data. Nothing is stopped politely: a run has
// taken what it wants by then. It works also when ctx has ended, in a time of its own.
func (s *Servers) Close(ctx context.Context) error {
	err := removeRun(ctx, s.engine.Client, s.Run)
	if err != nil {
		err = fmt.Errorf("remove the servers of run %s: %w", s.Run, err)
	}
	return errors.Join(err, s.closed())
}

// Detach leaves the servers running and lets go of the engine. It is for those that are warm; others
// would be taken for what a killed run left as soon as this process has ended.
func (s *Servers) Detach() error { return s.closed() }

// networkOf names the network of a run's containers.
func networkOf(run string) string { return "chaos-" + run }

// starter starts one run's servers.
type starter struct {
	options Options
	engine  engine
	labels  map[string]string
	network string // its name
	servers *Servers
}

func (s *starter) start(ctx context.Context) error {
	at := time.Now()
	lap := func() (d time.Duration) { d, at = time.Since(at), time.Now(); return d }
	timings := &s.servers.Timings

	removed, err := sweep(ctx, s.engine.Client)
	if err != nil {
		return err
	}
	if len(removed) > 0 {
		s.say("removed what a killed run left: %s", strings.Join(removed, ", "))
	}
	timings.Sweep = lap()

	kafka, err := images.Resolve(ctx, images.Kafka, s.options.KafkaImage)
	if err != nil {
		return err
	}
	cassandra, err := images.Resolve(ctx, images.Cassandra, s.options.CassandraImage)
	if err != nil {
		return err
	}
	s.servers.KafkaImage, s.servers.CassandraImage = kafka, cassandra
	timings.Images = lap()

	self, err := owner.Self()
	if err != nil {
		return err
	}
	s.labels = self.Labels(s.options.Run)
	if s.options.Warm {
		s.labels = self.WarmLabels(s.options.Run)
	}
	if s.labels[owner.LabelDefinition], err = definition.Fingerprint(); err != nil {
		return err
	}
	if s.servers.Network, err = s.engine.createNetwork(ctx, s.network, s.labels); err != nil {
		return err
	}
	timings.Network = lap()

	s.say("starting %s and %s", kafka.Ref, cassandra.Ref)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, start := range []func(context.Context) error{s.startKafka, s.startCassandra} {
		wg.Go(func() {
			if err := start(ctx); err != nil {
				cancel(err) // the other's start is idle now; the first cause stays
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

func (s *starter) say(format string, args ...any) { s.options.Log(fmt.Sprintf(format, args...)) }

func (s *starter) startCassandra(ctx context.Context) error {
	t := &s.servers.Timings.Cassandra
	began := time.Now()
	node := definition.Cassandra{}
	files, err := node.Files()
	if err != nil {
		return err
	}
	id, err := s.run(ctx, server{
		name: "cassandra", image: s.servers.CassandraImage.Ref,
		files: files, entrypoint: node.Entrypoint(), port: definition.CassandraPort,
		memory: 1200 << 20,
	})
	if err != nil {
		return err
	}
	a := awaited{s.engine, s.options.Patience, "Cassandra", s.servers.CassandraImage, id}
	address, err := a.address(ctx, s.network)
	if err != nil {
		return err
	}
	t.Running = time.Since(began)
	s.servers.CassandraContainer, s.servers.CassandraHost, s.servers.CassandraPort = id, address, definition.CassandraPort

	answered, version, err := await(ctx, a, func(ctx context.Context) (ready.Answered, string, error) {
		return ready.Cassandra{Host: address, Port: definition.CassandraPort, Alive: s.engine.running(id)}.Wait(ctx)
	})
	if err != nil {
		return err
	}
	t.FirstAnswer, t.Ready = answered.First.Sub(began), answered.All.Sub(began)
	s.servers.CassandraVersion = version
	s.say("Cassandra %s answers after %.1f s", version, t.Ready.Seconds())
	return nil
}

func (s *starter) startKafka(ctx context.Context) error {
	t := &s.servers.Timings.Kafka
	began := time.Now()
	id, addr, err := s.runKafka(ctx)
	if err != nil {
		return err
	}
	t.Running = time.Since(began)
	s.servers.KafkaContainer, s.servers.KafkaAddr = id, addr

	a := awaited{s.engine, s.options.Patience, "Kafka", s.servers.KafkaImage, id}
	answered, _, err := await(ctx, a, func(ctx context.Context) (ready.Answered, string, error) {
		answered, err := ready.Kafka{Addr: addr, Alive: s.engine.running(id)}.Wait(ctx)
		return answered, "", err
	})
	if err != nil {
		return err
	}
	t.FirstAnswer, t.Ready = answered.First.Sub(began), answered.All.Sub(began)
	version, err := a.kafkaVersion(ctx)
	if err != nil {
		return err
	}
	s.servers.KafkaVersion = version
	s.say("Kafka %s answers after %.1f s", version, t.Ready.Seconds())
	return nil
}

func randomID() string { return fmt.Sprintf("%d-%s", os.Getpid(), randomHex()) }

func randomHex() string {
	var b [4]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
