package scenarios

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// wireAction reads what is armed on the wire of a worker: {drop-message: {worker: a, message: OffsetCommit, way: answer}}.
func (l *loader) wireAction(f *field, fault *nemesis.Fault, m moment) (nemesis.Action, bool) {
	const worker = "worker"
	keys := []string{worker}
	for _, p := range fault.With {
		keys = append(keys, p.Name)
	}
	had := len(l.errs)
	o, ok := l.object(f.value, f.at, fmt.Sprintf("%q", f.name), keys...)
	if !ok {
		l.planRead = false
		return nemesis.Action{}, false
	}
	for _, p := range fault.With {
		if p.Needed {
			o.need(p.Name)
		}
	}
	target, named := l.name(o.need(worker))
	if !named {
		l.planRead = false
	} else {
		l.use(target.text, target.at, m)
	}
	a := nemesis.Action{Fault: f.name, Target: target.text}
	if fault.Effect() == "" {
		a.Wall = l.wall(o)
	} else {
		a.Rule = l.rule(o, fault.Effect())
	}
	l.wires = append(l.wires, act{fault: f.name, target: target, step: m.step})
	return a, len(l.errs) == had
}

// wall reads what a worker is kept from.
func (l *loader) wall(o *object) *workload.Wall {
	w := &workload.Wall{}
	if from := o.field("from"); from != nil {
		if text, ok := l.text(from); ok && l.known(word{text, from.at}, "kind of server", "kinds", []string{workload.OfKafka, workload.OfCassandra}) {
			w.From = text
		}
	}
	if silently := o.field("silently"); silently != nil {
		w.Silently, _ = l.boolean(silently)
	}
	return w
}

// rule reads which messages are meant.
func (l *loader) rule(o *object, effect workload.Effect) *workload.Rule {
	r := &workload.Rule{Way: workload.Request, Do: effect}
	if message := o.field("message"); message != nil {
		if text, ok := l.text(message); ok && l.known(word{text, message.at}, "message", "messages", workload.Messages()) {
			r.Message = text
		}
	}
	if way := o.field("way"); way != nil {
		if text, ok := l.text(way); ok && l.known(word{text, way.at}, "way", "ways", []string{string(workload.Request), string(workload.Answer)}) {
			r.Way = workload.Way(text)
		}
	}
	if by := o.field("by"); by != nil {
		if d, ok := l.duration(by, 1); ok && d > workload.MaxDelay {
			l.fail(by.at, "", "a message is at most %s late, and not %s", short(workload.MaxDelay), short(d))
		} else {
			r.By = d
		}
	}
	nth, _ := l.number(o.field("nth"), mostEvents)
	r.Nth = int(nth)
	if chance := o.field("chance"); chance != nil {
		if c, ok := l.chance(chance); ok {
			r.Draw = &workload.Draw{Chance: c}
		}
		if r.Nth > 0 {
			l.fail(chance.key, "", "it is message %d, or each by a chance, not both", r.Nth)
		}
	}
	return r
}

var chanceForm = regexp.MustCompile(`^(0|1|0?\.[0-9]+|1\.0+|0\.0*)$`)

// chance reads a number from 0 to 1.
func (r *reader) chance(f *field) (float64, bool) {
	t := plain(f.value)
	c, err := strconv.ParseFloat(t, 64)
	if !chanceForm.MatchString(t) || err != nil || math.IsNaN(c) || c < 0 || c > 1 {
		r.fail(f.at, "write 0.05 for one in twenty", "%q takes a chance from 0 to 1, not %s", f.name, described(f.value))
		return 0, false
	}
	return c, true
}

// judgeWires reports a lift of what was not armed.
func (l *loader) judgeWires() {
	armed := map[string]bool{}
	for _, a := range l.wires {
		switch lifts := a.fault == history.FaultLift; {
		case lifts && !armed[a.target.text] && l.planRead && !a.maybe:
			l.fail(a.target.at, "", "nothing was armed on the wire of %s", a.target.text)
		case lifts && !a.maybe:
			delete(armed, a.target.text)
		case !lifts:
			armed[a.target.text] = true
		}
	}
}

// actionText writes an action as a plan has it.
func actionText(a nemesis.Action) string {
	var with []string
	add := func(key string, value any) { with = append(with, fmt.Sprintf("%s: %v", key, value)) }
	switch {
	case a.Rule != nil:
		r := a.Rule
		add("message", r.Message)
		add("way", r.Way)
		if r.Do == workload.Delay {
			add("by", short(r.By))
		}
		if r.Nth > 0 {
			add("nth", r.Nth)
		}
		if r.Draw != nil {
			add("chance", strconv.FormatFloat(r.Draw.Chance, 'f', -1, 64))
		}
	case a.Wall != nil:
		add("from", a.Wall.From)
		if a.Wall.Silently {
			add("silently", true)
		}
	default:
		return fmt.Sprintf("{%s: %s}", a.Fault, a.Target)
	}
	return fmt.Sprintf("{%s: {worker: %s, %s}}", a.Fault, a.Target, strings.Join(with, ", "))
}
