package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/single-writer/chaos/internal/nearest"
)

// reader reads typed values from the nodes of a document. It never stops at an error: it notes it, and says with a false
// that there is no value, so that all errors of a file come at once.
type reader struct {
	src  *source
	errs Errors
}

func (r *reader) fail(at span, hint, format string, args ...any) {
	r.errs = append(r.errs, r.src.fail(at, hint, format, args...))
}

// field is one key of a mapping with its value.
type field struct {
	name  string
	key   span
	value ast.Node
	// at is the value's place, or the key's when there is no value.
	at span
}

// object is a mapping whose keys are known.
type object struct {
	r    *reader
	what string
	keys []string
	// at is where the mapping begins.
	at span
	// fields are in the order of the file.
	fields []*field
}

// word is a text with its place.
type word struct {
	text string
	at   span
}

// object reads a mapping. What names it in messages with its article: "a stage". With keys given, no others may occur;
// with none, the keys are names that the caller checks.
func (r *reader) object(n ast.Node, at span, what string, keys ...string) (*object, bool) {
	m, ok := n.(ast.MapNode)
	if !ok {
		r.fail(at, listed("keys", keys), "%s is a mapping, not %s", what, described(n))
		return nil, false
	}
	o := &object{r: r, what: what, at: at}
	for it := m.MapRange(); it.Next(); {
		f := &field{name: it.Key().GetToken().Value, key: tokenSpan(it.Key().GetToken()), value: it.Value()}
		f.at = f.key
		if _, null := f.value.(*ast.NullNode); !null && f.value != nil {
			f.at = nodeSpan(f.value)
		}
		if twin := o.field(f.name); twin != nil {
			r.fail(f.key, "", "%s is given twice: line %d has it too", quoted(f.name), twin.key.line)
			continue
		}
		o.fields = append(o.fields, f)
	}
	if len(keys) > 0 {
		o.restrict(keys)
	}
	return o, true
}

// restrict reports keys that the mapping does not have. One that is plainly a slip is then read as what was meant: its
// value may have errors of its own, and the right key must not be reported as missing too.
func (o *object) restrict(keys []string) {
	o.keys = keys
	var right []*field
	for _, f := range o.fields {
		if slices.Contains(keys, f.name) {
			right = append(right, f)
			continue
		}
		o.r.fail(f.key, listed("keys", keys), "%s has no key %s%s", o.what, quoted(f.name), nearest.Hint(f.name, keys))
		if near, ok := nearest.Word(f.name, keys); ok && o.field(near) == nil {
			f.name = near
			right = append(right, f)
		}
	}
	o.fields = right
}

// field finds a key; nil when it is not there.
func (o *object) field(name string) *field {
	for _, f := range o.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

// need finds a key that must be there.
func (o *object) need(name string) *field {
	f := o.field(name)
	if f == nil {
		o.r.fail(o.at, listed("keys", o.keys), "%s needs %q", o.what, name)
	}
	return f
}

// text reads a text. A field that is not there gives none, without an error: need has reported it, or it is optional.
func (r *reader) text(f *field) (string, bool) {
	if f == nil {
		return "", false
	}
	s, ok := stringOf(f.value)
	switch {
	case !ok && !isNull(f.value):
		hint := ""
		if plain(f.value) != "" {
			hint = "quotes make it text"
		}
		r.fail(f.at, hint, "%q takes text, not %s", f.name, described(f.value))
	case strings.TrimSpace(s) == "":
		r.fail(f.at, "", "%q has no value", f.name)
	case strings.ContainsFunc(s, commands):
		r.fail(f.at, "", "%q has the character %U in it, which has no place in a text", f.name, firstCommand(s))
	default:
		return strings.TrimSpace(s), true
	}
	return "", false
}

// commands tells whether a terminal would take the character for a command. An escape in quotes brings it into a file that
// has none.
func commands(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }

func firstCommand(s string) rune {
	c, _ := utf8.DecodeRuneInString(s[strings.IndexFunc(s, commands):])
	return c
}

// longestName is how many letters a name may have: it becomes part of the names of folders, of which a file system takes 255.
const longestName = 64

// name reads a text that is a name by itself.
func (r *reader) name(f *field) (word, bool) {
	s, ok := r.text(f)
	if n := len([]rune(s)); n > longestName {
		r.fail(f.at, "", "a name has at most %d letters, and this one %d", longestName, n)
		return word{}, false
	}
	if ok && !nameForm.MatchString(s) {
		r.fail(f.at, nameHint, "%s is no name", quoted(s))
		return word{}, false
	}
	return word{s, atOf(f)}, ok
}

func atOf(f *field) span {
	if f == nil {
		return span{}
	}
	return f.at
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

const nameHint = "names have small letters, digits and hyphens, and begin with a letter"

var numberForm = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// number reads a whole number from 1 to most.
func (r *reader) number(f *field, most int64) (int64, bool) { return r.between(f, 1, most) }

// between reads a whole number from least to most.
func (r *reader) between(f *field, least, most int64) (int64, bool) {
	if f == nil {
		return 0, false
	}
	t := plain(f.value)
	switch {
	case isNull(f.value):
		r.fail(f.at, "", "%q has no value", f.name)
	case t == "":
		r.fail(f.at, "", "%q takes a number, not %s", f.name, described(f.value))
	case !numberForm.MatchString(t):
		r.fail(f.at, "numbers are whole, in plain digits", "%q takes a number, not %s", f.name, described(f.value))
	default:
		n, err := strconv.ParseInt(t, 10, 64)
		if err == nil && n >= least && n <= most {
			return n, true
		}
		r.fail(f.at, "", "%q takes a number from %d to %d, not %s", f.name, least, most, t)
	}
	return 0, false
}

// boolean reads true or false.
func (r *reader) boolean(f *field) (is, ok bool) {
	switch plain(f.value) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	r.fail(f.at, "", "%q takes true or false, not %s", f.name, described(f.value))
	return false, false
}

// longest is the longest duration: what is above is no run that anybody waits for, and sums of it could overflow.
const longest = 24 * time.Hour

// duration reads a duration as Go writes them.
func (r *reader) duration(f *field, least time.Duration) (time.Duration, bool) {
	const hint = "durations have a unit: 500us 2ms 10s 1m30s"
	if f == nil {
		return 0, false
	}
	s, ok := stringOf(f.value)
	if !ok {
		switch t := plain(f.value); {
		case isNull(f.value):
			r.fail(f.at, "", "%q has no value", f.name)
		case numberForm.MatchString(t):
			r.fail(f.at, hint, "%q takes a duration, and %s has no unit; did you mean %q?", f.name, t, t+"s")
		default:
			r.fail(f.at, hint, "%q takes a duration, not %s", f.name, described(f.value))
		}
		return 0, false
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		r.fail(f.at, hint, "%q takes a duration, not %s", f.name, quoted(s))
	case d < least || d > longest:
		r.fail(f.at, "", "%q takes a duration from %s to %s, not %s", f.name, short(least), short(longest), s)
	default:
		return d, true
	}
	return 0, false
}

// short writes a duration without its zeros at the end: 1m, not 1m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// list reads a list.
func (r *reader) list(f *field) ([]ast.Node, bool) {
	if f == nil {
		return nil, false
	}
	if seq, ok := f.value.(*ast.SequenceNode); ok {
		return seq.Values, true
	}
	hint := ""
	if s := plain(f.value); s != "" {
		hint = fmt.Sprintf("write %s: [%s]", f.name, s)
	}
	r.fail(f.at, hint, "%q takes a list, not %s", f.name, described(f.value))
	return nil, false
}

// words reads a list of different texts.
func (r *reader) words(f *field) []word {
	nodes, _ := r.list(f)
	var ws []word
	for _, n := range nodes {
		s, ok := stringOf(n)
		s = strings.Join(strings.Fields(s), " ")
		at := nodeSpan(n)
		switch {
		case !ok || s == "":
			r.fail(at, "", "%q takes a list of words, not %s", f.name, described(n))
		case slices.ContainsFunc(ws, func(w word) bool { return w.text == s }):
			r.fail(at, "", "%s is given twice", quoted(s))
		default:
			ws = append(ws, word{s, at})
		}
	}
	return ws
}

// texts gives the words without their places.
func texts(ws []word) []string {
	var ss []string
	for _, w := range ws {
		ss = append(ss, w.text)
	}
	return ss
}

func isNull(n ast.Node) bool {
	_, null := n.(*ast.NullNode)
	return null || n == nil
}

// stringOf gives the text of a node that is one.
func stringOf(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

// plain gives a scalar as it stands in the file, when it stands there without quotes. Numbers are read from it: the
// parser's own idea of them takes in octal, hexadecimal and underscores.
func plain(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		if n.Token.Type == token.StringType {
			return n.Token.Value
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value
	}
	return ""
}

// described says what a node is where something else should be.
func described(n ast.Node) string {
	if s, ok := stringOf(n); ok {
		return "the text " + quoted(s)
	}
	switch n.(type) {
	case ast.MapNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	}
	if isNull(n) {
		return "nothing"
	}
	return n.GetToken().Value
}

// nodeSpan is where a node begins. A mapping or list in blocks has no bracket to show: its first key or dash is shown.
func nodeSpan(n ast.Node) span {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return nodeSpan(n.Values[0])
		}
	case *ast.MappingValueNode:
		return tokenSpan(n.Key.GetToken())
	}
	return tokenSpan(n.GetToken())
}

// tokenSpan is where a token stands, with its width in the file: quotes and escapes count, and of a token of several lines
// the first.
func tokenSpan(t *token.Token) span {
	if t == nil || t.Position == nil {
		return span{1, 1, 1}
	}
	text, _, _ := strings.Cut(strings.TrimSpace(t.Origin), "\n")
	return span{t.Position.Line, t.Position.Column, max(1, len([]rune(strings.TrimRight(text, " \t"))))}
}
