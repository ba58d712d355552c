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

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/cluster/containers/owner"
	"github.com/single-writer/chaos/cluster/containers/ready"
)

// ErrNoWarm says that no warm servers run.
var ErrNoWarm = errors.New("no warm servers are running")

// FindWarm returns servers that an earlier process started with [Options.Warm], after both have
// answered again: the newest ones if there are several. Timings tells how long they took for that. The
// caller ends with [Servers.Detach], or removes them with [Servers.Close]. The error is [ErrNoWarm]
// when there are none, a [NotReadyError] when one of them does not answer.
func FindWarm(ctx context.Context, o Options) (servers *Servers, err error) {
	began := time.Now()
	if o.Patience == 0 {
		o.Patience = 10 * time.Second // they have answered before
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	engine, err := images.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			engine.Close()
		}
	}()
	run, err := newestWarm(ctx, engine)
	if err != nil {
		return nil, err
	}
	o.Run = run
	s := &starter{options: o, engine: engine, network: "chaos-" + run, servers: &Servers{Run: run, engine: engine}}
	if err := s.find(ctx); err != nil {
		return nil, fmt.Errorf("use the warm servers %s: %w", run, err)
	}
	s.servers.Timings.Total = time.Since(began)
	s.servers.closed = sync.OnceValue(engine.Close)
	return s.servers, nil
}

// newestWarm returns the run id of the newest warm servers of which both containers run.
func newestWarm(ctx context.Context, engine *client.Client) (string, error) {
	filter := client.Filters{}.Add("label", owner.LabelWarm)
	list, err := engine.ContainerList(ctx, client.ContainerListOptions{Filters: filter})
	if err != nil {
		return "", fmt.Errorf("list the warm containers: %w", err)
	}
	running := map[string]int{}
	slices.SortFunc(list.Items, func(a, b container.Summary) int { return cmp.Compare(b.Created, a.Created) })
	for _, c := range list.Items {
		run := c.Labels[owner.LabelRun]
		if running[run]++; running[run] == 2 {
			return run, nil
		}
	}
	return "", ErrNoWarm
}

// find fills in what a start would have, from what the engine and the servers say.
func (s *starter) find(ctx context.Context) error {
	began := time.Now()
	kafka, err := s.engine.ContainerInspect(ctx, s.network+"-kafka", client.ContainerInspectOptions{})
	if err != nil {
		return fmt.Errorf("look at the broker's container: %w", err)
	}
	node, err := s.engine.ContainerInspect(ctx, s.network+"-cassandra", client.ContainerInspectOptions{})
	if err != nil {
		return fmt.Errorf("look at the node's container: %w", err)
	}
	v := s.servers
	v.KafkaContainer, v.CassandraContainer = kafka.Container.ID, node.Container.ID
	v.KafkaImage, v.CassandraImage = images.Named(kafka.Container.Config.Image), images.Named(node.Container.Config.Image)
	if n := node.Container.NetworkSettings.Networks[s.network]; n != nil {
		v.Network = n.NetworkID
	}
	bindings := kafka.Container.HostConfig.PortBindings[network.MustParsePort(strconv.Itoa(definition.KafkaPort)+"/tcp")]
	if len(bindings) == 0 {
		return errors.New("the broker's container publishes no port")
	}
	v.KafkaAddr = net.JoinHostPort("127.0.0.1", bindings[0].HostPort)
	if v.CassandraHost, err = s.address(ctx, v.CassandraContainer); err != nil {
		return err
	}
	v.CassandraPort = definition.CassandraPort

	answered, _, err := await(ctx, s, "Kafka", v.KafkaContainer, func(ctx context.Context) (ready.Answered, string, error) {
		answered, err := ready.Kafka{Addr: v.KafkaAddr, Alive: s.running(v.KafkaContainer)}.Ping(ctx)
		return answered, "", err
	})
	if err != nil {
		return err
	}
	v.Timings.Kafka.FirstAnswer, v.Timings.Kafka.Ready = answered.First.Sub(began), answered.All.Sub(began)
	if v.KafkaVersion, err = s.kafkaVersion(ctx, v.KafkaContainer); err != nil {
		return err
	}
	answered, v.CassandraVersion, err = await(ctx, s, "Cassandra", v.CassandraContainer, func(ctx context.Context) (ready.Answered, string, error) {
		return ready.Cassandra{Host: v.CassandraHost, Port: v.CassandraPort, Alive: s.running(v.CassandraContainer)}.Wait(ctx)
	})
	if err != nil {
		return err
	}
	v.Timings.Cassandra.FirstAnswer, v.Timings.Cassandra.Ready = answered.First.Sub(began), answered.All.Sub(began)
	s.say("using the warm servers %s: Kafka %s, Cassandra %s", v.Run, v.KafkaVersion, v.CassandraVersion)
	return nil
}
