package history

import "fmt"

// shape accepts events one by one and refuses the first that breaks the rules of the format, which hold for every
// history whatever the cluster did: indexes without gaps, time that never falls, op ids that rise, answers that have
// their call.
type shape struct {
	next  int
	time  int64
	open  map[int64]Event
	last  int64
	ended bool
}

func newShape() *shape { return &shape{open: map[int64]Event{}} }

// Validate checks the shape of a history in memory.
func Validate(h *History) error {
	if h.Header.Schema != Schema {
		return &Malformed{Name: "history", Line: 1, Reason: fmt.Sprintf("schema %d is not supported", h.Header.Schema)}
	}
	s := newShape()
	for i, e := range h.Events {
		if err := s.accept(e); err != nil {
			// The line is that of the event's place: its index may be what is wrong.
			return &Malformed{Name: "history", Line: i + 2, Reason: err.Error()}
		}
	}
	return nil
}

func (s *shape) accept(e Event) error {
	switch {
	case s.ended:
		return fmt.Errorf("%s comes after the end", e)
	case e.Index != s.next:
		return fmt.Errorf("index %d where %d is next", e.Index, s.next)
	case e.Time < 0:
		return fmt.Errorf("time %d is before the beginning of the run", e.Time)
	case e.Time < s.time:
		return fmt.Errorf("time %d is before that of the line above, %d", e.Time, s.time)
	case e.Process == "":
		return fmt.Errorf("%s has no process", e)
	}
	if err := s.pair(e); err != nil {
		return err
	}
	s.next, s.time, s.ended = e.Index+1, e.Time, e.F == End
	return nil
}

// pair keeps the calls that are open.
func (s *shape) pair(e Event) error {
	if _, ok := vocabulary[e.F]; !ok {
		return unknown(e.F)
	}
	if !e.F.IsOp() {
		if e.Type != Note || e.Op != 0 {
			return fmt.Errorf("%s: %s is a note: its type is note and it has no op", e, e.F)
		}
		return nil
	}
	if e.Op == 0 {
		return fmt.Errorf("%s has no op: %s is an operation", e, e.F)
	}
	switch e.Type {
	case Invoke:
		if e.Op <= s.last {
			return fmt.Errorf("%s: op %d is not above the op ids before it (%d)", e, e.Op, s.last)
		}
		s.last = e.Op
		s.open[e.Op] = e
	case OK, Fail, Info:
		call, ok := s.open[e.Op]
		if !ok {
			return fmt.Errorf("%s answers op %d, which no line above calls, or which was answered before", e, e.Op)
		}
		if call.Process != e.Process || call.F != e.F {
			return fmt.Errorf("%s answers op %d, which is %s", e, e.Op, call)
		}
		if asked, said := identity(call.Value), identity(e.Value); asked != said {
			return fmt.Errorf("%s answers op %d about %s, which was called about %s", e, e.Op, said, asked)
		}
		delete(s.open, e.Op)
	default:
		return fmt.Errorf("%s: the type of an operation is invoke, ok, fail or info", e)
	}
	return nil
}
