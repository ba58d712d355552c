package wire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/single-writer/chaos/workload"
)

// conn is one connection of a client.
type conn struct {
	net.Conn
	rules    *Rules
	protocol Protocol
	// of is whose it is, where all of it is one's.
	of string
	// foreign is the protocol where it has addresses to translate; pieces are what its client has sent of a unit that is not whole.
	foreign translator
	pieces  []byte
	// out and in are where messages wait that rules have made late.
	out, in gate

	mu sync.Mutex
	// sent are the requests that were sent while rules stood, by what pairs them with their answers.
	sent map[int32]sent
	// late are answers that have waited, and go to the client next.
	late []byte
	// deadline is the client's own for reading; woken tells that it was moved to make the reader look.
	deadline time.Time
	woken    bool
	// broken is why nothing more is read, closed that the client has closed it.
	broken error
	closed bool

	// Of the reader alone: what came, of which all before whole is to be handed on and all before read was; and why nothing
	// more comes. raw tells that it makes no sense as the protocol's, and is handed on as it comes.
	came        []byte
	read, whole int
	end         error
	raw         bool
}

// sent is a request as its answer finds it: armed is how many rules there had been when it was sent.
type sent struct {
	Request
	armed int
}

// lost is a request that was lost, and to whom it was sent.
type lost struct {
	unit     []byte
	to       net.Addr
	protocol Protocol
	done     func([]byte) (string, bool)
}

func newConn(c net.Conn, r *Rules, p Protocol, of string) *conn {
	w := &conn{Conn: c, rules: r, protocol: p, of: of}
	w.foreign, _ = p.(translator)
	w.out.deliver = func(b []byte) { _, _ = w.Conn.Write(b) } // its client looks at the connection itself
	w.out.idle = w.closeIfLast
	w.in.deliver = w.comesLate
	w.in.idle = func() {}
	return w
}

// Write looks at what is sent while rules stand. Clients write whole units, but through a proxy. Of a request that does not go on its
// client learns nothing here: it was written, as far as one can know.
func (c *conn) Write(p []byte) (int, error) {
	if c.foreign != nil {
		return c.writes(p)
	}
	return c.hands(p)
}

// hands hands on whole units, or what of them goes on.
func (c *conn) hands(p []byte) (int, error) {
	if c.rules.standing.Load() == 0 && !c.out.waits() {
		return c.Conn.Write(p)
	}
	if err := c.gone(); err != nil {
		return 0, err
	}
	var goes []byte
	for rest := p; len(rest) > 0; {
		n := c.protocol.unit(rest)
		if n <= 0 || n > len(rest) {
			n = len(rest)
		}
		var cut bool
		if goes, cut = c.leaves(goes, rest[:n]); cut {
			c.breaks()
			return len(p), nil
		}
		rest = rest[n:]
	}
	if len(goes) > 0 {
		c.out.pass(goes)
	}
	return len(p), nil
}

// leaves adds to what goes on what of a unit does, and tells whether the connection is to be cut in its place.
func (c *conn) leaves(goes, unit []byte) (_ []byte, cut bool) {
	var stay [][]byte
	all := true
	for m := range c.protocol.inside(unit) {
		switch c.request(m) {
		case passes:
			stay = append(stay, m)
		case taken:
			all = false
		case cuts:
			return goes, true
		}
	}
	switch {
	case all:
		return append(goes, unit...), false
	case len(stay) > 0:
		return append(goes, c.protocol.wrap(stay...)...), false
	}
	return goes, false
}

// fate is what becomes of a message.
type fate int

const (
	passes fate = iota
	taken
	cuts
)

// request decides the fate of one request.
func (c *conn) request(m []byte) fate {
	q, ok := c.protocol.describe(m)
	if !ok {
		return passes
	}
	id := c.protocol.request(m)
	r := c.rules
	r.mu.Lock()
	defer r.mu.Unlock()
	what := fmt.Sprintf("request %d of %s, %s of %d bytes,", id, c.LocalAddr(), q.Words[1], len(m))
	if a := r.walling(workload.Request, q, c, r.number); a != nil {
		c.awaits(id, sent{q, r.number})
		return c.walled(a, m, &c.out, what)
	}
	a := r.meaning(workload.Request, q, r.number)
	if a == nil {
		c.awaits(id, sent{q, r.number})
		return passes
	}
	a.strikes(a.Struck(what))
	if a.Do == workload.Delay || a.Do == workload.Hold {
		c.awaits(id, sent{q, r.number})
		a.keeps(&c.out, c.protocol.wrap(m), c.protocol.ordered())
		return taken
	}
	r.loses(q, lost{c.protocol.wrap(m), c.RemoteAddr(), c.protocol, q.Done})
	return c.takes(a)
}

// takes takes a message out.
func (c *conn) takes(a *Armed) fate {
	switch a.Do {
	case workload.Cut:
		return cuts
	case workload.Silence:
		a.silenced[c.silenced()] = true
	}
	return taken
}

// silenced is what a rule silences by silencing this connection: of one that many share all that are like it, or what its worker
// sends next would take another.
func (c *conn) silenced() *conn {
	if c.of == "" {
		return nil
	}
	return c
}

// walled is the fate of a message before a wall: a silent one keeps it, as TCP sends again until it comes through.
func (c *conn) walled(a *Armed, m []byte, g *gate, what string) fate {
	switch {
	case a.wall == nil:
		a.strikes(what + " was lost")
		return taken
	case a.wall.Silently:
		a.strikes(what + " did not get through")
		a.keeps(g, c.protocol.wrap(m), c.protocol.ordered())
		return taken
	}
	a.strikes(what + " was not sent, and its connection cut")
	return cuts
}

func (c *conn) awaits(id int32, s sent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sent == nil {
		c.sent = map[int32]sent{}
	}
	c.sent[id] = s
}

// answer decides the fate of one answer.
func (c *conn) answer(m []byte) fate {
	id := c.protocol.answer(m)
	q, ok := c.asked(id)
	switch {
	case !ok && (c.of == "" || c.rules.standing.Load() == 0):
		return passes
	case !ok: // what was under way when the first rule came: only a wall is there for it
		q = sent{Request: Request{Of: c.of, Words: workload.KafkaWords("message"), Done: nobodyKnows}}
	}
	r := c.rules
	r.mu.Lock()
	defer r.mu.Unlock()
	words, done := q.Done(m)
	what := fmt.Sprintf("the answer to request %d of %s, %s,", id, c.LocalAddr(), words)
	if a := r.walling(workload.Answer, q.Request, c, q.armed); a != nil {
		return c.walled(a, slices.Clone(m), &c.in, what)
	}
	if !done {
		return passes
	}
	a := r.meaning(workload.Answer, q.Request, q.armed)
	if a == nil {
		return passes
	}
	a.strikes(a.Struck(what))
	if a.Do == workload.Delay || a.Do == workload.Hold {
		a.keeps(&c.in, c.protocol.wrap(slices.Clone(m)), c.protocol.ordered())
		return taken
	}
	return c.takes(a)
}

func nobodyKnows([]byte) (string, bool) { return "of something sent before", false }

// asked gives the request that an answer is to, once.
func (c *conn) asked(id int32) (sent, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q, ok := c.sent[id]
	delete(c.sent, id)
	return q, ok
}

// Read hands on what the server sent, a whole unit at a time: what is taken out is taken out whole.
func (c *conn) Read(p []byte) (int, error) {
	b, err := c.next()
	n := copy(p, b)
	c.read += n
	return n, err
}

// WriteTo hands on all that the server sends, as large as it comes.
func (c *conn) WriteTo(w io.Writer) (total int64, err error) {
	for {
		b, err := c.next()
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		n, err := w.Write(b)
		c.read += n
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
}

// next waits for what is to be handed on next.
func (c *conn) next() ([]byte, error) {
	for c.read == c.whole {
		switch late := c.takeLate(); {
		case len(late) > 0:
			// What has come since lies behind what is whole, and stays there.
			c.came, c.read, c.whole = append(late, c.came[c.whole:]...), 0, len(late)
		case c.end != nil:
			return nil, c.end
		default:
			if err := c.fill(); err != nil {
				return nil, err
			}
		}
	}
	return c.came[c.read:c.whole], nil
}

// bufferSize is the least that one read from the network may take.
const bufferSize = 64 << 10

// fill reads, and looks at each unit that is whole by then. The error is that the client's deadline has passed, which ends nothing:
// it may set another, and reads on.
func (c *conn) fill() (late error) {
	c.came = append(c.came[:0], c.came[c.whole:]...)
	c.came = slices.Grow(c.came, max(bufferSize, min(c.lacks(), mostAhead)))
	c.read, c.whole = 0, 0
	n, err := c.Conn.Read(c.came[len(c.came):cap(c.came)])
	c.came = c.came[:len(c.came)+n]
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if !c.looksUp() {
			late = err
		}
		err = nil
	}
	for !c.raw && c.end == nil {
		n := c.protocol.unit(c.came[c.whole:])
		if n < 0 && c.foreign != nil {
			c.fails(errForeign)
			c.end = c.gone()
			break
		}
		if n < 0 {
			c.raw = true
			break
		}
		if n == 0 || c.whole+n > len(c.came) {
			break
		}
		c.arrives(n)
	}
	if c.end == nil {
		if broken := c.gone(); broken != nil {
			err = broken
		}
		if c.end = err; err != nil || c.raw {
			c.whole = len(c.came)
		}
	}
	return late
}

// mostAhead is how much room is made for a unit by what its length says, which may be a lie.
const mostAhead = 1 << 20

// lacks is how much the unit that has begun lacks to be whole.
func (c *conn) lacks() int {
	if c.raw {
		return 0
	}
	return c.protocol.unit(c.came) - len(c.came)
}

// arrives takes in the unit of n bytes that comes next, or what of it goes on.
func (c *conn) arrives(n int) {
	unit := c.came[c.whole : c.whole+n]
	var stay [][]byte
	all := true
	for m := range c.protocol.inside(unit) {
		if c.foreign != nil {
			other, err := c.foreign.translates(m)
			if err != nil {
				c.fails(err)
				c.end = c.gone()
				return
			}
			all = all && &other[0] == &m[0]
			m = other
		}
		switch c.answer(m) {
		case passes:
			stay = append(stay, m)
		case taken:
			all = false
		case cuts:
			c.breaks()
			c.end = c.gone()
			return
		}
	}
	var goes []byte
	switch {
	case all:
		if !c.behind() {
			c.whole += n
			return
		}
		goes = slices.Clone(unit)
	case len(stay) > 0:
		goes = c.protocol.wrap(stay...)
	}
	c.came = slices.Delete(c.came, c.whole, c.whole+n)
	if len(goes) > 0 {
		c.in.pass(goes)
	}
}
