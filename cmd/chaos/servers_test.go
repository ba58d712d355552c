package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers"
	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/enginetest"
	"github.com/single-writer/chaos/cluster/containers/owner"
)

// servers are running servers as a test reaches them: by the addresses of the first of each.
type servers struct {
	kafka, cassandra               string
	kafkaVersion, cassandraVersion string // of the warm ones
}

// ownWarmCluster is for a test that starts a warm cluster: it removes it after the test, and so must not find another's.
func ownWarmCluster(t *testing.T) {
	t.Helper()
	if _, err := containers.FindWarm(t.Context(), containers.Options{}); !errors.Is(err, containers.ErrNoWarm) {
		enginetest.Missing(t, "there must be no warm cluster, which this test would remove: chaos down (%v)", err)
	}
	t.Cleanup(func() {
		if _, err := containers.Down(context.Background(), containers.Options{}, true); err != nil {
			t.Error(err)
		}
	})
}

// warmServers are the warm ones, which must be up: `chaos up` says so.
func warmServers(t *testing.T) servers {
	t.Helper()
	var out, errs strings.Builder
	code := run([]string{"up", "--json"}, &out, &errs)
	var d upDocument
	if err := json.Unmarshal([]byte(out.String()), &d); err != nil || code != 0 || d.Exit != 0 || d.Started {
		t.Fatalf("chaos up: exit %d, %v\n%s%s", code, err, out.String(), errs.String())
	}
	k, c := d.Cluster.Kafka, d.Cluster.Cassandra
	return servers{k.Addresses[0], c.Addresses[0], k.Version, c.Version}
}

// serversOf are those that a rig has started.
func serversOf(t *testing.T, r *rig) (s servers) {
	t.Helper()
	engine, err := client.New(client.FromEnv)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	ours := client.Filters{}.Add("label", owner.LabelPID+"="+strconv.Itoa(r.owner.PID)).Add("label", owner.LabelServer)
	list, err := engine.ContainerList(t.Context(), client.ContainerListOptions{Filters: ours})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list.Items {
		for name, n := range c.NetworkSettings.Networks {
			if c.Labels[owner.LabelServer] == "cassandra-1" && !strings.HasSuffix(name, "-peers") {
				s.cassandra = net.JoinHostPort(n.IPAddress.String(), strconv.Itoa(definition.CassandraPort))
			}
		}
		for _, p := range c.Ports {
			if c.Labels[owner.LabelServer] == "kafka-1" && p.PublicPort != 0 {
				s.kafka = net.JoinHostPort("127.0.0.1", strconv.Itoa(int(p.PublicPort)))
			}
		}
	}
	if s.kafka == "" || s.cassandra == "" {
		t.Fatalf("the run of process %d has not both servers: %+v", r.owner.PID, s)
	}
	return s
}

// use lends clients of the servers: both must answer.
func (s servers) use(t *testing.T, with func(*clients.Servers)) {
	t.Helper()
	host, port, err := net.SplitHostPort(s.cassandra)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	c, err := clients.Connect([]string{s.kafka}, []string{host}, n, clients.Driver{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	with(c)
}

// of lists what a rig has made on the servers.
func (s servers) of(t *testing.T, r *rig) (made clients.Remains) {
	t.Helper()
	s.use(t, func(c *clients.Servers) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		var err error
		made, err = c.Remains(ctx, func(name string) bool { return strings.HasPrefix(name, r.owner.Name()) })
		if err != nil {
			t.Fatal(err)
		}
	})
	return made
}

// packetFilter gives the rules of the kernel's packet filter, which an engine makes for each network, without the counters
// and in order.
func packetFilter(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("iptables-save").Output()
	if err != nil {
		enginetest.Missing(t, "iptables-save does not tell the rules of the packet filter (it needs root): %v", err)
	}
	var rules []string
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "-A ") {
			rules = append(rules, strings.TrimSpace(line))
		}
	}
	slices.Sort(rules)
	return rules
}
