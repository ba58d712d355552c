// Package definition says how a Kafka broker and a Cassandra node are started in a container, alone or
// as one of several: their configuration files, environments, entry points and ports.
//
// One definition starts the official images and the locally built ones alike. It goes around the
// start scripts of the official images, which edit the configuration from environment variables in
// ways that change between versions, and asks of an image only what both kinds have: java on the
// PATH and the jars in the place where upstream puts them.
package definition

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"
)

// KafkaPort and CassandraPort are the ports that clients use, inside the container.
const (
	KafkaPort     = 9092
	CassandraPort = 9042
)

// templates holds the files that go into the containers.
//
//go:embed kafka cassandra
var templates embed.FS

// File is a file to be placed in a container before it starts.
type File struct {
	Path    string
	Content []byte
}

// Kafka is what differs between two brokers.
type Kafka struct {
	// Node is the broker's number among its Peers, from 1 on; Peers are the addresses of all brokers, by number, on the
	// network that they have for themselves.
	Node  int
	Peers []string
	// Advertised is the host:port under which the broker tells clients to reach it.
	Advertised string
	// ClusterID identifies the cluster, see [NewClusterID].
	ClusterID string
	// Archive makes the two JVMs write archives of their loaded classes (AppCDS) to /opt/kafka when
	// they end, instead of reading them when they start. Only the image build wants that.
	Archive bool
}

// Alone is the address by which a broker or a node that has no peers reaches itself.
const Alone = "localhost"

// Peer is the broker's own address among its peers.
func (k Kafka) Peer() string { return k.Peers[k.Node-1] }

// Brokers is how many there are.
func (k Kafka) Brokers() int { return len(k.Peers) }

// InSync is how many brokers must have a record before it counts as stored: all but one of several, so that one may be
// lost.
func (k Kafka) InSync() int { return max(1, len(k.Peers)-1) }

// Voters are the controllers, each of which is a broker too.
func (k Kafka) Voters() string {
	var voters []string
	for i, peer := range k.Peers {
		voters = append(voters, fmt.Sprintf("%d@%s:9093", i+1, peer))
	}
	return strings.Join(voters, ",")
}

// Files returns the broker's files.
func (k Kafka) Files() ([]File, error) {
	if k.Advertised == "" || k.ClusterID == "" {
		return nil, fmt.Errorf("render the Kafka configuration: address %q and cluster id %q must both be set", k.Advertised, k.ClusterID)
	}
	if err := among(k.Node, k.Peers); err != nil {
		return nil, fmt.Errorf("render the Kafka configuration: %w", err)
	}
	return render(k, "kafka", "/tmp/kafka", "server.properties", "log4j2.properties", "start.sh")
}

// Entrypoint returns the broker's command line.
func (Kafka) Entrypoint() []string { return []string{"sh", "/tmp/kafka/start.sh"} }

// Cassandra is what differs between two nodes.
type Cassandra struct {
	// Node is the node's number among its Peers, from 1 on; Peers are the addresses of all nodes, by number, on the network
	// that they have for themselves.
	Node  int
	Peers []string
	// Client is the node's address for clients, which it tells them of itself and of its peers.
	Client string
	// Clock gives the node a clock of its own, see [Clock].
	Clock bool
}

// Peer is the node's own address among its peers.
func (c Cassandra) Peer() string { return c.Peers[c.Node-1] }

// Seeds are all nodes: they start side by side, and each must find the others.
func (c Cassandra) Seeds() string { return strings.Join(c.Peers, ",") }

// Token is where the node's part of the ring ends. The parts are equal.
func (c Cassandra) Token() int64 {
	part := math.MaxUint64/uint64(len(c.Peers)) + 1 // of one node 0: the whole ring
	return int64(uint64(1)<<63 + uint64(c.Node-1)*part)
}

// Port is that of clients.
func (Cassandra) Port() int { return CassandraPort }

// Files returns the node's files.
func (c Cassandra) Files() ([]File, error) {
	if c.Client == "" {
		return nil, errors.New("render the Cassandra configuration: the address for clients must be set")
	}
	if err := among(c.Node, c.Peers); err != nil {
		return nil, fmt.Errorf("render the Cassandra configuration: %w", err)
	}
	return render(c, "cassandra", "/chaos", "cassandra.yaml", "jvm.args", "logback.xml", "faketime")
}

// Entrypoint returns the node's command line: the JVM is the container's first process, so that a
// kill or a pause of the container is one of the node and of nothing else.
func (Cassandra) Entrypoint() []string {
	return []string{"java", "@/chaos/jvm.args", "org.apache.cassandra.service.CassandraDaemon"}
}

// Environment makes the clock of a node that has one of its own the machine's plus what [Clock] says, which may be changed while it runs. An image
// without libfaketime starts all the same, by the machine's clock. Without the last setting each timed wait of the JVM would
// spin, and a start take minutes (measured with libfaketime 0.9.10).
func (c Cassandra) Environment() map[string]string {
	if !c.Clock {
		return nil
	}
	return map[string]string{
		"LD_PRELOAD":                   "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
		"FAKETIME_TIMESTAMP_FILE":      Clock,
		"FAKETIME_CACHE_DURATION":      "1",
		"FAKETIME_DONT_FAKE_MONOTONIC": "1",
		"FAKETIME_FORCE_MONOTONIC_FIX": "0",
	}
}

// Clock is the file in a Cassandra container that says how far the node's clock is off: "+0s" when it starts.
const Clock = "/chaos/faketime"

// among says what is wrong with a server's place among its peers.
func among(node int, peers []string) error {
	if node < 1 || node > len(peers) || slices.Contains(peers, "") {
		return fmt.Errorf("server %d of those at %q: it must be one of them, and each must have an address", node, peers)
	}
	return nil
}

// Fingerprint identifies how the servers are set up, whether one of a kind or three. A cluster that an earlier version of the
// rig has started is one that this one would start only if theirs are the same.
func Fingerprint() (string, error) {
	h := sha256.New()
	for _, n := range []int{1, 3} {
		peers := slices.Repeat([]string{"any"}, n)
		broker, node := Kafka{Node: 1, Peers: peers, Advertised: "any:1", ClusterID: "any"}, Cassandra{Node: 1, Peers: peers, Client: "any"}
		kafka, err := broker.Files()
		if err != nil {
			return "", err
		}
		cassandra, err := node.Files()
		if err != nil {
			return "", err
		}
		for _, f := range append(kafka, cassandra...) {
			fmt.Fprintf(h, "%s %d\n%s", f.Path, len(f.Content), f.Content)
		}
		fmt.Fprintln(h, broker.Entrypoint(), node.Entrypoint())
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

func render(data any, from, to string, names ...string) ([]File, error) {
	var files []File
	for _, name := range names {
		t, err := template.New(name).Option("missingkey=error").ParseFS(templates, from+"/"+name)
		if err != nil {
			return nil, fmt.Errorf("read the template of %s: %w", name, err)
		}
		var b bytes.Buffer
		if err := t.Execute(&b, data); err != nil {
			return nil, fmt.Errorf("fill in the template of %s: %w", name, err)
		}
		files = append(files, File{Path: to + "/" + name, Content: b.Bytes()})
	}
	return files, nil
}

// NewClusterID returns a fresh Kafka cluster id: 16 random bytes in the alphabet that Kafka expects.
func NewClusterID() string {
	var b [16]byte
	rand.Read(b[:])
	// The first of the 22 characters must not be a dash, or the format tool takes the id for an option.
	b[0] &= 0x7f
	return base64.RawURLEncoding.EncodeToString(b[:])
}
