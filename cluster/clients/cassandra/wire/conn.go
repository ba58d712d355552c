package wire

import (
	"bytes"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
)

// conn is one connection of a driver's.
type conn struct {
	net.Conn
	dialer    *Dialer
	segmented atomic.Bool

	mu sync.Mutex
	// waiting are the streams whose answer may have to be lost.
	waiting map[int16]*Loss

	// Of the reader alone: what came, of which all before whole is whole units and all before read was handed on; and why
	// nothing more comes.
	came        []byte
	read, whole int
	end         error
}

// Write looks at what is sent while a loss is armed. A driver writes whole frames, or whole segments.
func (c *conn) Write(p []byte) (int, error) {
	if c.dialer.armed.Load() > 0 {
		c.look(p)
	}
	return c.Conn.Write(p)
}

func (c *conn) look(p []byte) {
	segmented := c.segmented.Load()
	if n := unit(p, segmented); n == 0 || n > len(p) {
		return
	}
	for f := range inside(p, segmented) {
		if l := c.dialer.lossOf(f); l != nil {
			c.mu.Lock()
			if c.waiting == nil {
				c.waiting = map[int16]*Loss{}
			}
			c.waiting[f.stream()] = l
			c.mu.Unlock()
		}
	}
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
		segmented := c.segmented.Load()
		n := unit(c.came[c.whole:], segmented)
		if n == 0 || c.whole+n > len(c.came) {
			break
		}
		if c.loses(c.came[c.whole:c.whole+n], segmented) {
			c.end = &net.OpError{Op: "read", Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: syscall.ECONNRESET}
			return
		}
		c.whole += n
	}
	c.end = err
}

// loses tells whether one whole unit holds an answer that is to be lost, and then cuts the connection.
func (c *conn) loses(b []byte, segmented bool) bool {
	for f := range inside(b, segmented) {
		if f.opens() {
			c.segmented.Store(true)
		}
		if l := c.answered(f); l != nil && l.settle(c.proof(f)) {
			c.Close()
			return true
		}
	}
	return false
}

// answered gives the loss that waits for an answer of this stream, if the answer says that the write took effect.
func (c *conn) answered(f frame) *Loss {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.waiting[f.stream()]
	delete(c.waiting, f.stream())
	if l == nil || !f.applied() {
		return nil
	}
	return l
}

func (c *conn) proof(f frame) string {
	return fmt.Sprintf("the answer to stream %d of %s was held back, and the connection cut: RESULT of %d bytes, %q", f.stream(),
		c.LocalAddr(), len(f.body()), bytes.TrimSpace(f.body()))
}
