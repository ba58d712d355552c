package clients

import (
	"context"
	"errors"
	"net"
	"sync"
)

// connections are those of one client, so that they can be cut all at once and for good.
type connections struct {
	mu     sync.Mutex
	open   []net.Conn
	closed bool
}

// errSevered is why a severed client cannot connect.
var errSevered = errors.New("the client was cut off")

func (c *connections) dial(ctx context.Context, network, host string) (net.Conn, error) {
	if c.isCut() {
		return nil, errSevered
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, host)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errors.Join(errSevered, conn.Close())
	}
	c.open = append(c.open, conn)
	return conn, nil
}

func (c *connections) isCut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

func (c *connections) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, conn := range c.open {
		conn.Close()
	}
	c.open = nil
}
