package scenarios

import (
	"fmt"
	"slices"

	"github.com/single-writer/chaos/internal/nearest"
)

// Vocabulary is the names that a scenario may use. The caller passes them in, so that this package knows neither checkers
// nor persistence arms, and a new property, arm, point or fault needs no change here: what a fault takes is in the
// nemesis's registry.
type Vocabulary struct {
	// Points are the points of a worker, Properties what a checker gives verdicts on, Faults what a plan can do, Arms the
	// persistence arms: each in the order in which a message lists them.
	Points, Properties, Faults, Arms []string
	// Requirement tells what is wrong with the text of a precondition; nil when nothing is. The first line of its error is
	// the problem, further lines are the hint. A nil function lets every text pass. The loader itself checks that the second
	// of two words, if it is no number, is the name of a worker.
	Requirement func(text string) error
}

// unknown words the problem of a name that is not among those that there are.
func unknown(what, name string, there []string) string {
	return fmt.Sprintf("no %s is called %s", what, quoted(name)) + nearest.Hint(name, there)
}

// quoted shows a piece of the file in a message: escaped, and cut when long.
func quoted(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// sorted gives the names in order, without changing what it was given.
func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}
