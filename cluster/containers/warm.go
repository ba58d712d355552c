package containers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
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
	// Kafka and Cassandra are what became of each; nil is one that answers.
	Kafka, Cassandra error
}

func (e *HalfDeadError) Error() string {
	state := "half dead"
	if e.Kafka != nil && e.Cassandra != nil {
		state = "dead"
	}
	return fmt.Sprintf("the warm cluster is %s\n  Kafka: %s\n  Cassandra: %s\n"+
		"  chaos down removes it, and chaos up starts another", state, fate(e.Kafka), fate(e.Cassandra))
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
	for _, id := range []string{s.KafkaContainer, s.CassandraContainer} {
		if _, err := s.engine.inspect(ctx, id); err != nil {
			return fmt.Errorf("keep the servers: %w", err)
		}
	}
	for _, c := range [][2]string{{"cassandra", s.CassandraContainer}, {"kafka", s.KafkaContainer}} {
		_, err := s.engine.ContainerRename(ctx, c[1], client.ContainerRenameOptions{NewName: warmName + c[0]})
		if errdefs.IsConflict(err) {
			return ErrOtherWarm
		}
		if err != nil {
			return fmt.Errorf("keep the servers: %w", err)
		}
	}
	return nil
}

// FindWarm returns the warm servers, after both have answered again. Timings tells how
// long they took for that. The caller ends with [Servers.Detach], or removes them with [Servers.Close].
// The error is [ErrNoWarm] when there are none, a [HalfDeadError] when one of them does not answer, a
// [MismatchError] when they are not what o asks for.
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
	s := &finder{engine: engine, patience: o.Patience, servers: &Servers{Run: o.Run, engine: engine}}
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
	servers  *Servers
}

// find fills in what a start would have, from what the engine and the servers say.
func (s *finder) find(ctx context.Context, found map[string]thing) error {
	e := &HalfDeadError{}
	e.Kafka = s.findServer(ctx, found, "kafka", s.findKafka)
	e.Cassandra = s.findServer(ctx, found, "cassandra", s.findCassandra)
	if ctx.Err() != nil {
		return fmt.Errorf("ask the warm servers: %w", context.Cause(ctx))
	}
	if e.Kafka == nil && e.Cassandra == nil {
		return nil
	}
	return e
}

func (s *finder) findServer(ctx context.Context, found map[string]thing, server string, find func(context.Context, thing) error) error {
	t, ok := found[server]
	if !ok {
		return errVanished
	}
	return find(ctx, t)
}

func (s *finder) findKafka(ctx context.Context, t thing) error {
	began := time.Now()
	c, err := s.engine.inspect(ctx, t.id)
	if err != nil {
		return err
	}
	v := s.servers
	v.KafkaContainer, v.KafkaImage = c.ID, images.Named(c.Config.Image)
	bindings := c.HostConfig.PortBindings[network.MustParsePort(strconv.Itoa(definition.KafkaPort)+"/tcp")]
	if len(bindings) == 0 {
		return errors.New("its container publishes no port")
	}
	v.KafkaAddr = net.JoinHostPort("127.0.0.1", bindings[0].HostPort)
	a := awaited{s.engine, s.patience, "Kafka", v.KafkaImage, c.ID}
	answered, _, err := await(ctx, a, func(ctx context.Context) (ready.Answered, string, error) {
		answered, err := ready.Kafka{Addr: v.KafkaAddr, Alive: s.engine.running(c.ID)}.Ping(ctx)
		return answered, "", err
	})
	if err != nil {
		return err
	}
	v.Timings.Kafka.FirstAnswer, v.Timings.Kafka.Ready = answered.First.Sub(began), answered.All.Sub(began)
	v.KafkaVersion, err = a.kafkaVersion(ctx)
	return err
}

func (s *finder) findCassandra(ctx context.Context, t thing) error {
	began := time.Now()
	c, err := s.engine.inspect(ctx, t.id)
	if err != nil {
		return err
	}
	v := s.servers
	v.CassandraContainer, v.CassandraImage, v.Started = c.ID, images.Named(c.Config.Image), t.created
	name := networkOf(v.Run)
	if n := c.NetworkSettings.Networks[name]; n != nil {
		v.Network = n.NetworkID
	}
	a := awaited{s.engine, s.patience, "Cassandra", v.CassandraImage, c.ID}
	if v.CassandraHost, err = a.address(ctx, name); err != nil {
		return err
	}
	v.CassandraPort = definition.CassandraPort
	var answered ready.Answered
	answered, v.CassandraVersion, err = await(ctx, a, func(ctx context.Context) (ready.Answered, string, error) {
		return ready.Cassandra{Host: v.CassandraHost, Port: v.CassandraPort, Alive: s.engine.running(c.ID)}.Wait(ctx)
	})
	if err != nil {
		return err
	}
	v.Timings.Cassandra.FirstAnswer, v.Timings.Cassandra.Ready = answered.First.Sub(began), answered.All.Sub(began)
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
