// Package scenarios reads what a run is to do and what must come of it.
//
// A scenario is data: the input in stages, the workers, a plan of faults with the moments they wait for, and for each arm
// the properties that must fail. The scenarios of the catalogue are embedded in the program; a user's own file is read by
// the same loader and runs in the same way.
//
// The loader is strict, because a scenario that is misread is worse than one that is refused: with a misspelt key left
// out, the fault never happens and the run passes. So whatever is unknown, doubled, missing, of the wrong type or sure
// never to happen is an error that shows the place in the file.
package scenarios

import (
	"strings"

	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// Scenario is one scenario, read and found in order.
type Scenario struct {
	// Name is what the command line calls it, About what it shows, Source where it comes from; Source may be empty.
	Name, About, Source string
	// Race says what the plan leaves to the servers, so that two runs need not have the same steps. It is empty where the
	// plan fixes each worker's steps, in every world.
	Race string
	// File is the file that it was read from, Text what was in it; a scenario that nobody wrote has none.
	File string
	Text []byte
	// Cluster is how many servers of each kind there are.
	Cluster Cluster
	// Partitions is the number of partitions of the input topic, Keys the number of accounts.
	Partitions, Keys int
	// Stages are the input; together they are the events 1 to Events().
	Stages []workload.Stage
	// Workers are all workers that the plan starts, sorted by name.
	Workers []workload.Config
	// Plan is what is done to them, step by step.
	Plan []nemesis.Step
	// Random is what the scenario leaves to the seed; Draw settles it. It is the zero Random where nothing is.
	Random Random
	// Requires are the preconditions that a run under any arm must show with evidence, or it is vacuous.
	Requires []string
	// Expect is what must come of it, arm by arm, in the order of the file.
	Expect []Expectation
}

// Cluster is how many servers of each kind a scenario wants: 1 or 3. Where is the place in the file that says so; it is empty
// where none does.
type Cluster struct {
	Kafka, Cassandra int
	Where            string
}

// Expectation is what must come of a scenario under one arm. Either Holds is true or Violates is not empty.
type Expectation struct {
	Arm string
	// Holds says that no property may fail, save those of May.
	Holds bool
	// Violates lists exactly the properties that must fail, May those that are allowed to. All others must hold.
	Violates, May []string
	// Requires are preconditions for this arm, besides the scenario's own.
	Requires []string
}

// Says is the expectation in words: "holds", "violates no-leap; may violate offset-monotonic".
func (e Expectation) Says() string {
	says := "holds"
	if len(e.Violates) > 0 {
		says = "violates " + strings.Join(e.Violates, ", ")
	}
	if len(e.May) > 0 {
		says += "; may violate " + strings.Join(e.May, ", ")
	}
	return says
}

// Expectation gives what the scenario states for an arm, and whether it states anything.
func (s *Scenario) Expectation(arm string) (Expectation, bool) {
	for _, e := range s.Expect {
		if e.Arm == arm {
			return e, true
		}
	}
	return Expectation{}, false
}

// Arms are the arms that the scenario states an expectation for, in the order of the file.
func (s *Scenario) Arms() []string {
	arms := make([]string, len(s.Expect))
	for i, e := range s.Expect {
		arms[i] = e.Arm
	}
	return arms
}

// Events is the number of the last event of the input.
func (s *Scenario) Events() int64 {
	if len(s.Stages) == 0 {
		return int64(s.Random.Input.Events)
	}
	return s.Stages[len(s.Stages)-1].Last
}
