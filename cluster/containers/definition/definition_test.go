package definition_test

import (
	"strings"
	"testing"

	"github.com/single-writer/chaos/cluster/containers/definition"
)

func TestKafkaFiles(t *testing.T) {
	k := definition.Kafka{Advertised: "127.0.0.1:32001", ClusterID: "abc"}
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

func TestKafkaFilesNeedAnAddress(t *testing.T) {
	if _, err := (definition.Kafka{ClusterID: "abc"}).Files(); err == nil {
		t.Error("a broker without an address was rendered")
	}
}

// A misspelt property is silently ignored by Kafka, a doubled one silently wins: at least no line may
// be anything but a comment or one key of its own.
func TestKafkaPropertiesAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	text := content(t, definition.Kafka{Advertised: "h:1", ClusterID: "abc"}, "/tmp/kafka/server.properties")
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
	yaml := content(t, definition.Cassandra{}, "/chaos/cassandra.yaml")
	for _, want := range []string{"listen_address: cassandra\n", "rpc_address: cassandra\n", `seeds: "cassandra"`, "native_transport_port: 9042\n"} {
		if !strings.Contains(yaml, want) {
			t.Errorf("cassandra.yaml lacks %q", want)
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

func content(t *testing.T, d interface {
	Files() ([]definition.File, error)
}, path string) string {
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
