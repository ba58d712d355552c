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
type link struct {
	there, back time.Duration
	// on is the connection as rules see it, nil until one makes a difference to it.
	on *connection
}

// exchange is a request on its way to a server, and then its answer on the way back: one message that is carried twice.
type exchange[T any] struct {
	net      *network
	to       *server
	link     *link
	of       any
	serve    func(reply func(T))
	answered func(T)
	broken   func()
	// call is there instead of these two where its end is all that is to come of it, with its time-out.
	call   *board.Call[T]
	expiry *timer
	answer T
	// back tells that it is on its way back, cut that this is the news of a connection that broke.
	back, cut bool
}

// ask carries a request to a server and its answer back. The server's serve gets a reply function, which it may call
// later, or never; not twice. Broken is called instead of answered when the connection broke.
func ask[T any](to *server, l *link, serve func(reply func(T)), answered func(T), broken func()) {
	e := exchangeWith(to, l, serve, answered)
	e.broken = broken
	e.send()
}

func exchangeWith[T any](to *server, l *link, serve func(reply func(T)), answered func(T)) *exchange[T] {
	e := &exchange[T]{net: to.net, to: to, link: l, of: to.net.run, serve: serve, answered: answered}
	if l != nil {
		e.of = l
	}
	return e
}

// send sends it. On a link it does not arrive before the one before it on its way.
func (e *exchange[T]) send() {
	at := e.net.now + e.net.strategy.delay(flow{e.of, e.back})
	if l := e.link; l != nil {
		last := &l.there
		if e.back {
			last = &l.back
		}
		at = max(at, *last)
		*last = at
	}
	e.net.at(at, e)
}

func (e *exchange[T]) reply(answer T) {
	if e.back {
		return // The connection broke before.
	}
	e.to.answers(e)
	e.answer, e.back = answer, true
	e.send()
}

// arrive has the server deal with the request.
func (e *exchange[T]) arrive() {
	e.to.answers(e)
	if e.serve(e.reply); !e.back {
		e.to.open = append(e.to.open, e)
	}
}

func (e *exchange[T]) breaks() {
	e.back, e.cut = true, true
	e.send()
}

// happen is that it comes, unless it is kept back.
func (e *exchange[T]) happen() {
	if e.to.cutOff() {
		e.to.held = append(e.to.held, e.comes)
		return
	}
	e.comes()
}

func (e *exchange[T]) comes() {
	switch {
	case !e.back:
		e.to.hear(e)
	case e.call != nil:
		e.expiry.Stop()
		if e.cut {
			breaks(e.call)()
		} else {
			e.call.Finish(e.answer, persistence.Answered, nil)
		}
	case e.cut && e.broken != nil:
		e.broken()
	default:
		e.answered(e.answer)
	}
}

// request is a call whose answer is awaited. When none came in time its outcome is unknown: the request may have been
// applied, may yet be, or its answer is still on the way.
func request[T any](b *board.Board, to *server, l *link, timeout time.Duration, serve func(reply func(T))) *board.Call[T] {
	call := board.NewCall[T](b)
	e := exchangeWith(to, l, serve, nil)
	e.call, e.expiry = call, expire(to.net, call, timeout)
	e.send()
	return call
}

// expire ends a call without an answer after the time-out, unless it was stopped.
func expire[T any](n *network, call *board.Call[T], timeout time.Duration) *timer {
	return n.After(timeout, func() { timeOut(call) })
}

// timeOut ends a call without an answer.
func timeOut[T any](call *board.Call[T]) {
	var none T
	call.Finish(none, persistence.Unknown, &persistence.Error{Code: "timeout", Err: errNoAnswer})
}
