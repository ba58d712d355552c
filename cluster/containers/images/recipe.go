package images

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"path"
	"text/template"

	"github.com/single-writer/chaos/cluster/containers/definition"
)

//go:embed recipe
var recipeFiles embed.FS

// recipeLabel holds, on an image, what it was made by. An image of another recipe counts as missing,
// so that a change of this package reaches machines which built the images before.
const recipeLabel = "io.github.single-writer.chaos.recipe"

// suite and packages are what the base image is made of.
const suite = "bookworm"

var packages = []string{
	"openjdk-17-jre-headless",
	"libfaketime", // clock skew of one process
	"iproute2",    // network faults from inside
	"procps",
}

// fill returns a file of the recipe with its blanks filled in.
func fill(name string, data any) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").ParseFS(recipeFiles, "recipe/"+name)
	if err != nil {
		return nil, fmt.Errorf("read the recipe file %s: %w", name, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("fill in the recipe file %s: %w", name, err)
	}
	return b.Bytes(), nil
}

// pom returns the Maven project whose dependencies are the server's jars.
func pom(kind Kind) ([]byte, error) {
	if kind == Kafka {
		return fill("kafka.pom.xml", map[string]string{"Version": KafkaVersion, "Log4jVersion": log4jVersion})
	}
	return fill("cassandra.pom.xml", map[string]string{"Version": CassandraVersion})
}

// recipes returns the fingerprints of the base image and of the servers'.
func recipes() (base string, servers map[Kind]string, err error) {
	base = fingerprint([]byte(suite), []byte(fmt.Sprint(packages, left)))
	servers = map[Kind]string{}
	for kind, files := range map[Kind][]string{
		Kafka:     {"kafka.Dockerfile", "kafka-archives.Dockerfile"},
		Cassandra: {"cassandra.Dockerfile"},
	} {
		parts := [][]byte{[]byte(base)}
		p, err := pom(kind)
		if err != nil {
			return "", nil, err
		}
		parts = append(parts, p)
		for _, name := range files {
			b, err := recipeFiles.ReadFile("recipe/" + name)
			if err != nil {
				return "", nil, fmt.Errorf("read the recipe file %s: %w", name, err)
			}
			parts = append(parts, b)
		}
		if kind == Kafka {
			// The class archives fit only the command line that they were made with.
			broker := definition.Kafka{Node: 1, Peers: []string{definition.Alone}, Advertised: "any:1", ClusterID: "any", Archive: true}
			files, err := broker.Files()
			if err != nil {
				return "", nil, err
			}
			for _, f := range files {
				if path.Base(f.Path) == "start.sh" {
					parts = append(parts, f.Content)
				}
			}
		}
		servers[kind] = fingerprint(parts...)
	}
	return base, servers, nil
}

func fingerprint(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n", len(p))
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
