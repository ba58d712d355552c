package sim

import (
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload/persistence"
)

// The time that a message takes: between these two, as the strategy draws it. They are short against every time-out of the catalogue,
// so that a seed changes the order of things and never what a scenario is about.
const (
	minDelay = 50 * time.Microsecond
	maxDelay = 2 * time.Millisecond
)

// network carries messages.
type network struct{ *scheduler }

// link is one connection. What is sent on it arrives in the order in which it was sent, each way; messages of different
// links overtake each other. Requests without a link keep no order, as the streams of a CQL connection do not.
type link struct{ there, back time.Duration }

// ask carries a request to a server and its answer back. The server's serve gets a reply function, which it may call
// later, or never.
func ask[T any](n *network, l *link, serve func(reply func(T)), answered func(T)) {
	var there, back *time.Duration
	var of any = n.run
	if l != nil {
		there, back, of = &l.there, &l.back, l
	}
	n.send(flow{of, false}, there, func() {
		serve(func(answer T) {
			n.send(flow{of, true}, back, func() { answered(answer) })
		})
	})
}

// send runs arrive when a message arrives; last is when the one before it on its way does.
func (n *network) send(of flow, last *time.Duration, arrive func()) {
	at := n.now + n.strategy.delay(of)
	if last != nil {
		at = max(at, *last)
		*last = at
	}
	n.After(at-n.now, arrive)
}

// request is a call whose answer is awaited. When none came in time its outcome is unknown: the request may have been
// applied, may yet be, or its answer is still on the way.
func request[T any](b *board.Board, n *network, l *link, timeout time.Duration, serve func(reply func(T))) *board.Call[T] {
	call := board.NewCall[T](b)
	expiry := expire(n, call, timeout)
	ask(n, l, serve, func(answer T) {
		expiry.Stop()
		call.Finish(answer, persistence.Answered, nil)
	})
	return call
}

// expire ends a call without an answer after the time-out, unless it was stopped.
func expire[T any](n *network, call *board.Call[T], timeout time.Duration) *timer {
	return n.After(timeout, func() {
		var none T
		call.Finish(none, persistence.Unknown, &persistence.Error{Code: "timeout", Err: errNoAnswer})
	})
}
