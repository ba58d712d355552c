package sim

import (
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload/persistence"
)

const (
	// patience is how long the rig's own questions are asked again and again: longer than a failover takes. What must not be in doubt
	// is sent for as long as nobody cares to wait any more.
	patience     = 10 * time.Second
	longPatience = 30 * time.Second
	// trying is how long an answer is awaited before the next try, backoff the pause before it (retry.backoff.ms).
	trying  = time.Second
	backoff = 100 * time.Millisecond
)

// tried is an answer, or that whoever asked should try again.
type tried[T any] struct {
	answer T
	again  bool
}

func again[T any]() tried[T] { return tried[T]{again: true} }

// insisting is a request that is sent again until it is answered.
type insisting[T any] struct {
	world *World
	link  *link
	to    func() *broker
	serve func(b *broker, reply func(tried[T]))
	call  *board.Call[T]
	until time.Duration
	// tries counts them; next is the next one.
	tries int
	next  timer
}

// insist sends a request that does no harm twice until it is answered, each time to whoever it is for by then.
func insist[T any](w *World, l *link, within time.Duration, to func() *broker, serve func(b *broker, reply func(tried[T]))) *board.Call[T] {
	i := &insisting[T]{world: w, link: l, to: to, serve: serve, call: board.NewCall[T](w.board), until: w.net.now + within}
	i.next.do = i.try
	i.try()
	return i.call
}

func (i *insisting[T]) try() {
	w, b := i.world, i.to()
	switch {
	case w.net.now >= i.until:
		timeOut(i.call)
		return
	case b == nil || !w.kafka.asked():
		w.net.set(&i.next, backoff)
		return
	}
	i.tries++
	try := i.tries
	w.net.set(&i.next, trying)
	e := exchangeWith(b.server, i.link, func(reply func(tried[T])) { i.serve(b, reply) }, func(t tried[T]) { i.came(try, t) })
	// As if it had been answered that, when its connection breaks.
	e.answer = again[T]()
	e.send()
}

// came is that a try was answered.
func (i *insisting[T]) came(try int, t tried[T]) {
	switch {
	case !t.again:
		i.next.Stop()
		i.call.Finish(t.answer, persistence.Answered, nil)
	case try == i.tries && !i.call.Done():
		i.world.net.set(&i.next, backoff)
	}
}
