package definition_test

import (
	"strings"
	"testing"

	"github.com/single-writer/chaos/cluster/containers/definition"
)

func TestKafkaFiles(t *testing.T) {
	k := definition.Kafka{Node: 1, Peers: []string{"10.0.0.2"}, Advertised: "127.0.0.1:32001", ClusterID: "abc"}
	properties, start := content(t, k, "/tmp/kafka/server.properties"), content(t, k, "/tmp/kafka/start.sh")
	for _, want := range []string{
		"EXTERNAL://127.0.0.1:32001\n",
		"group.initial.rebalance.delay.ms=0\n",
		"group.min.session.timeout.ms=100\n",
		"offsets.retention.check.interval.ms=604800000\n",
		"auto.create.topics.enable=false\n",
		"offsets.topic.num.partitions=3\n",
		"transaction.state.log.num.partitions=3\n",
	} {
		if !strings.Contains(properties, want) {
			t.Errorf("server.properties lacks %q", want)
		}
	}
	if !strings.Contains(start, " -t abc ") || !strings.Contains(start, "SharedArchiveFile") || strings.Contains(start, "ArchiveClassesAtExit") {
		t.Errorf("start.sh must format cluster abc and read archives:\n%s", start)
	}

	k.Archive = true
	if start = content(t, k, "/tmp/kafka/start.sh"); !strings.Contains(start, "ArchiveClassesAtExit") || strings.Contains(start, "SharedArchiveFile") {
		t.Errorf("start.sh must write archives:\n%s", start)
	}
}

func TestKafkaOfSeveral(t *testing.T) {
	k := definition.Kafka{Node: 2, Peers: []string{"10.0.0.2", "10.0.0.3", "10.0.0.4"}, Advertised: "h:1", ClusterID: "abc"}
	properties := content(t, k, "/tmp/kafka/server.properties")
	for _, want := range []string{
		"node.id=2\n", "controller.quorum.voters=1@10.0.0.2:9093,2@10.0.0.3:9093,3@10.0.0.4:9093\n",
		"INTERNAL://10.0.0.3:19092,", "default.replication.factor=3\n", "min.insync.replicas=2\n", "broker.session.timeout.ms=2000\n",
	} {
		if !strings.Contains(properties, want) {
			t.Errorf("server.properties lacks %q", want)
		}
	}
}

func TestFilesNeedAddresses(t *testing.T) {
	for _, d := range []files{
		definition.Kafka{ClusterID: "abc", Node: 1, Peers: []string{"a"}},
		definition.Kafka{ClusterID: "abc", Advertised: "h:1"},
		definition.Kafka{ClusterID: "abc", Advertised: "h:1", Node: 2, Peers: []string{"a"}},
		definition.Cassandra{Node: 1, Peers: []string{"a"}},
		definition.Cassandra{Node: 3, Peers: []string{"a", "", "c"}, Client: "d"},
		definition.Cassandra{Client: "d"},
	} {
		if _, err := d.Files(); err == nil {
			t.Errorf("%+v was rendered", d)
		}
	}
}

// A misspelt property is silently ignored by Kafka, a doubled one silently wins: at least no line may
// be anything but a comment or one key of its own.
func TestKafkaPropertiesAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	text := content(t, definition.Kafka{Node: 2, Peers: []string{"a", "b", "c"}, Advertised: "h:1", ClusterID: "abc"}, "/tmp/kafka/server.properties")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || value == "" || seen[key] {
			t.Errorf("malformed or doubled: %q", line)
		}
		seen[key] = true
	}
}

func TestCassandraFiles(t *testing.T) {
	of := func(node int, peers ...string) string {
		return content(t, definition.Cassandra{Node: node, Peers: peers, Client: "10.1.0.5"}, "/chaos/cassandra.yaml")
	}
	for _, c := range []struct {
		yaml  string
		wants []string
	}{
		{of(1, "10.0.0.5"), []string{
			"listen_address: 10.0.0.5\n", "broadcast_rpc_address: 10.1.0.5\n", `seeds: "10.0.0.5"`, "native_transport_port: 9042\n",
			`initial_token: "-9223372036854775808"`,
		}},
		{of(2, "a", "b", "c"), []string{"listen_address: b\n", `seeds: "a,b,c"`, `initial_token: "-3074457345618258602"`}},
		{of(3, "a", "b", "c"), []string{"listen_address: c\n", `initial_token: "3074457345618258604"`}},
	} {
		for _, want := range c.wants {
			if !strings.Contains(c.yaml, want) {
				t.Errorf("cassandra.yaml lacks %q", want)
			}
		}
	}
}

func TestClusterIDs(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := definition.NewClusterID()
		if len(id) != 22 || strings.HasPrefix(id, "-") || seen[id] {
			t.Fatalf("bad or repeated cluster id %q", id)
		}
		seen[id] = true
	}
}

type files interface {
	Files() ([]definition.File, error)
}

func content(t *testing.T, d files, path string) string {
	t.Helper()
	files, err := d.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Path == path {
			return string(f.Content)
		}
	}
	t.Fatalf("no file %s", path)
	return ""
}
