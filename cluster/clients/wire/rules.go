package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/single-writer/chaos/workload"
)

// Rules act upon the messages of all connections that they are given.
type Rules struct {
	// standing is how many there are; it spares messages a lock while there are none.
	standing atomic.Int32
	mu       sync.Mutex
	all      []*Armed
	// over are rules that have struck all they are for, and whose messages may be late still.
	over   []*Armed
	number int
	conns  map[*conn]bool
	// lost are the commits that were lost on their way, by whose they are: the last one of each.
	lost map[string]lost
}

// Armed is a rule, or a wall, that was armed.
type Armed struct {
	workload.Rule
	wall   *workload.Wall
	who    string
	rules  *Rules
	number int
	// seen and struck count the messages that were meant, and those that it struck.
	seen, struck int
	// proof takes what shows that it has struck; lifted is closed when it acts no more.
	proof  chan string
	lifted chan struct{}
	// kept are the messages that it has made late, silenced the connections on which it lets nothing more through.
	kept     []*kept
	silenced map[*conn]bool
}

// ErrLifted is why a rule will strike nothing more.
var ErrLifted = errors.New("the rule was lifted before it struck")

// Arm arms a rule for what is sent from now on.
func (r *Rules) Arm(who string, rule workload.Rule) (*Armed, error) {
	if err := rule.Check(); err != nil {
		return nil, err
	}
	return r.arm(&Armed{Rule: rule, who: who}), nil
}

// Wall puts up a wall. The connections of whom it is for break at once, unless it is a silent one.
func (r *Rules) Wall(who string, b workload.Wall) (*Armed, error) {
	if err := b.Check(); err != nil {
		return nil, err
	}
	a := r.arm(&Armed{wall: &b, who: who})
	if b.Silently {
		return a, nil
	}
	for _, c := range r.connectionsOf(who) {
		c.breaks()
		a.notes(fmt.Sprintf("the connection %s of %s was cut", c.LocalAddr(), c.of))
	}
	return a, nil
}

// connectionsOf are those that are known to be somebody's alone.
func (r *Rules) connectionsOf(who string) (all []*conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		if c.of != "" && workload.Of(c.of, who) {
			all = append(all, c)
		}
	}
	return all
}

func (r *Rules) arm(a *Armed) *Armed {
	a.rules, a.proof, a.lifted, a.silenced = r, make(chan string, 1), make(chan struct{}), map[*conn]bool{}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number++
	a.number = r.number
	r.all = append(r.all, a)
	r.standing.Store(int32(len(r.all)))
	return a
}

// Await waits until a message is struck for the first time, and tells what it was.
func (a *Armed) Await(ctx context.Context) (proof string, err error) {
	select {
	case proof = <-a.proof:
		return proof, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-a.lifted:
		return "", ErrLifted
	}
}

// strikes notes that a message was struck, under the lock of the rules.
func (a *Armed) strikes(proof string) {
	a.struck++
	if a.struck == 1 {
		a.proof <- proof
	}
}

func (a *Armed) notes(proof string) {
	a.rules.mu.Lock()
	defer a.rules.mu.Unlock()
	a.strikes(proof)
}

// Lift ends all rules of a name; what they hold goes on. It tells what each has done.
func (r *Rules) Lift(who string) []string {
	var told []string
	for _, a := range r.take(func(a *Armed) bool { return a.who == who }) {
		if a.wall != nil {
			told = append(told, workload.Lifted(a.wall, a.struck))
		} else {
			told = append(told, workload.Lifted(a.Rule, a.struck))
		}
		a.letGo(true)
	}
	return told
}

// Clear ends all rules of names that are meant; what they hold, or have made late, is lost.
func (r *Rules) Clear(meant func(who string) bool) {
	for _, a := range append(r.take(func(a *Armed) bool { return meant(a.who) }), r.takeOver(meant)...) {
		a.letGo(false)
	}
}

// take takes rules out.
func (r *Rules) take(meant func(*Armed) bool) []*Armed {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := takeFrom(&r.all, meant)
	r.standing.Store(int32(len(r.all)))
	for _, a := range taken {
		close(a.lifted)
	}
	return taken
}

func (r *Rules) takeOver(meant func(who string) bool) []*Armed {
	r.mu.Lock()
	defer r.mu.Unlock()
	return takeFrom(&r.over, func(a *Armed) bool { return meant(a.who) })
}

func takeFrom(all *[]*Armed, meant func(*Armed) bool) (taken []*Armed) {
	*all = slices.DeleteFunc(*all, func(a *Armed) bool {
		is := meant(a)
		if is {
			taken = append(taken, a)
		}
		return is
	})
	return taken
}

// letGo lets go what it holds, to its receiver or nowhere.
func (a *Armed) letGo(on bool) {
	a.rules.mu.Lock()
	all := a.kept
	a.kept = nil
	a.rules.mu.Unlock()
	for _, k := range all {
		k.letGo(on)
	}
}

// walling gives what lets a message not through whatever it is: a wall, or a rule that has silenced its connection; armed is how many
// there had been when its request was sent. A statement that was under way when a wall went up is answered. The lock is held, here
// and below.
func (r *Rules) walling(way workload.Way, q Request, on *conn, armed int) *Armed {
	for _, a := range r.all {
		switch {
		case !workload.Of(q.Of, a.who):
		case a.wall != nil:
			if a.wall.From == q.Words[0] && (on.of != "" || a.number <= armed) {
				return a
			}
		case a.Way == way && a.Server() == q.Words[0] && a.silenced[on.silenced()]:
			return a
		}
	}
	return nil
}

// meaning gives the rule that strikes a message, of those that were armed before its request was sent.
func (r *Rules) meaning(way workload.Way, q Request, armed int) *Armed {
	for i, a := range r.all {
		if a.wall != nil || a.Way != way || a.number > armed || a.Spent(a.seen) ||
			!slices.Contains(q.Words, a.Message) || !workload.Of(q.Of, a.who) {
			continue
		}
		a.seen++
		if a.Strikes(a.seen) {
			if a.Over(a.seen) {
				r.all = slices.Delete(r.all, i, i+1)
				r.standing.Store(int32(len(r.all)))
				if a.Do == workload.Delay {
					r.over = append(r.over, a)
				}
			}
			return a
		}
	}
	return nil
}

// loses keeps a commit that was lost on its way.
func (r *Rules) loses(q Request, l lost) {
	if q.Words[1] != "OffsetCommit" {
		return
	}
	if r.lost == nil {
		r.lost = map[string]lost{}
	}
	r.lost[q.Of] = l
}

// dials keeps whom a wall keeps out from making a connection: at once, or as long as it stands.
func (r *Rules) dials(ctx context.Context, who, addr string) error {
	for {
		a := r.wallOf(who, fmt.Sprintf("a connection of %s to %s was not made", who, addr))
		switch {
		case a == nil:
			return nil
		case !a.wall.Silently:
			return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}
		select {
		case <-a.lifted:
		case <-ctx.Done():
			return &net.OpError{Op: "dial", Net: "tcp", Err: context.Cause(ctx)}
		}
	}
}

// Walled tells whether there is a wall before somebody.
func (r *Rules) Walled(who string) bool {
	return r.wallOf(who, who+" was kept from leaving") != nil
}

// Refuses is why somebody finds no connection, for whom connections are shared with others: there is a wall before him, and no
// silent one.
func (r *Rules) Refuses(who string) error {
	if r.standing.Load() == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.all {
		if a.wall != nil && !a.wall.Silently && workload.Of(who, a.who) {
			a.strikes("a statement of " + who + " was not sent")
			return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}
	}
	return nil
}

func (r *Rules) wallOf(who, proof string) *Armed {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.all {
		if a.wall != nil && workload.Of(who, a.who) {
			a.strikes(proof)
			return a
		}
	}
	return nil
}

// wrap puts a connection under the rules.
func (r *Rules) wrap(c net.Conn, p Protocol, of string) *conn {
	w := newConn(c, r, p, of)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conns == nil {
		r.conns = map[*conn]bool{}
	}
	r.conns[w] = true
	return w
}

func (r *Rules) forget(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, c)
	for _, a := range r.all {
		delete(a.silenced, c)
	}
}
