package scenarios

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// deepest is how deep brackets may nest, furthest the column that blocks may be indented to. The parser is recursive and
// keeps a path for every node, so that a small file of many brackets would cost it much memory.
const (
	deepest  = 32
	furthest = 200
)

// document parses the file into its one document.
func (r *reader) document() (ast.Node, bool) {
	tokens := lexer.Tokenize(r.src.text)
	if !r.modest(tokens) {
		return nil, false
	}
	file, err := r.parse(tokens)
	if err != nil {
		r.fail(errorSpan(err), syntaxHint(err), "this is not YAML: %s", message(err))
		return nil, false
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil || isNull(file.Docs[0].Body) {
		r.fail(span{1, 1, 1}, "", "the file has no scenario in it")
		return nil, false
	}
	return file.Docs[0].Body, true
}

// parse guards against the parser: a panic in it, on text that a user gave, must not be the end of the program.
func (r *reader) parse(tokens token.Tokens) (file *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the parser cannot make sense of it")
		}
	}()
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
}

// modest refuses, before anything is parsed, the parts of YAML that a scenario does without. Without anchors nothing can
// expand, and every value stands where it is used, so that an error can show it.
func (r *reader) modest(tokens token.Tokens) bool {
	had := len(r.errs)
	depth, started, ended := 0, false, false
	for _, t := range tokens {
		if t.Type == token.CommentType {
			continue
		}
		at := tokenSpan(t)
		if ended {
			r.fail(at, "", "a file has one scenario, and this comes after its end")
			return false
		}
		switch t.Type {
		case token.AnchorType, token.AliasType:
			at.width = 1 + nextWidth(t)
			r.fail(at, "what all workers have in common goes under workers: all", "a scenario has no anchors and aliases")
		case token.TagType:
			r.fail(at, "quotes make a text; all other types are known", "a scenario has no tags")
		case token.MergeKeyType:
			r.fail(at, "what all workers have in common goes under workers: all", "a scenario has no merge keys")
		case token.MappingKeyType:
			r.fail(at, "write key: value", "a scenario has no keys marked by a question mark")
		case token.DirectiveType:
			r.fail(at, "", "a scenario has no directives")
			return false // what comes after it is read in another way, and would be reported wrongly
		case token.DocumentHeaderType:
			if started {
				r.fail(at, "give each scenario its own file", "a file has one scenario, and here another document begins")
				return false
			}
		case token.DocumentEndType:
			ended = true
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		}
		started = true
		block := t.Type == token.SequenceEntryType || t.Type == token.MappingValueType
		if depth > deepest || block && depth <= 0 && t.Position.Column > furthest {
			r.fail(at, "", "this is nested too deep for a scenario")
			return false
		}
	}
	return len(r.errs) == had
}

// nextWidth is the width of the name that follows right after an anchor's or alias's mark.
func nextWidth(t *token.Token) int {
	if t.Next == nil || t.Next.Position == nil || t.Next.Position.Line != t.Position.Line {
		return 0
	}
	return tokenSpan(t.Next).width
}

func errorSpan(err error) span {
	var at yaml.Error
	if errors.As(err, &at) {
		return tokenSpan(at.GetToken())
	}
	return span{1, 1, 1}
}

func message(err error) string {
	text := err.Error()
	var at yaml.Error
	if errors.As(err, &at) {
		text = at.GetMessage()
	}
	text, _, _ = strings.Cut(text, "\n")
	return text
}

// syntaxHint says in other words what the parser means by the errors that are made most.
func syntaxHint(err error) string {
	switch m := message(err); {
	case strings.Contains(m, "mapping value is not allowed"):
		return "a text with a colon and a space in it needs quotes; or a line is indented wrongly"
	case strings.Contains(m, "value is not allowed"):
		return "this line, or one before, is indented otherwise than the lines beside it"
	case strings.Contains(m, "non-map value"), strings.Contains(m, "unexpected key name"):
		return "each line here is key: value, with a space after the colon, or begins with a hyphen and a space; is the line before complete?"
	case strings.Contains(m, "must be specified"), strings.Contains(m, "end token"):
		return "a bracket is opened here, or before, and not closed"
	case strings.Contains(m, "reserved character"):
		return "a text that begins with this character needs quotes"
	}
	return ""
}
