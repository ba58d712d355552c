// Package images finds the container images of Kafka and Cassandra, and builds them where no image
// registry can be reached.
//
// The official images come first. The local ones are made of what package registries serve: a Debian
// base by debootstrap, and the servers' jars by Maven. Nothing in them is downloaded by any other way,
// so a machine that can install packages can build them. Both kinds are started by the same
// definition, see package definition.
package images

import "strings"

// The pinned versions. Facts that the simulator models were measured on these.
const (
	KafkaVersion     = "4.3.1"
	CassandraVersion = "5.0.5"
	// log4jVersion is that of the logging backend added to Kafka's jars.
	log4jVersion = "2.25.4"
)

// The references of the images.
const (
	KafkaOfficial     = "apache/kafka:" + KafkaVersion
	CassandraOfficial = "cassandra:" + CassandraVersion

	Base           = "chaos-local/base:bookworm-jre17"
	KafkaLocal     = "chaos-local/kafka:" + KafkaVersion
	CassandraLocal = "chaos-local/cassandra:" + CassandraVersion
)

// Kind says which server an image holds.
type Kind int

const (
	Kafka Kind = iota
	Cassandra
)

func (k Kind) String() string { return [...]string{"Kafka", "Cassandra"}[k] }

// official and local return the references that stand for the kind.
func (k Kind) official() string { return [...]string{KafkaOfficial, CassandraOfficial}[k] }
func (k Kind) local() string    { return [...]string{KafkaLocal, CassandraLocal}[k] }

// Image is an image that the engine has.
type Image struct {
	Ref     string
	Version string // as its tag says; the server itself tells the truth once it runs
	Local   bool   // built by [Build]
}

// Named returns the image of a reference, without asking the engine for it.
func Named(ref string) Image {
	return Image{Ref: ref, Version: tag(ref), Local: ref == KafkaLocal || ref == CassandraLocal}
}

// tag returns the tag of a reference, which is not the port of its registry nor its digest.
func tag(ref string) string {
	ref, _, _ = strings.Cut(ref, "@")
	if i := strings.LastIndex(ref, ":"); i > strings.LastIndex(ref, "/") {
		return ref[i+1:]
	}
	return "latest"
}
