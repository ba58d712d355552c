package history

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/single-writer/chaos/ledger"
)

// section is one heading of docs/history.md: the fields in its table, and which of them are said to be there always.
type section struct {
	fields, always []string
	examples       []string
}

var (
	heading = regexp.MustCompile("^##+ (.*)$")
	field   = regexp.MustCompile("^\\| `([a-z_]+)` \\|.*\\| ([^|]+) \\|$")
)

// documented reads the page by heading; a heading that names two f in backquotes is the section of both.
func documented(t *testing.T) map[string]*section {
	t.Helper()
	b, err := os.ReadFile("../docs/history.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*section{}
	current := &section{}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if m := heading.FindStringSubmatch(line); m != nil {
			current = &section{}
			for name := range strings.SplitSeq(m[1], " and ") {
				all[name] = current
			}
		}
		if m := field.FindStringSubmatch(line); m != nil {
			current.fields = append(current.fields, m[1])
			if m[2] == "always" {
				current.always = append(current.always, m[1])
			}
		}
		if strings.HasPrefix(line, `{"`) {
			current.examples = append(current.examples, line)
		}
	}
	return all
}

// titles gives the heading of each type of object; those of values have the f for one.
var titles = map[reflect.Type]string{
	reflect.TypeFor[Header]():        "The header",
	reflect.TypeFor[ClusterFacts]():  "The header's cluster",
	reflect.TypeFor[InputFacts]():    "The header's input",
	reflect.TypeFor[line]():          "An event",
	reflect.TypeFor[ledger.Event]():  "event",
	reflect.TypeFor[ledger.State]():  "state",
	reflect.TypeFor[Row]():           "row",
	reflect.TypeFor[KeyedRow]():      "keyed row",
	reflect.TypeFor[RecoveredKey]():  "recovered key",
	reflect.TypeFor[JournalEntry]():  "journal entry",
	reflect.TypeFor[StatementDone](): "statement",
	reflect.TypeFor[MemberAtAll]():   "member",
	reflect.TypeFor[LoggedCommit]():  "logged commit",
	reflect.TypeFor[LoggedGroup]():   "logged group",
	reflect.TypeFor[LoggedMember]():  "logged member",
}

// The page names every f, and of every object every field and no other, and says "always" of those that the reader
// insists on.
func TestThePageIsComplete(t *testing.T) {
	page := documented(t)
	var check func(title string, typ reflect.Type)
	check = func(title string, typ reflect.Type) {
		s, ok := page[title]
		if !ok {
			t.Errorf("docs/history.md has no section %s", title)
			return
		}
		var names, always []string
		for _, f := range reflect.VisibleFields(typ) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				continue
			}
			names = append(names, name)
			if options == "" {
				always = append(always, name)
			}
			inner := f.Type
			for inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct && inner != optType && inner != rawType &&
				inner != reflect.TypeFor[decimal.Decimal]() {
				check(titles[inner], inner)
			}
		}
		slices.Sort(names)
		slices.Sort(always)
		fields, insists := slices.Sorted(slices.Values(s.fields)), slices.Sorted(slices.Values(s.always))
		if diff := cmp.Diff(names, fields); diff != "" {
			t.Errorf("section %s: fields (-type +page):\n%s", title, diff)
		}
		if diff := cmp.Diff(always, insists); diff != "" {
			t.Errorf("section %s: fields that are always there (-type +page):\n%s", title, diff)
		}
	}
	check(titles[reflect.TypeFor[Header]()], reflect.TypeFor[Header]())
	check(titles[reflect.TypeFor[line]()], reflect.TypeFor[line]())
	for f, k := range vocabulary {
		check("`"+string(f)+"`", k.value)
	}
}

// Every f has an example, and the examples are lines that the reader takes.
func TestTheExamplesAreReal(t *testing.T) {
	page := documented(t)
	if page["The header"] == nil || len(page["The header"].examples) == 0 {
		t.Fatal("the header has no example")
	}
	for _, text := range page["The header"].examples {
		if _, err := decodeHeader([]byte(text)); err != nil {
			t.Errorf("%v: %s", err, text)
		}
	}
	for _, f := range every() {
		found := false
		s, ok := page["`"+string(f)+"`"]
		if !ok {
			continue // the other test's
		}
		for _, text := range s.examples {
			e, err := decodeEvent([]byte(text))
			if err != nil {
				t.Errorf("%v: %s", err, text)
			}
			found = found || e.F == f
		}
		if !found {
			t.Errorf("%s has no example of its own", f)
		}
	}
}
