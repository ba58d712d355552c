package reports

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/single-writer/chaos/checker"
)

// Explain says what a property means, with the histories that show it.
func Explain(w io.Writer, p checker.Property) {
	Hanging(w, p.Name+": ", p.Brief)
	e := p.Explain()
	fmt.Fprintln(w)
	paragraphs(w, e.Definition)
	for _, part := range []struct {
		heading  string
		examples []checker.Example
	}{{checker.HeadingBreaks, e.Breaks}, {checker.HeadingLawful, e.Lawful}} {
		if len(part.examples) == 0 {
			continue // fence-audit is never broken
		}
		fmt.Fprintf(w, "\n%s\n", part.heading)
		for _, x := range part.examples {
			fmt.Fprintln(w)
			paragraphs(w, x.About)
			for _, line := range strings.Split(x.History, "\n") {
				fmt.Fprintf(w, "      %s\n", line)
			}
		}
	}
	fmt.Fprintf(w, "\n%s\n\n", checker.HeadingCauses)
	paragraphs(w, e.Causes)
	fmt.Fprintf(w, "\nHow the histories are read\n\n")
	paragraphs(w, checker.Notation())
}

// emphasis is what a page prints bold or slanted.
var emphasis = regexp.MustCompile(`\*+([^*]+)\*+`)

// paragraphs prints Markdown without headings for a terminal. Each item of a list begins a line.
func paragraphs(w io.Writer, markdown string) {
	for i, p := range strings.Split(markdown, "\n\n") {
		if i > 0 {
			fmt.Fprintln(w)
		}
		p = emphasis.ReplaceAllString(p, "$1")
		if !strings.HasPrefix(p, "- ") {
			Hanging(w, "  ", p)
			continue
		}
		for _, item := range strings.Split(p, "\n- ") {
			Hanging(w, "  - ", strings.TrimPrefix(item, "- "))
		}
	}
}
