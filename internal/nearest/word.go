// Package nearest guesses which name was meant by one that does not exist: a typo in a scenario, a history or on the command
// line gets the same suggestion everywhere.
package nearest

import (
	"fmt"
	"strings"
)

// Hint asks, at the end of a message about a name that does not exist, whether the near one was meant; empty when none is near.
func Hint(name string, there []string) string {
	near, ok := Word(name, there)
	if !ok {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// Word gives the word that was probably meant: the one with the fewest slips of the finger, or the only one that begins
// in the same way. One letter in three may be wrong: of names of one or two letters nothing can be guessed.
func Word(name string, there []string) (string, bool) {
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
