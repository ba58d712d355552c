// Package conformance is what the simulator claims of Kafka and Cassandra: facts, one by one, each with a script that shows
// it. The same script runs against the simulator and against real servers. Where they differ the simulator is wrong.
//
// A fact is worth no more than its script, so each also says how it could be false: the tests of cluster/sim make a
// simulator of which it is, and the script must notice.
//
// A new fact goes into the list of its system (cassandra.go, ttl.go, timestamps.go, kafka.go, rebalance.go, static.go,
// idempotence.go, compaction.go), one that takes several nodes into rounds.go or replicas.go, one
// about a server in trouble into harmed.go; docs/facts.md lists them all.
package conformance

import (
	"errors"
	"fmt"
	"slices"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/workload"
)

// System is what a fact is about.
type System string

// The systems.
const (
	Cassandra System = "Cassandra"
	Kafka     System = "Kafka"
)

// Fact is one thing that a system does and the simulator does too.
type Fact struct {
	// Name is that of its test.
	Name string
	Of   System
	// Says is the fact, in a sentence.
	Says string
	// Source is where it is documented, or on which version it was measured first.
	Source string
	// Otherwise is how a simulator has it wrong of which the script is seen to fail.
	Otherwise string
	show      func(b *bench)
}

// World is a run's view of a cluster, with the group's requests one by one, and logs besides the input topic.
type World interface {
	cluster.World
	Requests(client string) (cluster.Requests, error)
	// Log makes a topic of one partition. A compacted one has segments of a tenth of a second and keeps no tombstone for longer
	// than it must.
	Log(compacted bool) (cluster.Log, error)
}

// Facts are the facts that one node of each system can show.
func Facts() []Fact {
	return slices.Concat(conditional(), lives(), timestamps(), reads(), group(), rebalances(), statics(), idempotence(), compaction())
}

// Replicated are the facts that take a store of three nodes, and messages between them that can be lost one by one: a world
// that is a cluster.Replicas.
func Replicated() []Fact { return slices.Concat(phases(), replicas()) }

// Harmed are the facts that take a server of which a process ends or stands still.
func Harmed() []Fact { return harmed() }

// Check runs a fact's script in a world that nothing else has touched. The error says what was otherwise.
func (f Fact) Check(w World) error {
	b := &bench{servers: w}
	b.nodes, _ = w.(cluster.Replicas)
	err := w.Board().Run("fact", func(p workload.World) {
		b.World = p
		f.show(b)
	})
	return errors.Join(err, errors.Join(b.wrong...))
}

// bench is where a script looks at a fact: a process of the world, and the servers.
type bench struct {
	workload.World
	servers World
	// nodes is there for facts that are Replicated.
	nodes cluster.Replicas
	wrong []error
}

// wrongf says what was otherwise.
func (b *bench) wrongf(format string, args ...any) {
	b.wrong = append(b.wrong, fmt.Errorf(format, args...))
}

// want compares.
func (b *bench) want(what, got, want string) {
	if got != want {
		b.wrongf("%s: %s; expected: %s", what, got, want)
	}
}
