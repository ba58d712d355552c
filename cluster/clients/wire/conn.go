package wire

import (
	"fmt"
	"net"
	"slices"
	"sync"
	"syscall"
)

// conn is one connection of a client.
type conn struct {
	net.Conn
	dialer   *Dialer
	protocol Protocol

	mu sync.Mutex
	// waiting are the requests whose answer may have to be lost, by what pairs them with it.
	waiting map[int32]waiting

	// Of the reader alone: what came, of which all before whole is whole units and all before read was handed on; and why
	// nothing more comes.
	came        []byte
	read, whole int
	end         error
}

type waiting struct {
	loss    *Loss
	applied Applied
}

// Write looks at what is sent while a loss is armed. Clients write whole units. Of a request that is lost its client
// learns nothing here: it was written, as far as one can know.
func (c *conn) Write(p []byte) (int, error) {
	if c.dialer.armed.Load() > 0 && c.look(p) {
		c.Close()
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// look tells whether what is sent is to be lost.
func (c *conn) look(p []byte) bool {
	for rest := p; ; {
		n := c.protocol.unit(rest)
		if n <= 0 || n > len(rest) {
			return false
		}
		for m := range c.protocol.inside(rest[:n]) {
			if l, applied := c.dialer.lossOf(m, true); l != nil && l.loses(lost{slices.Clone(rest[:n]), c.RemoteAddr(), c.protocol, applied},
				fmt.Sprintf("a request of %d bytes was not sent, and its connection %s cut", len(m), c.LocalAddr())) {
				return true
			}
			if l, applied := c.dialer.lossOf(m, false); l != nil {
				c.await(c.protocol.request(m), waiting{l, applied})
			}
		}
		rest = rest[n:]
	}
}

func (c *conn) await(id int32, w waiting) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = map[int32]waiting{}
	}
	c.waiting[id] = w
}

// Read hands on what the server sent, a whole unit at a time: what is to be lost is lost whole.
func (c *conn) Read(p []byte) (int, error) {
	for c.read == c.whole {
		if c.end != nil {
			return 0, c.end
		}
		c.fill()
	}
	n := copy(p, c.came[c.read:c.whole])
	c.read += n
	return n, nil
}

// bufferSize is the least that one read from the network may take.
const bufferSize = 16 << 10

// fill reads, and looks at each unit that is whole by then.
func (c *conn) fill() {
	c.came = append(c.came[:0], c.came[c.whole:]...)
	c.came = slices.Grow(c.came, bufferSize)
	c.read, c.whole = 0, 0
	n, err := c.Conn.Read(c.came[len(c.came):cap(c.came)])
	c.came = c.came[:len(c.came)+n]
	for {
		n := c.protocol.unit(c.came[c.whole:])
		if n == 0 || c.whole+n > len(c.came) {
			break
		}
		if c.loses(c.came[c.whole : c.whole+n]) {
			c.end = &net.OpError{Op: "read", Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: syscall.ECONNRESET}
			return
		}
		c.whole += n
	}
	c.end = err
}

// loses tells whether one whole unit holds an answer that is to be lost, and then cuts the connection.
func (c *conn) loses(unit []byte) bool {
	for m := range c.protocol.inside(unit) {
		id := c.protocol.answer(m)
		if l, words := c.answered(id, m); l != nil && l.settle(fmt.Sprintf(
			"the answer to request %d of %s was held back, and the connection cut: %s", id, c.LocalAddr(), words)) {
			c.Close()
			return true
		}
	}
	return false
}

// answered gives the loss that waits for this answer, if it says that what was asked was done, and what it says.
func (c *conn) answered(id int32, answer []byte) (*Loss, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, ok := c.waiting[id]
	delete(c.waiting, id)
	if !ok {
		return nil, ""
	}
	words, done := w.applied(answer)
	if !done {
		return nil, ""
	}
	return w.loss, words
}
