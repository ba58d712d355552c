// Package definition says how one Kafka broker and one Cassandra node are started in a container:
// their configuration files, entry points and ports.
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
	"fmt"
	"text/template"
)

// KafkaPort and CassandraPort are the ports that clients use, inside the container.
const (
	KafkaPort     = 9092
	CassandraPort = 9042
)

// CassandraHost is the host name that the Cassandra container must be given: the node finds its own
// address by it, so that the engine is free to choose the address.
const CassandraHost = "cassandra"

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
	// Advertised is the host:port under which the broker tells clients to reach it.
	Advertised string
	// ClusterID identifies the cluster, see [NewClusterID].
	ClusterID string
	// Archive makes the two JVMs write archives of their loaded classes (AppCDS) to /opt/kafka when
	// they end, instead of reading them when they start. Only the image build wants that.
	Archive bool
}

// Files returns the broker's files.
func (k Kafka) Files() ([]File, error) {
	if k.Advertised == "" || k.ClusterID == "" {
		return nil, fmt.Errorf("render the Kafka configuration: address %q and cluster id %q must both be set", k.Advertised, k.ClusterID)
	}
	return render(k, "kafka", "/tmp/kafka", "server.properties", "log4j2.properties", "start.sh")
}

// Entrypoint returns the broker's command line.
func (Kafka) Entrypoint() []string { return []string{"sh", "/tmp/kafka/start.sh"} }

// Cassandra is a node; nothing differs between two of them yet.
type Cassandra struct{}

// Files returns the node's files.
func (Cassandra) Files() ([]File, error) {
	data := struct {
		Host string
		Port int
	}{CassandraHost, CassandraPort}
	return render(data, "cassandra", "/chaos", "cassandra.yaml", "jvm.args", "logback.xml")
}

// Entrypoint returns the node's command line: the JVM is the container's first process, so that a
// kill or a pause of the container is one of the node and of nothing else.
func (Cassandra) Entrypoint() []string {
	return []string{"java", "@/chaos/jvm.args", "org.apache.cassandra.service.CassandraDaemon"}
}

// Fingerprint identifies how the servers are set up. A cluster that an earlier version of the rig has started is one that
// this one would start only if theirs are the same.
func Fingerprint() (string, error) {
	broker, node := Kafka{Advertised: "any:1", ClusterID: "any"}, Cassandra{}
	kafka, err := broker.Files()
	if err != nil {
		return "", err
	}
	cassandra, err := node.Files()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, f := range append(kafka, cassandra...) {
		fmt.Fprintf(h, "%s %d\n%s", f.Path, len(f.Content), f.Content)
	}
	fmt.Fprintln(h, broker.Entrypoint(), node.Entrypoint())
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
