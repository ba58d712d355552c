package scenarios

import (
	"fmt"
	"slices"
	"strings"
)

// Vocabulary is the names that a scenario may use. The caller passes them in, so that this package knows neither checkers
// nor persistence arms nor faults, and a new one of these needs no change here.
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
	problem := fmt.Sprintf("no %s is called %s", what, quoted(name))
	if near, ok := nearest(name, there); ok {
		problem += fmt.Sprintf("; did you mean %q?", near)
	}
	return problem
}

// quoted shows a piece of the file in a message: escaped, and cut when long.
func quoted(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// nearest gives the word that was probably meant: the one with the fewest slips of the finger, or the only one that begins
// in the same way. One letter in three may be wrong: of names of one or two letters nothing can be guessed.
func nearest(name string, there []string) (string, bool) {
	const longest = 64 // what is longer is no slip, and would cost time
	if len(name) > longest {
		return "", false
	}
	name = strings.ToLower(name)
	best, least := "", -1
	for _, w := range there {
		d := slips(name, w)
		if d <= max(len(name), len(w))/3 && (least < 0 || d < least) {
			best, least = w, d
		}
	}
	if least >= 0 {
		return best, true
	}
	for _, w := range there {
		if len(name) >= 3 && strings.HasPrefix(w, name) {
			if best != "" {
				return "", false
			}
			best = w
		}
	}
	return best, best != ""
}

// slips counts the letters added, left out, replaced, or swapped with their neighbour between two words.
func slips(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}

// sorted gives the names in order, without changing what it was given.
func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}
