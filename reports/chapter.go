package reports

import (
	"fmt"
	"strings"
	"time"
)

// chapter is what one life of a worker, its tasks included, has done since something was last told of it.
type chapter struct {
	began    time.Duration
	from, to int
	who      string
	// owned are the partitions that it was handed, under one generation; found what a recovery of one key found, where there
	// is only one, and recovered and states how many keys were read and how many of them had a state.
	owned             []string
	generation        int32
	found             string
	recovered, states int
	first, last       int64
	stored, committed string
	// trouble is what was refused or is in doubt, each once, and how often.
	trouble []string
	often   map[string]int
	marks   []string
}

// own notes a partition that was handed to the worker.
func (c *chapter) own(partition, generation int32) {
	c.owned = append(c.owned, fmt.Sprintf("p%d", partition))
	c.generation = generation
}

// recovery says what was found, key by key where there is one key.
func (c *chapter) recovery() string {
	switch c.recovered {
	case 0:
		return ""
	case 1:
		return "recovers " + c.found
	}
	return fmt.Sprintf("recovers %d of %d keys", c.states, c.recovered)
}

// ownership says what it owns.
func (c *chapter) ownership() string {
	const most = 4
	switch n := len(c.owned); {
	case n == 0:
		return ""
	case n > most:
		return fmt.Sprintf("owns %d partitions (generation %d)", n, c.generation)
	}
	return fmt.Sprintf("owns %s (generation %d)", strings.Join(c.owned, ", "), c.generation)
}

func (c *chapter) troubled(text string) {
	if c.often == nil {
		c.often = map[string]int{}
	}
	if c.often[text]++; c.often[text] == 1 {
		c.trouble = append(c.trouble, text)
	}
}

// text tells it in a line; empty if it has done nothing.
func (c *chapter) text() string {
	var parts []string
	for _, s := range []string{c.ownership(), c.recovery()} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	switch {
	case c.first < 0:
	case c.first == c.last:
		parts = append(parts, fmt.Sprintf("folds event %d", c.first))
	default:
		parts = append(parts, fmt.Sprintf("folds events %d-%d", c.first, c.last))
	}
	for _, s := range []string{c.stored, c.committed} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	for _, s := range c.trouble {
		if n := c.often[s]; n > 1 {
			s += fmt.Sprintf(", %d times", n)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}
