// Package wire is the way between a driver and Cassandra, on which an answer can be lost: the request arrives, the server does
// what it asks, and the connection breaks before the driver is told. It is the one network fault that needs nothing but the
// rig's own process, as the driver's connections are made here.
package wire

import (
	"bytes"
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"
)

// Dialer makes the connections of a driver.
type Dialer struct {
	net.Dialer
	// armed is how many losses wait for their request; it spares the others a lock.
	armed  atomic.Int32
	mu     sync.Mutex
	losses []*Loss
}

// DialContext connects.
func (d *Dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := d.Dialer.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, dialer: d}, nil
}

// Loss is one answer that is to be lost.
type Loss struct {
	dialer *Dialer
	mark   []byte
	// proof takes one: whoever puts it in has decided that the answer is lost, or that none will be.
	proof chan string
}

// Lose arms the loss of one answer: of the next that says that a write took effect whose request holds the mark. The whole
// connection is cut with it, so that others who wait on it lose theirs too, as they do when any connection breaks.
func (d *Dialer) Lose(mark string) *Loss {
	l := &Loss{d, []byte(mark), make(chan string, 1)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.losses = append(d.losses, l)
	d.armed.Add(1)
	return l
}

// Await waits until the answer is lost, and tells what was held back. When the context ends before, none will be.
func (l *Loss) Await(ctx context.Context) (proof string, err error) {
	defer l.dialer.disarm(l)
	select {
	case proof = <-l.proof:
		return proof, nil
	case <-ctx.Done():
		if l.settle("") {
			return "", context.Cause(ctx)
		}
		return <-l.proof, nil
	}
}

// settle tells whether it is the caller who decides what becomes of the loss.
func (l *Loss) settle(proof string) bool {
	select {
	case l.proof <- proof:
		return true
	default:
		return false
	}
}

func (d *Dialer) disarm(l *Loss) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.losses, l); i >= 0 {
		d.losses = slices.Delete(d.losses, i, i+1)
		d.armed.Add(-1)
	}
}

// lossOf gives the loss that a request is meant by.
func (d *Dialer) lossOf(f frame) *Loss {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.losses {
		if bytes.Contains(f.body(), l.mark) {
			return l
		}
	}
	return nil
}
