package containers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/cluster/containers/owner"
	"github.com/single-writer/chaos/cluster/containers/ready"
)

// warmName begins the names of warm containers. Labels cannot be changed, and names can:
// servers are their owner's until they are complete, so that a start which is killed on the way leaves
// nothing that would be taken for warm servers. A name is also unique on an engine: there is one warm
// cluster, whoever starts it.
const warmName = "chaos-warm-"

// ErrNoWarm says that no warm servers run.
var ErrNoWarm = errors.New("no warm cluster is up")

// ErrOtherWarm says that servers cannot become warm because others are.
var ErrOtherWarm = errors.New("another warm cluster is up")

// HalfDeadError says that warm servers are there and cannot be used.
type HalfDeadError struct {
	// Servers are all that there should be.
	Servers []Fate
}

// Fate is what became of a server; nil is one that answers.
type Fate struct {
	Server string
	Err    error
}

func (e *HalfDeadError) Error() string {
	state := "half dead"
	if !slices.ContainsFunc(e.Servers, func(f Fate) bool { return f.Err == nil }) {
		state = "dead"
	}
	return fmt.Sprintf("the warm cluster is %s\n  %s\n  chaos down removes it, and chaos up starts another", state,
		strings.Join(e.fates(), "\n  "))
}

func (e *HalfDeadError) fates() (all []string) {
	for _, f := range e.Servers {
		all = append(all, f.Server+": "+fate(f.Err))
	}
	return all
}

func fate(err error) string {
	if err == nil {
		return "it answers"
	}
	var n *NotReadyError
	if errors.As(err, &n) {
		return n.Cause.Error() // its log tells of its life, not of its end
	}
	return err.Error()
}

// makeWarm lets servers outlive this process, for [FindWarm] to find: only [Down] and [Servers.Close]
// remove them then. The error is [ErrOtherWarm] when others are warm already.
func (s *Servers) makeWarm(ctx context.Context) error {
	for _, v := range s.All() {
		if err := s.engine.runs(ctx, v.Container); err != nil {
			return fmt.Errorf("keep the servers: %s: %w", v.Name, err)
		}
	}
	for _, v := range s.All() {
		_, err := s.engine.ContainerRename(ctx, v.Container, client.ContainerRenameOptions{NewName: warmName + v.Name})
		if errdefs.IsConflict(err) {
			return ErrOtherWarm
		}
		if err != nil {
			return fmt.Errorf("keep the servers: %w", err)
		}
	}
	return nil
}

// FindWarm returns the warm servers, after all have answered again. Timings tells how
// long they took for that. The caller ends with [Servers.Detach], or removes them with [Servers.Close].
// The error is [ErrNoWarm] when there are none, a [HarmedError] when somebody has harmed them, a [HalfDeadError] when one of them does
// not answer, a [MismatchError] when they are not what o asks for, and holds a [cluster.TooSmall] when they are fewer.
func FindWarm(ctx context.Context, o Options) (servers *Servers, err error) {
	began := time.Now()
	o = o.withDefaults(10 * time.Second) // they have answered before
	docker, err := images.Connect(ctx)
	if err != nil {
		return nil, err
	}
	engine := engine{docker}
	defer func() {
		if err != nil {
			engine.Close()
		}
	}()
	found, err := warmContainers(ctx, engine.Client)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, ErrNoWarm
	}
	for _, t := range found {
		o.Run = t.run()
	}
	s := &finder{engine: engine, patience: o.Patience, networks: networksOf(o.Run), servers: &Servers{Run: o.Run, engine: engine}}
	if !o.anyVersion {
		if err := s.looked(ctx, found); err != nil {
			return nil, err
		}
	}
	if err := s.find(ctx, found); err != nil {
		return nil, err
	}
	if !o.anyVersion {
		if err := fits(s.servers, o, found); err != nil {
			return nil, err
		}
	}
	s.servers.Timings.Total = time.Since(began)
	s.servers.closed = sync.OnceValue(engine.Close)
	return s.servers, nil
}

// warmContainers returns the containers of the warm servers, by server.
func warmContainers(ctx context.Context, engine *client.Client) (map[string]thing, error) {
	all, err := things(ctx, engine, owner.LabelWarm)
	if err != nil {
		return nil, fmt.Errorf("look for a warm cluster: %w", err)
	}
	all = slices.DeleteFunc(all, func(t thing) bool { return t.network || !t.warm })
	slices.SortFunc(all, func(a, b thing) int { return cmp.Compare(b.created.Unix(), a.created.Unix()) })
	found := map[string]thing{}
	for _, t := range all {
		if t.run() == all[0].run() {
			found[t.labels[owner.LabelServer]] = t
		}
	}
	return found, nil
}

// finder asks the warm servers what a start would have told of them.
type finder struct {
	engine   engine
	patience time.Duration
	networks networks
	servers  *Servers
}

// foundServer is one of them, and what is the matter with it.
type foundServer struct {
	Server
	image   images.Image
	version string
	// The ids of the networks that it is on.
	front, peer string
	err         error
}

// find fills in what a start would have, from what the engine and the servers say.
func (s *finder) find(ctx context.Context, found map[string]thing) error {
	names := namesOf(found)
	all := make([]foundServer, len(names))
	brokers := len(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isBroker(name) }))
	err := each(ctx, len(names), func(ctx context.Context, number int) error {
		f := &all[number-1]
		f.Name, f.err = names[number-1], errVanished
		if t, ok := found[f.Name]; ok {
			f.err = s.findServer(ctx, t, f, len(names)-brokers-1)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("ask the warm servers: %w", err)
	}
	e := &HalfDeadError{}
	v := s.servers
	for _, f := range all {
		e.Servers = append(e.Servers, Fate{f.Name, f.err})
		if isBroker(f.Name) {
			v.Kafka, v.KafkaImage, v.KafkaVersion = append(v.Kafka, f.Server), f.image, f.version
		} else {
			v.Cassandra, v.CassandraImage, v.CassandraVersion = append(v.Cassandra, f.Server), f.image, f.version
		}
		v.Started, v.ClientNetwork, v.PeerNetwork = found[f.Name].created, f.front, f.peer
	}
	if len(v.Kafka) == 0 || len(v.Cassandra) == 0 || slices.ContainsFunc(all, func(f foundServer) bool { return f.err != nil }) {
		return e
	}
	return nil
}

// namesOf names the servers that there should be, in order. Another version of the rig may not have told.
func namesOf(found map[string]thing) []string {
	for _, t := range found {
		if names := strings.Fields(t.labels[owner.LabelServers]); len(names) > 0 {
			return names
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// isBroker tells whether a server is called kafka-1, and not cassandra-1.
func isBroker(name string) bool { return strings.HasPrefix(name, "kafka") }

// findServer fills in one server, which runs, and waits for its answer; a node's must tell of its peers.
func (s *finder) findServer(ctx context.Context, t thing, f *foundServer, peers int) error {
	if err := s.engine.runs(ctx, t.id); err != nil {
		return err
	}
	err := s.locate(ctx, t, f)
	if err != nil {
		return err
	}
	if !isBroker(f.Name) {
		_, f.version, err = s.engine.awaitNode(ctx, s.patience, f.image, f.Server, peers)
		return err
	}
	if _, err = s.engine.awaitBrokers(ctx, s.patience, f.image, ready.Kafka.Ping, f.Server); err != nil {
		return err
	}
	f.version, err = s.engine.kafkaVersion(ctx, f.Server, f.image)
	return err
}

// locate fills in where a server is, by the engine's word.
func (s *finder) locate(ctx context.Context, t thing, f *foundServer) error {
	i, err := s.engine.ContainerInspect(ctx, t.id, client.ContainerInspectOptions{})
	if err != nil {
		return fmt.Errorf("look at its container: %w", err)
	}
	c := i.Container
	on := c.NetworkSettings.Networks
	front, peer := on[s.networks.clients.name], on[s.networks.peers.name]
	if front == nil || peer == nil {
		return errors.New("its container is not on its networks")
	}
	f.Container, f.Peer, f.image = c.ID, peer.IPAddress.String(), images.Named(c.Config.Image)
	f.front, f.peer = front.NetworkID, peer.NetworkID
	if !isBroker(f.Name) {
		f.Client = net.JoinHostPort(front.IPAddress.String(), strconv.Itoa(definition.CassandraPort))
		return nil
	}
	bindings := c.HostConfig.PortBindings[network.MustParsePort(strconv.Itoa(definition.KafkaPort)+"/tcp")]
	if len(bindings) == 0 {
		return errors.New("its container publishes no port")
	}
	f.Client = net.JoinHostPort("127.0.0.1", bindings[0].HostPort)
	return nil
}

// Age is how long ago the servers were started.
func (s *Servers) Age() time.Duration { return time.Since(s.Started) }

// Age is a duration for people: its largest unit, or two.
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
