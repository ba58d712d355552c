package clients

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/single-writer/chaos/cluster/clients/wire"
)

// connections are those of one client of Kafka, so that they can be cut all at once and for good, or one of them with a message.
type connections struct {
	wire   wire.Dialer
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
	conn, err := c.wire.DialContext(ctx, network, host)
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

// mend lets the client connect again.
func (c *connections) mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = false
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
