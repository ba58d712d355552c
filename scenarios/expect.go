package scenarios

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// expect reads what must come of the scenario, arm by arm.
func (l *loader) expect(f *field) {
	if f == nil {
		return
	}
	arms, ok := l.object(f.value, f.at, `"expect"`)
	if !ok {
		return
	}
	if len(arms.fields) == 0 {
		l.fail(arms.at, listed("arms", l.vocabulary.Arms), "\"expect\" names no arm, so nothing would run")
	}
	for _, arm := range arms.fields {
		known := l.known(word{arm.name, arm.key}, "arm", "arms", l.vocabulary.Arms)
		if e, ok := l.expectation(arm); ok && known {
			l.scenario.Expect = append(l.scenario.Expect, e)
		}
	}
}

// expectation reads what must come of one arm. It says either that all holds or what must fail: an arm of which it says
// neither would pass whatever it does.
func (l *loader) expectation(arm *field) (Expectation, bool) {
	o, ok := l.object(arm.value, arm.at, anExpectation, keysOf(anExpectation)...)
	if !ok {
		return Expectation{}, false
	}
	e := Expectation{Arm: arm.name}
	holds, violates := o.field("holds"), o.field("violates")
	switch {
	case holds == nil && violates == nil:
		l.fail(o.at, "write {holds: all} or {violates: [no-leap]}", "an expectation needs \"holds\" or \"violates\"")
	case holds != nil && violates != nil:
		later := holds
		if holds.key.before(violates.key) {
			later = violates
		}
		l.fail(later.key, "where some may fail and need not, write {holds: all, may: […]}", "either all holds or something is violated, not both")
	}
	if holds != nil {
		e.Holds = true
		if s, _ := stringOf(holds.value); s != "all" {
			l.fail(holds.at, "", "\"holds\" takes all, not %s", described(holds.value))
		}
	}
	must := l.properties(violates)
	if violates != nil && holds == nil {
		if list, ok := violates.value.(*ast.SequenceNode); ok && len(list.Values) == 0 {
			l.fail(violates.at, "write holds: all", "\"violates\" names no property")
		}
	}
	may := l.properties(o.field("may"))
	for _, p := range may {
		if slices.ContainsFunc(must, func(w word) bool { return w.text == p.text }) {
			l.fail(p.at, "", "%q must fail already, so it goes without saying that it may", p.text)
		}
	}
	e.Violates, e.May = texts(must), texts(may)
	e.Requires = l.requirements(o.field("requires"))
	return e, true
}

// properties reads a list of properties.
func (l *loader) properties(f *field) []word {
	ws := l.words(f)
	for _, w := range ws {
		l.known(w, "property", "properties", l.vocabulary.Properties)
	}
	return ws
}
