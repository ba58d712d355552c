// Package containers runs real Apache Kafka and Apache Cassandra in containers. It has three ideas:
//
//   - A start ([Open], [Start]) makes servers for one run and removes them at its end; what a killed
//     run left behind, the next start removes (sweep.go).
//   - Servers are warm once they are complete and have no owner any more ([Up], [OpenWarm], [Down]; the
//     files warm*.go): they stay, and any number of runs use them at once.
//   - The doctor ([Examine]; the files doctor*.go) looks at all that both need, and changes nothing.
//
// There are one or three servers of each kind. It needs a Docker engine on this machine and images of both, see package
// images. Clients reach a broker on a port of 127.0.0.1 and a node on its own address in the engine's network, so that drivers
// see the address that the nodes tell; servers reach each other on a network of their own. All of these stay what they are
// when a server is stopped and started again.
package containers

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/cluster/containers/owner"
)

// Options says what [Start] starts.
type Options struct {
	// KafkaImage and CassandraImage override the images that [images.Resolve] finds.
	KafkaImage, CassandraImage string
	// Kafka and Cassandra are how many servers of each there are to be: 1 or 3; 0 is one. Of warm ones there may be more.
	Kafka, Cassandra int
	// Clocks gives each node a clock of its own, which can be set wrong. Its start then takes half as long again: 9 s and not
	// 6 s, on two idle cores.
	Clocks bool
	// Run identifies the run in the labels of what is started. Empty is a random one.
	Run string
	// Warm marks the servers as ones that are to stay when they are complete: as a warm cluster.
	Warm bool
	// Keyspace names the keyspace that a [Cluster] makes for its rows, which then stays. Empty is one of
	// its own, that goes with it.
	Keyspace string
	// Driver is the client library that a [Cluster]'s runs reach Cassandra by.
	Driver clients.Driver
	// Patience is how long a server may take until it answers. Zero is 90 s, and more for more of them.
	Patience time.Duration
	// Log receives progress, a line at a time. Nil is nowhere.
	Log func(string)

	// anyVersion takes warm servers whatever they are: to look at them, or to remove them.
	anyVersion bool
}

func (o Options) withDefaults(patience time.Duration) Options {
	o.Kafka, o.Cassandra = max(o.Kafka, 1), max(o.Cassandra, 1)
	if o.Run == "" {
		o.Run = randomID()
	}
	if o.Patience == 0 {
		o.Patience = patience * time.Duration(o.Kafka+o.Cassandra) / 2
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return o
}

// Timings says where the time of a start went.
type Timings struct {
	Sweep            time.Duration // removing what dead owners left
	Images           time.Duration // finding, or pulling, the images
	Network          time.Duration
	Kafka, Cassandra ServerTimings // side by side
	Total            time.Duration
}

// ServerTimings is the start of the servers of a kind. Each duration is since the start of their containers was asked for.
type ServerTimings struct {
	Running     time.Duration // the containers run
	FirstAnswer time.Duration // each server has answered a request
	Ready       time.Duration // they have answered all that a run depends on
}

// Start starts Kafka brokers and Cassandra nodes side by side and returns when all have answered real requests and have each
// other. It first removes what dead owners left. When it fails or ctx ends, it
// removes what it started.
//
// The error is an [images.NoEngineError], an [images.NoImageError], a [PortError], a [NetworkError] or
// a [NotReadyError] where one of these applies.
func Start(ctx context.Context, o Options) (servers *Servers, err error) {
	began := time.Now()
	o = o.withDefaults(90 * time.Second)
	for _, n := range []int{o.Kafka, o.Cassandra} {
		if n != 1 && n != mostServers {
			return nil, fmt.Errorf("start %d servers of a kind: there can be 1 or %d", n, mostServers)
		}
	}
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
	s := &starter{options: o, engine: engine, networks: networksOf(o.Run), servers: &Servers{Run: o.Run, Started: began, engine: engine}}
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

// starter starts one run's servers.
type starter struct {
	options  Options
	engine   engine
	labels   map[string]string
	networks networks
	servers  *Servers
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
	s.labels[owner.LabelServers] = strings.Join(serverNames(s.options.Kafka, s.options.Cassandra), " ")
	if err := s.networks.make(ctx, s.engine, s.labels); err != nil {
		return err
	}
	s.servers.ClientNetwork, s.servers.PeerNetwork = s.networks.clients.id, s.networks.peers.id
	timings.Network = lap()

	s.say("starting %d of %s and %d of %s", s.options.Kafka, kafka.Ref, s.options.Cassandra, cassandra.Ref)
	return together(ctx, s.startKafka, s.startCassandra)
}

// together does several things side by side. The first error makes the others idle and ends them, and is what is returned.
func together(ctx context.Context, all ...func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, do := range all {
		wg.Go(func() {
			if err := do(ctx); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// each does one thing for each of a number of servers, side by side.
func each(ctx context.Context, n int, do func(ctx context.Context, number int) error) error {
	var all []func(context.Context) error
	for i := range n {
		all = append(all, func(ctx context.Context) error { return do(ctx, i+1) })
	}
	return together(ctx, all...)
}

func (s *starter) say(format string, args ...any) { s.options.Log(fmt.Sprintf(format, args...)) }

func randomID() string { return fmt.Sprintf("%d-%s", os.Getpid(), randomHex()) }

func randomHex() string {
	var b [4]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
