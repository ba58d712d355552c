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
	ok := w.board.Await(within, func() bool { return w.fired })
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
	return p.at, p.inside, true
}

// Where says of each process where it stands, for messages about something that did not happen.
func (b *Board) Where() string {
	var parts []string
	for _, p := range b.processes {
		s := p.name
		switch {
		case p.at == "":
			s += " reached no point"
		case p.held:
			s += " held in " + p.at
		case p.inside:
			s += " inside " + p.at
		default:
			s += " after " + p.at
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

// Stuck tells of a process that has had the baton since the last look, when turns is what that look returned.
func (b *Board) Stuck(turns int64) (now int64, process string) {
	now = b.turns.Load()
	if p := b.turn.Load(); p != nil && now == turns {
		return now, fmt.Sprintf("%s, last point %q", p.name, p.at)
	}
	return now, ""
}
