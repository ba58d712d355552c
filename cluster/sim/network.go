package sim

import (
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload/persistence"
)

// The time that a message takes: between these two, drawn evenly. They are short against every time-out of the catalogue,
// so that a seed changes the order of things and never what a scenario is about.
const (
	minDelay = 50 * time.Microsecond
	maxDelay = 2 * time.Millisecond
)

// network carries messages. Those of one link arrive in the order in which they were sent, like the bytes of one
// connection; those of different links overtake each other.
type network struct {
	*scheduler
	links map[string]time.Duration
}

func newNetwork(s *scheduler) *network { return &network{s, map[string]time.Duration{}} }

// send runs arrive when the message arrives. An empty link keeps no order, as the streams of a CQL connection do not.
func (n *network) send(link string, arrive func()) {
	at := n.now + minDelay + time.Duration(n.rng.Int64N(int64(maxDelay-minDelay)))
	if link != "" {
		at = max(at, n.links[link])
		n.links[link] = at
	}
	n.After(at-n.now, arrive)
}

// request sends a request to a server and its answer back. The server's serve gets a reply function, which it may call
// later, or never. When no answer came in time the outcome is unknown: the request may have been applied.
func request[T any](b *board.Board, n *network, link string, timeout time.Duration, serve func(reply func(T))) *board.Call[T] {
	call := board.NewCall[T](b)
	expiry := n.After(timeout, func() {
		var none T
		call.Finish(none, persistence.Unknown, &persistence.Error{Code: "timeout", Err: errNoAnswer})
	})
	n.send(link, func() {
		serve(func(answer T) {
			back := ""
			if link != "" {
				back = link + "<"
			}
			n.send(back, func() {
				expiry.Stop()
				call.Finish(answer, persistence.Answered, nil)
			})
		})
	})
	return call
}
