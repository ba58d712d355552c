package containers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers/harm"
	"github.com/single-writer/chaos/cluster/containers/owner"
	"github.com/single-writer/chaos/history"
)

// Cluster is servers in containers with the rig's clients: what runs are done on.
type Cluster struct {
	servers *Servers
	driver  clients.Driver
	clients *clients.Servers
	// name begins the names of all that this process makes on the servers.
	name string
	runs int
	// harm is what can be done to the servers. While this process does it to warm ones it holds harming, under harmMu.
	harm    *harm.Servers
	harmMu  sync.Mutex
	harming net.Listener
	// end is what becomes of the servers at the end: removed, made warm, or left as they were found.
	end func(ctx context.Context) error
	// warm says that the servers live on, so that what was made on them has to be removed.
	warm bool
}

var _ cluster.Cluster = (*Cluster)(nil)

// Open starts the servers, connects to them and warms them up. With [Options.Warm] they stay at the
// end, as warm ones for the next run, unless ctx has ended by then or one of them does not answer any more.
func Open(ctx context.Context, o Options) (*Cluster, error) {
	o = o.withDefaults(90 * time.Second)
	servers, err := Start(ctx, o)
	if err != nil {
		return nil, err
	}
	c := &Cluster{servers: servers, driver: o.Driver, end: servers.Close, warm: o.Warm}
	if o.Warm {
		c.end = func(closing context.Context) error { return leaveWarm(ctx, closing, servers, o.Log) }
	}
	if err := c.connect(ctx, o); err != nil {
		return nil, errors.Join(err, servers.Close(ctx))
	}
	return c, nil
}

// OpenWarm connects to the warm servers, and heals them where a killed run left them harmed. The error is one of those of
// [FindWarm], a [HarmingError], or a [clients.KeyspaceError].
func OpenWarm(ctx context.Context, o Options) (*Cluster, error) {
	o = o.withDefaults(10 * time.Second)
	// Whoever removes warm servers looks for their users before, with the lock: from here on this is one.
	release, err := lockWarm(ctx, o.Log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = release() }()
	servers, err := findWell(ctx, o)
	if err != nil {
		return nil, err
	}
	c := &Cluster{servers: servers, driver: o.Driver, end: func(context.Context) error { return servers.Detach() }, warm: true}
	if err := c.connect(ctx, o); err != nil {
		return nil, errors.Join(err, servers.Detach())
	}
	o.Log(fmt.Sprintf("using the warm cluster, up for %s: %s", Age(servers.Age()), servers))
	return c, nil
}

// Use connects to servers that the caller has started, and closes. What runs make there stays as long as they do.
func Use(ctx context.Context, s *Servers, o Options) (*Cluster, error) {
	c := &Cluster{servers: s, driver: o.Driver, end: func(context.Context) error { return nil }}
	if err := c.connect(ctx, o); err != nil {
		return nil, err
	}
	return c, nil
}

// connect connects, and makes a place for this process's rows.
func (c *Cluster) connect(ctx context.Context, o Options) (err error) {
	self, err := owner.Self()
	if err != nil {
		return err
	}
	s := c.servers
	c.name = self.Name() + randomHex()
	keyspace := o.Keyspace
	if keyspace == "" {
		keyspace = c.name
	}
	if c.harm, err = s.harmed(ctx); err != nil {
		return err
	}
	if c.clients, err = s.Connect(c.driver); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.tidy(ctx))
			c.clients.Close()
		}
	}()
	if c.warm {
		removed, err := sweepTenants(ctx, c.clients, self)
		if err != nil {
			return err
		}
		if len(removed) > 0 {
			o.Log("removed from the servers what a killed run left: " + strings.Join(removed, ", "))
		}
	}
	if err := c.clients.MakeSchema(ctx, keyspace, len(s.Cassandra)); err != nil {
		return err
	}
	return c.clients.Warm(ctx, c.name+"-warm")
}

// Size is how many servers there are.
func (c *Cluster) Size() cluster.Size { return c.servers.Size() }

// Facts is what the history's header tells.
func (c *Cluster) Facts() history.ClusterFacts {
	return history.ClusterFacts{
		Kind: "containers", Kafka: c.servers.KafkaVersion, Cassandra: c.servers.CassandraVersion,
		Consistency: "QUORUM", Serial: "SERIAL", Driver: c.driver.String(),
	}
}

// Open makes a run's world: a topic and a group that nobody has used.
func (c *Cluster) Open(ctx context.Context, s cluster.Spec, r history.Recorder) (cluster.World, error) {
	there, needed := c.servers.Size(), cluster.Size{Kafka: s.Kafka, Cassandra: s.Cassandra}
	if !there.Serves(needed) {
		return nil, &cluster.TooSmall{There: there, Needed: needed}
	}
	c.runs++
	name := fmt.Sprintf("%s-%d-%s", c.name, c.runs, strings.ReplaceAll(s.Arm, "/", "-"))
	w, err := c.clients.Open(ctx, name, s.Partitions, r)
	if err != nil {
		return nil, err
	}
	return &world{w, c, ctx}, nil
}

// Close heals servers that live on and removes what this process made there, closes the clients, and ends with the servers as
// it was to.
func (c *Cluster) Close(ctx context.Context) error {
	var err error
	if c.warm {
		err = errors.Join(c.heal(ctx), c.tidy(ctx))
	}
	c.clients.Close()
	return errors.Join(err, c.end(ctx), c.unharmed())
}

// tidyTime is how long servers may take to remove what a run made: a keyspace takes Cassandra most of a second.
const tidyTime = 20 * time.Second

// tidy removes from servers that live on what this process made there, also when ctx has ended. A keyspace that was asked
// for by name has another name than the rest, and stays.
func (c *Cluster) tidy(ctx context.Context) error {
	if !c.warm {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	made, err := c.clients.Remains(ctx, func(name string) bool { return strings.HasPrefix(name, c.name) })
	if err == nil {
		err = c.clients.Remove(ctx, made)
	}
	if err != nil {
		return fmt.Errorf("remove what the runs made on the servers: %w", err)
	}
	return nil
}
