package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// plan reads the steps, or what is left to the seed.
func (l *loader) plan(f *field) {
	if f == nil {
		return
	}
	if _, drawn := f.value.(ast.MapNode); drawn {
		l.randomPlan(f)
		return
	}
	nodes, ok := l.list(f)
	if !ok {
		return
	}
	if len(nodes) == 0 {
		l.fail(f.at, "write plan: [{start: a}]", "the plan has no steps, and starts no worker")
		return
	}
	l.planRead = true
	for i, n := range nodes {
		if step, ok := l.step(n, i); ok {
			l.scenario.Plan = append(l.scenario.Plan, step)
		}
	}
	if l.planRead && len(l.started) == 0 && len(l.uses) == 0 {
		l.fail(f.at, "begin with {start: a}", "the plan starts no worker")
	}
}

// step reads one step: a single fault, or what to do at a moment.
func (l *loader) step(n ast.Node, i int) (nemesis.Step, bool) {
	at := nodeSpan(n)
	o, ok := l.object(n, at, aStep)
	if !ok {
		l.planRead = false
		return nemesis.Step{}, false
	}
	step := nemesis.Step{Where: l.src.where(at)}
	if firstOf(o, keysOf(aStep)...) == nil {
		a, ok := l.action(o, aStep, moment{i, 0})
		step.Do = []nemesis.Action{a}
		return step, ok
	}
	if f := l.misplaced(o); f != nil {
		l.fail(f.key, fmt.Sprintf("write do: [{%s: …}]", f.name), "%q goes under \"do\" in a step that has a \"when\" or a \"do\"", f.name)
		l.planRead = false
		return step, false
	}
	o.restrict(keysOf(aStep))
	step.After, _ = l.duration(o.field("after"), 0)
	if maybe := o.field("maybe"); maybe != nil {
		step.Maybe, _ = l.boolean(maybe)
	}
	if moments := l.moments(o.field("when"), moment{i, -1}); len(moments) > 0 {
		step.When, step.And = moments[0], append(step.And, moments[1:]...)
	}
	do := o.need("do")
	actions, ok := l.list(do)
	l.planRead = l.planRead && ok
	if ok && len(actions) == 0 {
		l.fail(do.at, listed("faults", l.vocabulary.Faults), "\"do\" has nothing to do")
	}
	for j, n := range actions {
		o, ok := l.object(n, nodeSpan(n), "an action")
		if !ok {
			l.planRead = false
			continue
		}
		if a, ok := l.action(o, "an action", moment{i, j}); ok {
			step.Do = append(step.Do, a)
		}
	}
	l.actsOf(i, step)
	return step, true
}

// misplaced finds a fault that stands beside when or do.
func (l *loader) misplaced(o *object) *field {
	for _, f := range o.fields {
		if slices.Contains(l.vocabulary.Faults, f.name) {
			return f
		}
	}
	return nil
}

// action reads the one fault of a mapping.
func (l *loader) action(o *object, what string, m moment) (nemesis.Action, bool) {
	if len(o.fields) != 1 {
		l.planRead = false
		if len(o.fields) == 0 {
			l.fail(o.at, listed("faults", l.vocabulary.Faults), "%s needs a fault", what)
		} else {
			l.fail(o.fields[1].key, "write do: [{…: …}, {…: …}], which has an order", "%s has one fault, and this is its second", what)
		}
		return nemesis.Action{}, false
	}
	f := o.fields[0]
	fault, registered := nemesis.Named(f.name)
	if !registered || !slices.Contains(l.vocabulary.Faults, f.name) {
		there := l.vocabulary.Faults
		if what == aStep {
			there = append(slices.Clone(there), "when", "do")
		}
		l.fail(f.key, listed("faults", l.vocabulary.Faults), "%s", unknown("fault", f.name, there))
		// It may be a misspelt start: then all that names the worker would be reported as well, for nothing.
		if s, ok := stringOf(f.value); ok {
			l.start(strings.TrimSpace(s), f.at, m)
		}
		return nemesis.Action{}, false
	}
	if fault.OnServers() {
		return l.serverAction(f, fault, m)
	}
	if len(fault.With) > 0 {
		return l.wireAction(f, fault, m)
	}
	if fault.Takes(nemesis.Account) {
		target, ok := l.text(f)
		switch {
		case ok && target == allWorkers && !fault.Takes(nemesis.Accounts):
			l.fail(f.at, "only probe takes all", "%q takes one account", f.name)
		case ok:
			l.probes = append(l.probes, word{target, f.at})
		}
		return nemesis.Action{Fault: f.name, Target: target}, ok
	}
	if a, ok := l.task(f, m); ok {
		return a, true
	}
	target, ok := l.name(f)
	switch {
	case !ok:
		l.planRead = false
	case target.text == allWorkers:
		l.planRead = false
		l.fail(f.at, "only probe takes all", "%q takes one worker", f.name)
		return nemesis.Action{}, false
	case f.name == history.FaultStart:
		l.start(target.text, f.at, m)
	default:
		l.use(target.text, f.at, m)
	}
	if fault.OnWire() {
		l.wires = append(l.wires, act{fault: f.name, target: target, step: m.step})
	} else {
		l.acts = append(l.acts, act{fault: f.name, target: target, step: m.step})
	}
	return nemesis.Action{Fault: f.name, Target: target.text}, ok
}

// task reads a hold or a release of a worker's flush alone: a/flush.
func (l *loader) task(f *field, m moment) (nemesis.Action, bool) {
	s, _ := stringOf(f.value)
	worker, is := strings.CutSuffix(s, "/"+workload.TaskFlush)
	if fault, _ := nemesis.Named(f.name); !is || !nameForm.MatchString(worker) || !fault.Takes(nemesis.Flush) {
		return nemesis.Action{}, false
	}
	l.use(worker, f.at, m)
	l.flushes = append(l.flushes, word{worker, f.at})
	l.acts = append(l.acts, act{fault: f.name, target: word{s, f.at}, step: m.step})
	return nemesis.Action{Fault: f.name, Target: s}, true
}

// judgeFlushes reports what is done to the flush of a worker that has none of its own.
func (l *loader) judgeFlushes() {
	for _, w := range l.flushes {
		for _, c := range l.scenario.Workers {
			if c.Name == w.text && !c.FlushApart {
				l.fail(w.at, fmt.Sprintf("write %s: {flush: apart}, under workers", w.text), "%s flushes between two polls, and not by itself", w.text)
			}
		}
	}
}

// start notes the first start of a worker.
func (l *loader) start(name string, at span, m moment) {
	if s, ok := l.started[name]; !ok || m.before(s.moment) {
		l.started[name] = start{m, at}
	}
}

// account is how the input calls its keys.
const account = "acct-"

// judgeProbes reports probes of accounts that the input does not have.
func (l *loader) judgeProbes() {
	keys := l.scenario.Keys
	if keys == 0 {
		return
	}
	there := "account: " + account + "1"
	if keys > 1 {
		there = fmt.Sprintf("accounts: %s1 to %s%d", account, account, keys)
	}
	for _, p := range l.probes {
		if p.text == allWorkers {
			continue
		}
		digits, ok := strings.CutPrefix(p.text, account)
		n, err := strconv.Atoi(digits)
		if !ok || err != nil || n < 1 || n > keys || strconv.Itoa(n) != digits {
			l.fail(p.at, there+"; or all", "no account is called %s", quoted(p.text))
		}
	}
}

// moments reads what a step waits for: one moment, or a list of them, of which all must come.
func (l *loader) moments(f *field, m moment) []workload.Trigger {
	if f == nil {
		return nil
	}
	list, several := f.value.(*ast.SequenceNode)
	if !several {
		return []workload.Trigger{l.trigger(f, m, 0)}
	}
	if len(list.Values) == 0 {
		l.fail(f.at, "write when: [{worker: a, point: folded}, {worker: b, point: folded}]", "\"when\" names no moment")
	}
	var out []workload.Trigger
	for _, n := range list.Values {
		t := l.trigger(&field{name: f.name, key: f.key, value: n, at: nodeSpan(n)}, m, 0)
		if t.Worker != "" && slices.ContainsFunc(out, func(u workload.Trigger) bool { return u.Worker == t.Worker }) {
			l.fail(nodeSpan(n), "", "%s stands still at the first of its moments, and comes to no second in this step", t.Worker)
		}
		out = append(out, t)
	}
	return out
}

// trigger reads a moment. First is the first event of the stage that waits for it, 0 in a plan.
func (l *loader) trigger(f *field, m moment, first int64) workload.Trigger {
	o, ok := l.object(f.value, f.at, aTrigger, keysOf(aTrigger)...)
	if !ok {
		return workload.Trigger{}
	}
	t := workload.Trigger{Where: l.src.where(o.at)}
	if within := o.field("within"); within != nil {
		t.Within, _ = l.duration(within, 1) // 0 would mean the default
	}
	if evicted := o.field("evicted"); evicted != nil {
		for _, other := range o.fields {
			if other.name != "evicted" && other.name != "within" {
				l.fail(other.key, "", "a trigger waits for an eviction or for a point: it has \"evicted\", so no %q", other.name)
			}
		}
		if name, ok := l.name(evicted); ok {
			t.Evicted = name.text
			l.use(name.text, name.at, m)
		}
		return t
	}
	if o.field("worker") == nil && o.field("point") == nil {
		l.fail(o.at, "write {worker: a, point: folded} or {evicted: a}", "a trigger needs \"worker\" and \"point\", or \"evicted\"")
		return t
	}
	if name, ok := l.name(o.need("worker")); ok {
		t.Worker = name.text
		l.use(name.text, name.at, m)
	}
	pointKnown := false
	if point := o.need("point"); point != nil {
		t.Point, ok = l.text(point)
		pointKnown = ok && l.known(word{t.Point, point.at}, "point", "points", l.vocabulary.Points)
	}
	if event := o.field("event"); event != nil {
		if t.Event, ok = l.number(event, mostEvents); ok {
			l.waits = append(l.waits, eventWait{t.Event, first, event.at})
		}
	}
	if answer := o.field("answer"); answer != nil {
		answers := []string{history.OutcomeApplied, history.OutcomeRefused, history.OutcomeFailed, history.OutcomeUnknown,
			workload.AnyAnswer}
		t.Answer, ok = l.text(answer)
		if ok && l.known(word{t.Answer, answer.at}, "answer", "answers", answers) && pointKnown && !history.AfterAnswer(t.Point) {
			l.fail(answer.key, "the points after an answer are those that end in -answered", "nothing is answered at %q, so no answer can be waited for", t.Point)
		}
	}
	return t
}

// known reports a name that is not among those that there are.
func (l *loader) known(w word, what, many string, there []string) bool {
	if slices.Contains(there, w.text) {
		return true
	}
	l.fail(w.at, listed(many, there), "%s", unknown(what, w.text, there))
	return false
}
