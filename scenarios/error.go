package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MostErrors is how many errors of one file are reported. Past that, the reader mends some and tries again.
const MostErrors = 10

// Error is one thing wrong in a scenario, with its place.
type Error struct {
	// File, Line and Column are the place, both counted from 1, columns in characters. Line is 0 when the error is about
	// no place in a file.
	File         string
	Line, Column int
	// Problem says what is wrong, in one line.
	Problem string
	// Hint is what there is instead, or how to write it; may be empty.
	Hint string
	// Excerpt is the line of the file with the wrong part underlined; empty when Line is 0.
	Excerpt string
}

// Error is the whole message, of one line or more, without a newline at its end.
func (e *Error) Error() string {
	var b strings.Builder
	switch {
	case e.Line > 0:
		fmt.Fprintf(&b, "%s:%d:%d: ", e.File, e.Line, e.Column)
	case e.File != "":
		fmt.Fprintf(&b, "%s: ", e.File)
	}
	b.WriteString(e.Problem)
	for _, more := range []string{e.Excerpt, e.Hint} {
		if more != "" {
			b.WriteString("\n" + more)
		}
	}
	return b.String()
}

// Errors are all that is wrong in one file, in the order of the file, at most MostErrors.
type Errors []*Error

// Error is the messages one after another.
func (es Errors) Error() string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = e.Error()
	}
	if len(es) == MostErrors {
		parts = append(parts, fmt.Sprintf("These are the first %d errors; there may be more.", MostErrors))
	}
	return strings.Join(parts, "\n\n")
}

// Unwrap lets errors.As find the first *Error.
func (es Errors) Unwrap() []error {
	all := make([]error, len(es))
	for i, e := range es {
		all[i] = e
	}
	return all
}

// inOrder sorts the errors by place and leaves out those that are too many.
func (es Errors) inOrder() Errors {
	slices.SortStableFunc(es, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if len(es) > MostErrors {
		es = es[:MostErrors]
	}
	return es
}

// lineWidth is how many columns a message may take: what a terminal shows without wrapping.
const lineWidth = 100

// listed writes a label and words, wrapped.
func listed(label string, words []string) string {
	if len(words) == 0 {
		return ""
	}
	var b strings.Builder
	line := label + ":"
	for _, w := range words {
		if len(line)+1+len(w) > lineWidth {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + w
	}
	b.WriteString(line)
	return b.String()
}
