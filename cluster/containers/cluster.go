package containers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/history"
)

// Cluster is servers in containers with the rig's clients: what runs are done on.
type Cluster struct {
	servers *Servers
	clients *clients.Servers
	runs    int
}

var _ cluster.Cluster = (*Cluster)(nil)

// Open starts the servers, connects to them and warms them up.
func Open(ctx context.Context, o Options) (*Cluster, error) {
	servers, err := Start(ctx, o)
	if err != nil {
		return nil, err
	}
	c := &Cluster{servers: servers}
	if err := c.connect(ctx); err != nil {
		return nil, errors.Join(err, servers.Close(ctx))
	}
	return c, nil
}

func (c *Cluster) connect(ctx context.Context) error {
	s := c.servers
	var err error
	c.clients, err = clients.Connect(ctx, []string{s.KafkaAddr}, []string{s.CassandraHost}, s.CassandraPort, 1)
	if err != nil {
		return err
	}
	if err := c.clients.Warm(ctx, "chaos-"+s.Run+"-warm"); err != nil {
		c.clients.Close()
		return err
	}
	return nil
}

// Facts is what the history's header tells.
func (c *Cluster) Facts() history.ClusterFacts {
	return history.ClusterFacts{
		Kind: "containers", Kafka: c.servers.KafkaVersion, Cassandra: c.servers.CassandraVersion,
		Consistency: "QUORUM", Serial: "SERIAL", Driver: "gocql v2",
	}
}

// Open makes a run's world: a topic and a group that nobody has used.
func (c *Cluster) Open(ctx context.Context, s cluster.Spec, r history.Recorder) (cluster.World, error) {
	c.runs++
	name := fmt.Sprintf("chaos-%s-%d-%s", c.servers.Run, c.runs, strings.ReplaceAll(s.Arm, "/", "-"))
	return c.clients.Open(ctx, name, s.Partitions, r)
}

// Close closes the clients and removes the servers.
func (c *Cluster) Close(ctx context.Context) error {
	c.clients.Close()
	return c.servers.Close(ctx)
}
