package containers

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/cluster/containers/ready"
)

// startCassandra starts the nodes and waits until each has the others for its peers.
func (s *starter) startCassandra(ctx context.Context) error {
	t, v := &s.servers.Timings.Cassandra, s.servers
	began := time.Now()
	n := s.options.Cassandra
	peers, err := s.networks.peers.addresses(images.Cassandra, n)
	if err != nil {
		return err
	}
	fronts, err := s.networks.clients.addresses(images.Cassandra, n)
	if err != nil {
		return err
	}
	v.Cassandra = make([]Server, n)
	err = each(ctx, n, func(ctx context.Context, number int) (err error) {
		v.Cassandra[number-1], err = s.runNode(ctx, definition.Cassandra{
			Node: number, Peers: peers, Client: fronts[number-1], Clock: s.options.Clocks,
		})
		return err
	})
	if err != nil {
		return err
	}
	t.Running = time.Since(began)
	answered := make([]ready.Answered, n)
	err = each(ctx, n, func(ctx context.Context, number int) (err error) {
		var version string
		answered[number-1], version, err = s.engine.awaitNode(ctx, s.options.Patience, v.CassandraImage, v.Cassandra[number-1], n-1)
		if number == 1 {
			v.CassandraVersion = version
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, a := range answered {
		t.FirstAnswer, t.Ready = max(t.FirstAnswer, a.First.Sub(began)), max(t.Ready, a.All.Sub(began))
	}
	s.say("Cassandra %s answers after %.1f s", v.CassandraVersion, t.Ready.Seconds())
	return nil
}

// awaitNode waits for a node, which is to know so many peers.
func (e engine) awaitNode(ctx context.Context, patience time.Duration, image images.Image, node Server, peers int,
) (answered ready.Answered, version string, err error) {
	a := awaited{engine: e, patience: patience, image: image, servers: []Server{node}}
	return await(ctx, a, ready.Cassandra{Host: node.host(), Port: definition.CassandraPort, Peers: peers, Alive: a.running}.Wait)
}

func (s *starter) runNode(ctx context.Context, node definition.Cassandra) (Server, error) {
	files, err := node.Files()
	if err != nil {
		return Server{}, err
	}
	id, err := s.run(ctx, server{
		kind: images.Cassandra, number: node.Node, image: s.servers.CassandraImage.Ref, environment: node.Environment(),
		files: files, entrypoint: node.Entrypoint(), port: definition.CassandraPort,
		memory: 1200 << 20,
	})
	return Server{
		Name: serverName(images.Cassandra, node.Node), Container: id, Peer: node.Peer(),
		Client: net.JoinHostPort(node.Client, strconv.Itoa(definition.CassandraPort)),
	}, err
}
