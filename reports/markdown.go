package reports

import (
	"fmt"
	"io"
	"strings"
)

// MarkdownTable prints a table in Markdown, for a story or a page of the docs.
func MarkdownTable(w io.Writer, head []string, rows [][]string) {
	line := func(cells []string) {
		for _, c := range cells {
			fmt.Fprintf(w, "| %s ", cell(c))
		}
		fmt.Fprintln(w, "|")
	}
	line(head)
	fmt.Fprintln(w, strings.Repeat("|---", len(head))+"|")
	for _, r := range rows {
		line(r)
	}
}

// cell is a text as a cell of a table: in one line, and with no bar of its own.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}

// raw is a text as it was found, to be shown letter by letter.
func raw(s string) string {
	if s == "" {
		return ""
	}
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}
