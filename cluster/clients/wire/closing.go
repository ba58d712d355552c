package wire

import (
	"net"
	"syscall"
	"time"
)

// What a client does to its connection, or has done to it: it sets deadlines, it closes, it is cut off. The reader waits in the
// network; a deadline in the past is what makes it look up.

// past is a deadline that was missed.
var past = time.Unix(1, 0)

// comesLate hands the reader an answer that has waited.
func (c *conn) comesLate(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = append(c.late, b...)
	c.wake()
}

// wake makes the reader look up, under the lock.
func (c *conn) wake() {
	c.woken = true
	_ = c.Conn.SetReadDeadline(past) // a connection that is closed wakes its reader by itself
}

// looksUp tells whether it was woken, and gives it back its own deadline.
func (c *conn) looksUp() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	woken := c.woken
	c.woken = false
	if woken {
		_ = c.Conn.SetReadDeadline(c.deadline)
	}
	return woken
}

// takeLate gives the reader what has waited.
func (c *conn) takeLate() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	late := c.late
	c.late = nil
	return late
}

// behind tells whether what comes now has to go behind what came before.
func (c *conn) behind() bool {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.in.busy() || len(c.late) > 0
}

// SetReadDeadline sets the client's own deadline.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	if c.woken {
		return nil
	}
	return c.Conn.SetReadDeadline(t)
}

// SetDeadline sets both of the client's own.
func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetWriteDeadline(t); err != nil {
		return err
	}
	return c.SetReadDeadline(t)
}

// gone is why the connection is none any more.
func (c *conn) gone() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken
}

// breaks cuts the connection: its client is told that it broke.
func (c *conn) breaks() {
	c.ends(&net.OpError{Op: "read", Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: syscall.ECONNRESET})
}

// Close closes the connection. What is kept on its way to the server is in the network, and comes there all the same.
func (c *conn) Close() error {
	c.ends(net.ErrClosed)
	return nil
}

func (c *conn) ends(why error) {
	c.mu.Lock()
	if c.broken == nil {
		c.broken = why
	}
	c.closed = true
	c.wake()
	c.mu.Unlock()
	if !c.out.waits() {
		c.closeIfLast()
	}
}

// closeIfLast closes it in truth when nothing waits any more that its client sent.
func (c *conn) closeIfLast() {
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		_ = c.Conn.Close()
		c.rules.forget(c)
	}
}
