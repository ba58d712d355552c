package board

import "github.com/single-writer/chaos/history"

// Order decides in which order the events of a run come: a run that was recorded, done again. Turn and Leave are asked again
// whenever something may have changed, and have no effects.
type Order interface {
	// Arrive says that a process is about to record an event, and asks whether that has its turn.
	Arrive(e history.Event) bool
	// Turn tells whether it may now, Leave whether it may go on from the point that it stands in.
	Turn(process string) bool
	Leave(process string) bool
	// Came says that an event was recorded.
	Came(e history.Event)
}

// Follow makes the run follow an order, from now on.
func (b *Board) Follow(o Order) { b.order = o }

// arrive waits for the process's turn to record something.
func (p *Process) arrive(t history.Type, f history.F, value any) {
	o := p.board.order
	if o == nil {
		return
	}
	if o.Arrive(history.Event{Time: int64(p.board.engine.Now()), Process: p.name, Type: t, F: f, Value: value}) {
		p.board.await(Forever, "its turn", func() bool { return o.Turn(p.name) })
	}
}

// Asks tells whether a process has sent a request that is not answered yet.
func (b *Board) Asks(process string) bool {
	p, ok := b.Find(process)
	return ok && p.asked != nil && !p.asked.Done()
}
