package scenarios

import (
	"regexp"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/workload"
)

// The most that a scenario may have. The whole input is kept in memory, and a checker looks at each key by itself.
const (
	mostPartitions = 64
	mostKeys       = 10_000
	mostEvents     = 1_000_000
)

// input reads the shape of the input topic and its stages.
func (l *loader) input(f *field) {
	if f == nil {
		return
	}
	o, ok := l.object(f.value, f.at, anInput, keysOf(anInput)...)
	if !ok {
		return
	}
	partitions, _ := l.number(o.need("partitions"), mostPartitions)
	keys, _ := l.number(o.need("keys"), mostKeys)
	l.scenario.Partitions, l.scenario.Keys = int(partitions), int(keys)
	if random := o.field("random"); random != nil {
		if stages := o.field("stages"); stages != nil {
			l.fail(stages.key, "", "the stages are written or drawn: it has \"random\", so no \"stages\"")
		}
		l.randomInput(random)
		return
	}
	stages := o.need("stages")
	nodes, ok := l.list(stages)
	if ok && len(nodes) == 0 {
		l.fail(stages.at, "write stages: [{events: 1-6}]", "the input has no stages")
	}
	next := int64(1) // the event that the stage must begin with; 0 when that is not known, after an error
	for i, n := range nodes {
		s, ok := l.stage(n, i, next)
		next = 0
		if ok {
			next = s.Last + 1
			l.scenario.Stages = append(l.scenario.Stages, s)
		}
	}
	if next == 0 {
		l.scenario.Stages = nil // so that nobody compares with a number of events that is wrong itself
	}
}

// stage reads one stage.
func (l *loader) stage(n ast.Node, i int, next int64) (workload.Stage, bool) {
	o, ok := l.object(n, nodeSpan(n), aStage, keysOf(aStage)...)
	if !ok {
		return workload.Stage{}, false
	}
	s := workload.Stage{Kind: ledger.Post}
	events := o.need("events")
	s.First, s.Last, ok = l.events(events)
	if ok && next > 0 && s.First != next {
		l.gap(events, i, s.First, next)
	}
	if kind := o.field("kind"); kind != nil {
		if text, ok := l.text(kind); ok {
			kinds := []string{string(ledger.Post), string(ledger.Close)}
			if l.known(word{text, kind.at}, "kind of event", "kinds", kinds) {
				s.Kind = ledger.Kind(text)
			}
		}
	}
	most := int64(mostKeys)
	if l.scenario.Keys > 0 {
		most = int64(l.scenario.Keys)
	}
	key, _ := l.number(o.field("key"), most)
	s.Key = int(key)
	if when := o.field("when"); when != nil {
		s.When = l.trigger(when, anywhere, s.First)
	}
	s.After, _ = l.duration(o.field("after"), 0)
	return s, ok
}

var eventsForm = regexp.MustCompile(`^([1-9][0-9]*)(?:-([1-9][0-9]*))?$`)

// events reads "1-6", or "7" for a single event.
func (l *loader) events(f *field) (first, last int64, ok bool) {
	if f == nil {
		return 0, 0, false
	}
	if isNull(f.value) {
		l.fail(f.at, "", "%q has no value", f.name)
		return 0, 0, false
	}
	text := plain(f.value)
	if s, quoted := stringOf(f.value); quoted {
		text = s
	}
	parts := eventsForm.FindStringSubmatch(text)
	if parts == nil {
		l.fail(f.at, "events are written 1-6, or 7 for one; they count from 1", "%q takes the numbers of events, not %s", f.name, described(f.value))
		return 0, 0, false
	}
	if parts[2] == "" {
		parts[2] = parts[1]
	}
	first, err1 := strconv.ParseInt(parts[1], 10, 64)
	last, err2 := strconv.ParseInt(parts[2], 10, 64)
	switch {
	case err1 != nil, err2 != nil, first > mostEvents, last > mostEvents:
		l.fail(f.at, "", "%q goes up to %d, not to %s", f.name, mostEvents, parts[2])
	case first > last:
		l.fail(f.at, "", "%q goes from the lower number to the higher, not from %d to %d", f.name, first, last)
	default:
		return first, last, true
	}
	return 0, 0, false
}

// gap reports a stage that does not go on where the one before ended.
func (l *loader) gap(f *field, i int, first, next int64) {
	const hint = "each stage goes on where the one before ended"
	switch {
	case i == 0:
		l.fail(f.at, "events are numbered from 1 in the order of production", "the first stage begins with event 1, not %d", first)
	case first == next+1:
		l.fail(f.at, hint, "no stage has event %d: the one before ends with %d, and this begins with %d", next, next-1, first)
	case first > next:
		l.fail(f.at, hint, "no stage has the events %d-%d: the one before ends with %d, and this begins with %d", next, first-1, next-1, first)
	default:
		l.fail(f.at, hint, "the stages overlap: the one before ends with %d, and this begins with %d", next-1, first)
	}
}

// eventWait is a trigger that waits for an event. A stage can wait only for events of the stages before it: first is its
// first event, 0 in a plan.
type eventWait struct {
	event, first int64
	at           span
}

// judgeEvents reports waits for events that never are, or not before the wait is over.
func (l *loader) judgeEvents() {
	total := l.scenario.Events()
	for _, w := range l.waits {
		switch {
		case total > 0 && w.event > total:
			l.fail(w.at, "", "there is no event %d: the input ends with %d", w.event, total)
		case w.first > 0 && w.event >= w.first:
			l.fail(w.at, "", "this stage waits for event %d, which is produced only after the wait", w.event)
		}
	}
}
