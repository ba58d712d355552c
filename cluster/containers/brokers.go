package containers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"time"

	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/cluster/containers/ready"
)

// startKafka starts the brokers and waits until they make one cluster.
func (s *starter) startKafka(ctx context.Context) error {
	t, v := &s.servers.Timings.Kafka, s.servers
	began := time.Now()
	n := s.options.Kafka
	peers, err := s.networks.peers.addresses(images.Kafka, n)
	if err != nil {
		return err
	}
	v.Kafka = make([]Server, n)
	id := definition.NewClusterID()
	err = each(ctx, n, func(ctx context.Context, number int) (err error) {
		v.Kafka[number-1], err = s.runBroker(ctx, definition.Kafka{Node: number, Peers: peers, ClusterID: id})
		return err
	})
	if err != nil {
		return err
	}
	t.Running = time.Since(began)
	// One at a time first: who does not come up is told by name, and by the end of its own log.
	err = each(ctx, n, func(ctx context.Context, number int) error {
		_, err := s.engine.awaitBrokers(ctx, s.options.Patience, v.KafkaImage, ready.Kafka.Ping, v.Kafka[number-1])
		return err
	})
	if err != nil {
		return err
	}
	t.FirstAnswer = time.Since(began)
	if _, err := s.engine.awaitBrokers(ctx, s.options.Patience, v.KafkaImage, ready.Kafka.Wait, v.Kafka...); err != nil {
		return err
	}
	t.Ready = time.Since(began)
	if v.KafkaVersion, err = s.engine.kafkaVersion(ctx, v.Kafka[0], v.KafkaImage); err != nil {
		return err
	}
	s.say("Kafka %s answers after %.1f s", v.KafkaVersion, t.Ready.Seconds())
	return nil
}

// awaitBrokers waits for brokers as one.
func (e engine) awaitBrokers(ctx context.Context, patience time.Duration, image images.Image,
	wait func(ready.Kafka, context.Context) (ready.Answered, error), brokers ...Server,
) (ready.Answered, error) {
	a := awaited{engine: e, patience: patience, image: image, servers: brokers}
	var addrs []string
	for _, b := range brokers {
		addrs = append(addrs, b.Client)
	}
	answered, _, err := await(ctx, a, func(ctx context.Context) (ready.Answered, string, error) {
		answered, err := wait(ready.Kafka{Addrs: addrs, Alive: a.running}, ctx)
		return answered, "", err
	})
	return answered, err
}

// runBroker starts a broker's container on a free port. A port is only known to be free until it is
// closed again, and the broker must be told it before it starts, so another one is tried if somebody
// was quicker.
func (s *starter) runBroker(ctx context.Context, broker definition.Kafka) (b Server, err error) {
	b = Server{Name: serverName(images.Kafka, broker.Node), Peer: broker.Peer()}
	var port int
	for range 5 {
		if port, err = freePort(ctx); err != nil {
			return b, err
		}
		b.Client = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		broker.Advertised = b.Client
		files, err := broker.Files()
		if err != nil {
			return b, err
		}
		b.Container, err = s.run(ctx, server{
			kind: images.Kafka, number: broker.Node, image: s.servers.KafkaImage.Ref,
			files: files, entrypoint: broker.Entrypoint(), port: definition.KafkaPort, hostPort: port,
		})
		if !portTaken(err) {
			return b, err
		}
	}
	return b, &PortError{Port: port, Cause: err}
}

// The ports of brokers lie below those that kernels give to the near end of a connection (from 32768 on, on Linux): a client
// that dials a broker which is down, again and again, would in the end be given the broker's own port, and reach itself.
const firstPort, lastPort = 20000, 32000

func freePort(ctx context.Context) (port int, err error) {
	var config net.ListenConfig
	for range 20 {
		port = firstPort + rand.IntN(lastPort-firstPort)
		l, err := config.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, fmt.Errorf("look for a free port: %w", err)
}
