package board

import (
	"fmt"
	"strings"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// Watch waits for the first event that matches. When that is a point, its process stays inside it until Done.
type Watch struct {
	board   *Board
	match   func(history.Event) bool
	fired   bool
	event   history.Event
	holding *Process
}

// Watch arms a watch: it sees only what is recorded from now on.
func (b *Board) Watch(match func(history.Event) bool) workload.Watch {
	w := &Watch{board: b, match: match}
	b.watches = append(b.watches, w)
	return w
}

func (w *Watch) offer(e history.Event, p *Process) {
	if w.fired || !w.match(e) {
		return
	}
	w.fired, w.event = true, e
	if e.F == history.Point {
		w.holding = p
	}
}

// Await waits for the moment.
func (w *Watch) Await(within time.Duration) (history.Event, bool) {
	ok := w.board.await(within, "a moment", func() bool { return w.fired })
	return w.event, ok
}

// Done disarms the watch and lets the process that it stopped go on.
func (w *Watch) Done() {
	for i, v := range w.board.watches {
		if v == w {
			w.board.watches = append(w.board.watches[:i:i], w.board.watches[i+1:]...)
			return
		}
	}
}

// watched tells whether a watch keeps the process in its point.
func (b *Board) watched(p *Process) bool {
	for _, w := range b.watches {
		if w.holding == p {
			return true
		}
	}
	return false
}

// Hold keeps a process, and the tasks inside it, in the point that each stands in or comes to next.
func (b *Board) Hold(name string) { b.each(name, func(p *Process) { p.held = true }) }

// Release lets them go on.
func (b *Board) Release(name string) { b.each(name, func(p *Process) { p.held = false }) }

// Unwind makes a process, and the tasks inside it, end without doing anything more.
func (b *Board) Unwind(name string) { b.each(name, func(p *Process) { p.doomed = true }) }

func (b *Board) each(name string, do func(*Process)) {
	for _, p := range b.processes {
		if p.family(name) {
			do(p)
		}
	}
}

// Standing tells where a process is: whether it still runs, and whether it stands inside the point that it reached last.
func (b *Board) Standing(name string) (point string, inside, running bool) {
	p, ok := b.Find(name)
	if !ok {
		return "", false, false
	}
	return p.last(), p.inside, true
}

// Held tells whether a process is held, in its point or at the next that it comes to.
func (b *Board) Held(name string) bool {
	p, ok := b.Find(name)
	return ok && p.held
}

// Where says of each worker where it stands, for messages about something that did not happen: of its life and the tasks
// inside it, or of its last life when that has ended.
func (b *Board) Where() string {
	var parts []string
	running := map[string]bool{}
	for _, p := range b.processes {
		if strings.Contains(p.name, "/") {
			running[history.WorkerOf(p.name)] = true
			parts = append(parts, p.name+" "+p.stands())
		}
	}
	for _, p := range b.past {
		if !running[history.WorkerOf(p.name)] {
			parts = append(parts, p.name+" has ended, "+p.after())
		}
	}
	if len(parts) == 0 {
		return "no worker was started"
	}
	return strings.Join(parts, ", ")
}

// Waiting says of every process, also the rig's own, where it stands and what it waits for: for a world that is stuck.
func (b *Board) Waiting() string {
	var parts []string
	for _, p := range b.processes {
		switch {
		case p.inside:
			parts = append(parts, p.name+" "+p.stands())
		default:
			parts = append(parts, fmt.Sprintf("%s waits for %s, %s", p.name, p.waits, p.after()))
		}
	}
	return strings.Join(parts, "; ")
}

// stands says where a process that has not ended is.
func (p *Process) stands() string {
	s := p.after()
	switch {
	case p.inside && p.held:
		return "held in " + p.last()
	case p.inside && p.board.watched(p):
		return "stopped in " + p.last() + " by a step that is not done"
	case p.inside:
		return "inside " + p.last()
	case p.held:
		s += ", to be held at the next point"
	}
	return s
}

func (p *Process) after() string {
	if last := p.last(); last != "" {
		return "after " + last
	}
	return "before its first point"
}

// Stuck tells of a process that has had the baton since the last look, when turns is what that look returned.
func (b *Board) Stuck(turns int64) (now int64, process string) {
	now = b.turns.Load()
	if p := b.turn.Load(); p != nil && now == turns {
		return now, fmt.Sprintf("%s, last point %q", p.name, p.last())
	}
	return now, ""
}
