package reports

import (
	"fmt"
	"strings"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
)

// Line is one line of the short story.
type Line struct {
	At   time.Duration
	Who  string
	Text string
	// Marks are the properties that this moment is a witness of.
	Marks []string
}

// Story tells a run in a few lines: who owned what, what each came to, what was done to them, and where it broke.
func Story(r Run) []Line {
	t := &teller{run: r, marks: marks(r.Report), at: map[string]*chapter{}, events: eventIDs(r.History)}
	for _, e := range r.History.Events {
		t.tell(e)
	}
	t.close()
	return t.lines
}

// marks gives, by event, the properties whose witness ends there: the moment at which each broke.
func marks(rep checker.Report) map[int][]string {
	out := map[int][]string{}
	for _, p := range rep.Properties {
		if p.Verdict != checker.Fail {
			continue
		}
		last := -1
		for _, w := range p.Witness {
			// Records are read at the end, long after what they prove.
			if !strings.HasPrefix(w.Text, "record ") {
				last = max(last, w.Index)
			}
		}
		out[last] = append(out[last], p.Property)
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

// chapter is what one worker has done since something was last told of it.
type chapter struct {
	began             time.Duration
	who               string
	owns, found       string
	first, last       int64
	stored, committed string
	marks             []string
}

type teller struct {
	run    Run
	marks  map[int][]string
	events map[place]int64
	at     map[string]*chapter
	order  []string
	lines  []Line
}

func (t *teller) tell(e history.Event) {
	now := time.Duration(e.Time)
	switch v := e.Value.(type) {
	case *history.PointReached:
		t.point(e, v)
	case *history.Write:
		t.write(e, v)
	case *history.OffsetCommit:
		t.commit(e, v)
	case *history.RowRead:
		if v.Purpose == history.ForRecovery && e.Type == history.OK {
			c := t.chapter(e)
			c.found = "recovers nothing"
			if v.Row != nil && v.Row.State != nil {
				c.found = fmt.Sprintf("recovers @%s", v.Row.Offset)
			} else if v.Row != nil {
				c.found = fmt.Sprintf("recovers a tombstone @%s", v.Row.Offset)
			}
		}
	case *history.Eviction:
		t.close()
		t.add(now, "-", fmt.Sprintf("coordinator: %s is out of the group", v.Target), t.marks[e.Index])
	case *history.FaultDone:
		t.fault(e, v)
	case *history.LifeEvent:
		if v.Status == "failed" {
			t.close()
			t.add(now, worker(e.Process), "fails and restarts: "+v.Error, t.marks[e.Index])
		}
	case *history.PlanStep:
		if v.Status == "timeout" {
			t.close()
			t.add(now, "-", "waited in vain: "+v.Detail, nil)
		}
	}
	if c, ok := t.at[e.Process]; ok {
		c.marks = append(c.marks, t.marks[e.Index]...)
	}
}

func (t *teller) chapter(e history.Event) *chapter {
	c, ok := t.at[e.Process]
	if !ok {
		c = &chapter{began: time.Duration(e.Time), who: worker(e.Process), first: -1}
		t.at[e.Process] = c
		t.order = append(t.order, e.Process)
	}
	return c
}

func (t *teller) point(e history.Event, v *history.PointReached) {
	switch v.Point {
	case "assigned":
		c := t.chapter(e)
		c.owns = fmt.Sprintf("owns p%d (generation %d)", v.Partition, v.Generation)
	case "folded":
		c := t.chapter(e)
		id := t.events[place{v.Partition, v.Offset.N}]
		if c.first < 0 {
			c.first = id
		}
		c.last = id
	case "revoked", "lost":
		t.close()
		t.add(time.Duration(e.Time), worker(e.Process), fmt.Sprintf("p%d is %s", v.Partition, v.Point), nil)
	}
}

func (t *teller) write(e history.Event, v *history.Write) {
	if e.Type == history.Invoke {
		return
	}
	c := t.chapter(e)
	verb := map[history.F]string{history.Persist: "stores", history.Delete: "deletes"}[e.F]
	switch e.Type {
	case history.OK:
		c.stored = fmt.Sprintf("%s @%d", verb, v.Offset)
	case history.Fail:
		c.stored = fmt.Sprintf("%s @%d, is refused (%s", e.F, v.Offset, v.Code)
		if v.Stored.Known {
			c.stored += fmt.Sprintf(", stored %d", v.Stored.N)
		}
		c.stored += ")"
	case history.Info:
		c.stored = fmt.Sprintf("%s @%d, outcome unknown (%s)", e.F, v.Offset, v.Code)
	}
}

func (t *teller) commit(e history.Event, v *history.OffsetCommit) {
	switch e.Type {
	case history.OK:
		t.chapter(e).committed = fmt.Sprintf("commits %d", v.Offset)
	case history.Fail:
		t.chapter(e).committed = fmt.Sprintf("commit of %d is refused: %s", v.Offset, v.Code)
	case history.Info:
		t.chapter(e).committed = fmt.Sprintf("commit of %d, outcome unknown", v.Offset)
	}
}

func (t *teller) fault(e history.Event, v *history.FaultDone) {
	if v.Phase != "done" || v.Fault == "start" {
		return
	}
	now := time.Duration(e.Time)
	switch v.Fault {
	case "probe":
		return
	case "hold":
		t.close()
		_, where, _ := strings.Cut(v.Proof, " stands in ")
		t.add(now, v.Target, fmt.Sprintf("is held at %s", where), nil)
	case "release":
		t.close()
		t.add(now, v.Target, "is released", nil)
	case "stop", "kill":
		t.close()
		t.add(now, v.Target, map[string]string{"stop": "is stopped", "kill": "is killed"}[v.Fault], nil)
	default:
		t.close()
		t.add(now, v.Target, v.Fault, nil)
	}
}

// close tells what every worker has come to.
func (t *teller) close() {
	for _, p := range t.order {
		c := t.at[p]
		if s := c.text(); s != "" {
			t.add(c.began, c.who, s, c.marks)
		}
	}
	t.at, t.order = map[string]*chapter{}, nil
}

func (c *chapter) text() string {
	var parts []string
	for _, s := range []string{c.owns, c.found} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	switch {
	case c.first < 0:
	case c.first == c.last:
		parts = append(parts, fmt.Sprintf("folds event %d", c.first))
	default:
		parts = append(parts, fmt.Sprintf("folds %d-%d", c.first, c.last))
	}
	for _, s := range []string{c.stored, c.committed} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

func (t *teller) add(at time.Duration, who, text string, marks []string) {
	t.lines = append(t.lines, Line{At: at, Who: who, Text: text, Marks: marks})
}
