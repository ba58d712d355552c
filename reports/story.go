package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
)

// Line is one line of the short story.
type Line struct {
	At time.Duration
	// From and To are the first and the last line of the history that it is taken from.
	From, To int
	Who      string
	Text     string
	// Marks are the properties that this moment is a witness of.
	Marks []string
}

// Lines says from where in the history it is taken.
func (l Line) Lines() string {
	if l.From == l.To {
		return strconv.Itoa(l.From)
	}
	return fmt.Sprintf("%d-%d", l.From, l.To)
}

// Story tells a run in a few lines: who owned what, what each came to, what was done to them, and where it broke.
func Story(r Run) []Line {
	t := &teller{
		run: r, marks: r.marks(), at: map[string]*chapter{}, events: eventIDs(r.History),
		stands: map[string]*history.PointReached{},
	}
	for _, e := range r.History.Events {
		t.tell(e)
	}
	t.close()
	return t.lines
}

// A story of more lines than longest is cut in its middle: a worker that is refused again and again makes thousands.
const (
	longest = 40
	opening = 20
	finale  = 12
)

// short leaves out the middle of a long story, but for what breaks there. Where something is left out stands a line
// without text, whose From is how many they are.
func short(all []Line) []Line {
	if len(all) <= longest {
		return all
	}
	var out []Line
	left := 0
	for i, l := range all {
		if i >= opening && i < len(all)-finale && len(l.Marks) == 0 {
			left++
			continue
		}
		if left > 0 {
			out = append(out, Line{From: left})
			left = 0
		}
		out = append(out, l)
	}
	return out
}

// eventIDs gives the number of the event at each place of the log.
func eventIDs(h *history.History) map[place]int64 {
	out := map[place]int64{}
	for _, e := range h.Events {
		switch v := e.Value.(type) {
		case *history.InputRecord:
			out[place{v.Partition, v.Offset}] = v.Event.ID
		case *history.Produced:
			if v.Offset.Known {
				out[place{v.Partition, v.Offset.N}] = v.Event.ID
			}
		}
	}
	return out
}

type place struct {
	partition int32
	offset    int64
}

type teller struct {
	run    Run
	marks  map[int]mark
	events map[place]int64
	// stands is the point that each process reached last.
	stands map[string]*history.PointReached
	at     map[string]*chapter
	order  []string
	lines  []Line
}

func (t *teller) tell(e history.Event) {
	told := len(t.lines)
	switch v := e.Value.(type) {
	case *history.PointReached:
		t.stands[e.Process] = v
		t.point(e, v)
	case *history.Write:
		t.write(e, v)
	case *history.OffsetCommit:
		t.commit(e, v)
	case *history.RowRead:
		t.found(e, v)
	case *history.Recovery:
		t.made(e, v)
	case *history.Eviction:
		t.add(e, "-", fmt.Sprintf("coordinator: %s is out of the group", v.Target))
	case *history.FaultDone:
		t.fault(e, v)
	case *history.LifeEvent:
		if v.Status == "failed" {
			t.add(e, history.WorkerOf(e.Process), "fails and restarts: "+v.Error)
		}
	case *history.PlanStep:
		if v.Status == "timeout" {
			_, where, _ := strings.Cut(v.Detail, "; ")
			t.add(e, "-", strings.TrimSuffix(fmt.Sprintf("step %d of the %s gives up: %s", v.Step, v.Of, where), ": "))
		}
	}
	t.mark(e, len(t.lines) > told)
}

// mark puts what broke at an event where the event is told of: in its own line, or in what its process is doing. An event
// of which the story tells nothing else gets a line for it.
func (t *teller) mark(e history.Event, told bool) {
	m, ok := t.marks[e.Index]
	switch c := t.at[history.LifeOf(e.Process)]; {
	case !ok:
	case told:
		last := &t.lines[len(t.lines)-1]
		last.Marks = append(last.Marks, m.properties...)
	case c != nil:
		c.marks, c.to = append(c.marks, m.properties...), max(c.to, e.Line())
		if slices.Contains(m.properties, checker.Loud) {
			c.troubled("still recovers when it has to poll, and says nothing")
		}
	default:
		text := m.text
		if e.F == history.End && !t.run.Expected {
			text = "the run ended" // why it did so is in the witness
		}
		t.add(e, history.WorkerOf(e.Process), strings.TrimPrefix(text, e.Process+" "))
		t.mark(e, true)
	}
}

func (t *teller) chapter(e history.Event) *chapter {
	life := history.LifeOf(e.Process)
	c, ok := t.at[life]
	if !ok {
		c = &chapter{began: time.Duration(e.Time), from: e.Line(), who: history.WorkerOf(e.Process), first: -1}
		t.at[life] = c
		t.order = append(t.order, life)
	}
	c.to = e.Line()
	return c
}

func (t *teller) point(e history.Event, v *history.PointReached) {
	switch v.Point {
	case history.PointAssigned:
		c := t.chapter(e)
		c.own(v.Partition, v.Generation)
	case history.PointFolded:
		c := t.chapter(e)
		id := t.events[place{v.Partition, v.Offset.N}]
		if c.first < 0 {
			c.first = id
		}
		c.last = id
	case history.PointRevoked, history.PointLost:
		t.add(e, history.WorkerOf(e.Process), fmt.Sprintf("p%d is %s", v.Partition, v.Point))
	}
}

func (t *teller) found(e history.Event, v *history.RowRead) {
	if v.Purpose != history.ForRecovery || e.Type != history.OK {
		return
	}
	c := t.chapter(e)
	c.recovered++
	switch {
	case v.Row == nil:
		c.found = "nothing"
	case v.Row.State != nil:
		c.found, c.states = fmt.Sprintf("@%s", v.Row.Offset), c.states+1
	default:
		c.found = fmt.Sprintf("a tombstone @%s", v.Row.Offset)
	}
}

// made tells what a recovery from events made of its keys, instead of what their rows are.
func (t *teller) made(e history.Event, v *history.Recovery) {
	if e.Type != history.OK || len(v.States) == 0 {
		return
	}
	c := t.chapter(e)
	c.recovered, c.states = len(v.States), 0
	for _, k := range v.States {
		switch {
		case k.State != nil:
			c.states++
			c.found = fmt.Sprintf("@%d of its events", k.State.Offset)
		case k.Floor.Known:
			c.found = fmt.Sprintf("none of its events above a floor @%s", k.Floor)
		default:
			c.found = "no events"
		}
	}
}

// tag tags an offset with its partition, where there is more than one: offsets of different ones tell nothing together.
func (t *teller) tag(partition int32) string {
	if t.run.History.Header.Input.Partitions <= 1 {
		return ""
	}
	return fmt.Sprintf(" of p%d", partition)
}

func (t *teller) write(e history.Event, v *history.Write) {
	if e.Type == history.Invoke {
		return
	}
	c := t.chapter(e)
	switch e.Type {
	case history.OK:
		verb := map[history.F]string{history.Persist: "stores", history.Delete: "deletes"}[e.F]
		c.stored = fmt.Sprintf("%s @%d%s", verb, v.Offset, t.tag(v.Partition))
		if v.Settled == history.SettledOwn {
			c.troubled(fmt.Sprintf("%s @%d is refused by its own write, as reading the row shows", e.F, v.Offset))
		}
	case history.Fail:
		verb, why := "fails", v.Code
		if v.Code == history.CodeCondition {
			verb = "is refused"
		}
		if v.Stored.Known {
			why += fmt.Sprintf(", stored @%d", v.Stored.N)
		}
		c.troubled(fmt.Sprintf("%s @%d%s %s (%s)", e.F, v.Offset, t.tag(v.Partition), verb, why))
	case history.Info:
		c.troubled(fmt.Sprintf("%s @%d has an unknown outcome (%s)", e.F, v.Offset, v.Code))
	}
}

func (t *teller) commit(e history.Event, v *history.OffsetCommit) {
	switch e.Type {
	case history.OK:
		t.chapter(e).committed = fmt.Sprintf("commits %d%s", v.Offset, t.tag(v.Partition))
	case history.Fail:
		t.chapter(e).troubled(fmt.Sprintf("commit of %d is refused (%s)", v.Offset, v.Code))
	case history.Info:
		t.chapter(e).troubled(fmt.Sprintf("commit of %d has an unknown outcome", v.Offset))
	}
}

func (t *teller) fault(e history.Event, v *history.FaultDone) {
	if v.Phase != history.PhaseDone {
		return
	}
	if v.Server != "" {
		t.add(e, "-", struck(v))
		return
	}
	if said := onWire(v); said != "" {
		t.add(e, v.Target, said)
		return
	}
	switch v.Fault {
	case history.FaultStart, history.FaultProbe:
	case history.FaultHold:
		// The worker, or the task of it: "a/1/flush stands in persist-sent @2".
		process, where, _ := strings.Cut(v.Proof, " stands in ")
		t.add(e, v.Target, "is held at "+where+t.event(process))
	case history.FaultRelease:
		t.add(e, v.Target, "is released")
	case history.FaultStop:
		t.add(e, v.Target, "is stopped")
	case history.FaultKill:
		t.add(e, v.Target, "is killed")
	case history.FaultLoseAnswer:
		t.add(e, v.Target, "is not told that its write was applied: the answer is lost")
	case history.FaultLoseWrite:
		t.add(e, v.Target, "is not told that its write was never made: the request is lost")
	case history.FaultLoseCommit:
		t.add(e, v.Target, "is not told that its commit was never made: the request is lost")
	case history.FaultDeliver:
		t.add(e, v.Target, "the commit that was lost comes late: "+v.Proof)
	case history.FaultLoseCommitAnswer:
		t.add(e, v.Target, "is not told that its commit was accepted: the answer is lost")
	case history.LostRequest, history.LostAnswer:
		t.add(e, v.Target, v.Proof)
	case history.FaultFail:
		t.add(e, v.Target, "is made to fail")
	case history.FaultLose:
		t.add(e, v.Target, "loses the answer that it awaits")
	case history.FaultUnreachable:
		t.add(e, v.Target, "cannot reach the store for once")
	case history.FaultPhantom:
		t.add(e, v.Target, "is to meet a row that lives for a moment at its next first write")
	case history.FaultReap:
		t.add(e, "-", v.Target+": its row is gone, as at the end of its TTL")
	case history.FaultExpire:
		t.add(e, "-", v.Target+": offset and value of its row expire")
	default:
		t.add(e, v.Target, v.Fault)
	}
}

// event says which event the point that a process stands in is about: offsets count from 0, events from 1 and over all
// partitions, and a commit names the offset after its last.
func (t *teller) event(process string) string {
	v := t.stands[process]
	if v == nil || !v.Offset.Known {
		return ""
	}
	at, word := place{v.Partition, v.Offset.N}, "event"
	if history.OffsetAt(v.Point) == history.NextOffset {
		switch v.Point {
		case history.PointBeforeCommit, history.PointCommitSent, history.PointCommitAnswered:
			at.offset--
			word = "up to event"
		default:
			return "" // where it starts to read, or nothing of its own
		}
	}
	id, ok := t.events[at]
	if !ok {
		return ""
	}
	return fmt.Sprintf(" (%s %d)", word, id)
}

// close tells what every worker has come to.
func (t *teller) close() {
	for _, p := range t.order {
		c := t.at[p]
		if s := c.text(); s != "" {
			t.lines = append(t.lines, Line{At: c.began, From: c.from, To: c.to, Who: c.who, Text: s, Marks: c.marks})
		}
	}
	t.at, t.order = map[string]*chapter{}, nil
}

// add tells one moment, after what every worker has come to by then.
func (t *teller) add(e history.Event, who, text string) {
	t.close()
	t.lines = append(t.lines, Line{At: time.Duration(e.Time), From: e.Line(), To: e.Line(), Who: who, Text: text})
}
