package reports

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/single-writer/chaos/checker"
)

// shownLate is how many late writes a terminal is told of one by one; the rest is in verdict.json.
const shownLate = 3

// lateWrites tells, in a line, what came of the writes of members that had lost their partition, arm by arm: an arm that held
// by luck must not read as safe.
func lateWrites(w io.Writer, runs []Run) {
	var parts []string
	for _, r := range runs {
		if told := r.Report.Audit.Told(); told != "" {
			parts = append(parts, r.Label()+" "+told)
		}
	}
	if len(parts) > 0 {
		Hanging(w, "  writes of former owners: ", strings.Join(parts, "; "))
	}
}

// audited lists late writes, each with what came of it.
func audited(w io.Writer, a checker.Audit) {
	for i, e := range a.Entries {
		if i == shownLate {
			Hanging(w, "    ", fmt.Sprintf("and %d more", len(a.Entries)-i))
			return
		}
		Hanging(w, fmt.Sprintf("    line %-5d ", e.Line), fmt.Sprintf("%s; %s: %s; %s", e.Text, e.Out, e.Fate.Words(), e.Words))
	}
}

// pageAudit is the same in Markdown, with nothing left out.
func pageAudit(w io.Writer, a checker.Audit) {
	if len(a.Entries) == 0 {
		return
	}
	section(w, "What came of the writes of former owners")
	var rows [][]string
	for _, e := range a.Entries {
		rows = append(rows, []string{strconv.Itoa(e.Line), e.Text, e.Out, e.Fate.Words(), e.Words})
	}
	MarkdownTable(w, []string{"line", "what", "when", "outcome", ""}, rows)
}
