package scenarios

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostBytes is the size of the largest file that is read. A scenario takes a few thousand bytes; a file far above that is
// not one, and is refused before a parser spends time and memory on it.
const mostBytes = 64 << 10

// source is the text of a file, to show its lines in messages.
type source struct {
	file  string
	text  string
	lines [][]rune
}

// span is a place in a file: line and column from 1, the width in characters.
type span struct{ line, column, width int }

// before tells whether the place comes first.
func (s span) before(t span) bool {
	return s.line < t.line || s.line == t.line && s.column < t.column
}

// newSource reads the bytes as text. What could make a line or a column mean something else to the reader of a message
// than to the parser is refused here: other encodings, a byte order mark, tabs that indent, control characters.
func newSource(file string, data []byte) (*source, *Error) {
	s := &source{file: file}
	if len(data) > mostBytes {
		return nil, tooLarge(file, int64(len(data)))
	}
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	s.text = string(data)
	for line := range strings.SplitSeq(s.text, "\n") {
		s.lines = append(s.lines, []rune(strings.ToValidUTF8(line, "\uFFFD")))
	}
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return nil, s.fail(span{1, 1, 1}, "save it as UTF-8 without one", "the file begins with a byte order mark")
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return nil, s.fail(span{1, 1, 1}, "save it as UTF-8", "the file is UTF-16, not UTF-8")
	case !utf8.Valid(data):
		return nil, s.fail(s.badByte(), "save the file as UTF-8", "this is not UTF-8")
	}
	for i, line := range s.lines {
		indenting := true
		for j, c := range line {
			at := span{i + 1, j + 1, 1}
			switch {
			case c == '\t' && indenting:
				return nil, s.fail(at, "indent with spaces", "a tab indents this line, and YAML takes only spaces")
			case c != '\t' && unicode.IsControl(c), c == '\uFEFF':
				return nil, s.fail(at, "", "the character %U has no place in a scenario", c)
			}
			indenting = indenting && c == ' '
		}
	}
	return s, nil
}

func tooLarge(file string, bytes int64) *Error {
	return &Error{File: file, Problem: fmt.Sprintf("the file has %d bytes; a scenario has at most %d", bytes, mostBytes)}
}

// badByte finds the first byte that begins no character.
func (s *source) badByte() span {
	for i, line := range strings.Split(s.text, "\n") {
		for j := 0; j < len(line); {
			c, size := utf8.DecodeRuneInString(line[j:])
			if c == utf8.RuneError && size == 1 {
				return span{i + 1, utf8.RuneCountInString(line[:j]) + 1, 1}
			}
			j += size
		}
	}
	return span{1, 1, 1}
}

// fail makes an error that shows the place. A place outside the text, which a parser may name for a file that ends too
// early, is moved to the nearest one inside.
func (s *source) fail(at span, hint, format string, args ...any) *Error {
	at.line = min(max(at.line, 1), len(s.lines))
	at.column = min(max(at.column, 1), len(s.lines[at.line-1])+1)
	return &Error{
		File: s.file, Line: at.line, Column: at.column,
		Problem: fmt.Sprintf(format, args...), Hint: hint, Excerpt: s.excerpt(at),
	}
}

// where names a place as messages do.
func (s *source) where(at span) string { return fmt.Sprintf("%s:%d:%d", s.file, at.line, at.column) }

// excerpt is the line, and below it carets under the place. Of a long line it shows the part around the place.
func (s *source) excerpt(at span) string {
	const shown = lineWidth - len("    9 | ") - 2*len("…")
	line := s.lines[at.line-1]
	from, to := 0, len(line)
	if to > shown {
		from = max(0, min(at.column-1-shown/3, to-shown))
		to = from + shown
	}
	var text, below strings.Builder
	if from > 0 {
		text.WriteRune('…')
		below.WriteRune(' ')
	}
	for i := from; i < to; i++ {
		c := line[i]
		pad := ' '
		switch {
		case c == '\t': // keeps the carets in place, however wide the terminal makes it
			pad = '\t'
		case !unicode.IsPrint(c):
			c = '\uFFFD'
		}
		text.WriteRune(c)
		if i < at.column-1 {
			below.WriteRune(pad)
		}
	}
	if to < len(line) {
		text.WriteRune('…')
	}
	width := max(1, min(at.width, to-(at.column-1)))
	shownLine := strings.TrimRight(fmt.Sprintf("%5d | %s", at.line, text.String()), " ")
	return fmt.Sprintf("%s\n      | %s%s", shownLine, below.String(), strings.Repeat("^", width))
}
