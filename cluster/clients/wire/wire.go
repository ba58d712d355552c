// Package wire is the way between a client and its server, on which a message can be lost: a request, which then is never done,
// or an answer, which comes after the server has done what was asked. In both cases the connection breaks, and the client is
// told that and no more. It is the one network fault that needs nothing but the rig's own process, as the connections are
// made here.
package wire

import (
	"context"
	"errors"
	"iter"
	"net"
	"slices"
	"sync"
	"sync/atomic"
)

// Protocol is how messages lie on one connection.
type Protocol interface {
	// unit is the length of the unit that the bytes begin with, which is handed on as a whole; 0 when they are too few to say.
	unit(b []byte) int
	// inside gives the messages of one whole unit.
	inside(b []byte) iter.Seq[[]byte]
	// request and answer give what pairs the two on a connection.
	request(m []byte) int32
	answer(m []byte) int32
}

// Match tells whether a request is meant, and how to tell that an answer says that it was done.
type Match func(request []byte) (Applied, bool)

// Applied tells whether an answer says that what was asked was done, and what it says.
type Applied func(answer []byte) (words string, ok bool)

// Dialer makes the connections of a client.
type Dialer struct {
	net.Dialer
	// Protocol makes what each connection speaks.
	Protocol func() Protocol
	// armed is how many losses wait for their message; it spares the others a lock.
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
	return &conn{Conn: c, dialer: d, protocol: d.Protocol()}, nil
}

// Loss is one message that is to be lost.
type Loss struct {
	dialer  *Dialer
	meant   Match
	request bool
	// proof takes one: whoever puts it in has decided that the message is lost, or that none will be.
	proof   chan string
	settled atomic.Bool
	// lost is the request that was lost, if one was, under the dialer's lock.
	lost lost
}

// lost is what was lost, and to whom it was sent.
type lost struct {
	unit     []byte
	to       net.Addr
	protocol Protocol
	applied  Applied
}

// LoseAnswer arms the loss of one answer: of the next to a request that is meant and was done. The whole connection is cut with
// it, so that others who wait on it lose theirs too, as they do when any connection breaks.
func (d *Dialer) LoseAnswer(meant Match) *Loss { return d.lose(meant, false) }

// LoseRequest arms the loss of one request: of the next that is meant. It does not leave this process.
func (d *Dialer) LoseRequest(meant Match) *Loss { return d.lose(meant, true) }

func (d *Dialer) lose(meant Match, request bool) *Loss {
	l := &Loss{dialer: d, meant: meant, request: request, proof: make(chan string, 1)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.losses = append(d.losses, l)
	d.armed.Add(1)
	return l
}

// Await waits until the message is lost, and tells what it was. When the context ends before, none will be.
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

// loses settles the loss of a request.
func (l *Loss) loses(it lost, proof string) bool {
	l.dialer.mu.Lock()
	defer l.dialer.mu.Unlock()
	if !l.settle(proof) {
		return false
	}
	l.lost = it
	return true
}

// Deliver sends a request that was lost after all, on a connection of its own: to a server that asks nobody who he is, that is
// the same as one that was late. It gives what the answer says, and whether that is that what was asked was done.
func (l *Loss) Deliver(ctx context.Context) (words string, done bool, err error) {
	l.dialer.mu.Lock()
	it := l.lost
	l.dialer.mu.Unlock()
	if it.unit == nil {
		return "", false, errors.New("no request was lost")
	}
	c, err := l.dialer.Dialer.DialContext(ctx, it.to.Network(), it.to.String())
	if err != nil {
		return "", false, err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	if _, err := c.Write(it.unit); err != nil {
		return "", false, err
	}
	var came []byte
	for buffer := make([]byte, bufferSize); ; {
		n, err := c.Read(buffer)
		came = append(came, buffer[:n]...)
		if whole := it.protocol.unit(came); whole > 0 && whole <= len(came) {
			words, done = it.applied(came[:whole])
			return words, done, nil
		}
		if err != nil {
			return "", false, errors.Join(err, context.Cause(ctx))
		}
	}
}

// settle tells whether it is the caller who decides what becomes of the loss.
func (l *Loss) settle(proof string) bool {
	if !l.settled.CompareAndSwap(false, true) {
		return false
	}
	l.proof <- proof
	return true
}

func (d *Dialer) disarm(l *Loss) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.losses, l); i >= 0 {
		d.losses = slices.Delete(d.losses, i, i+1)
		d.armed.Add(-1)
	}
}

// lossOf gives the loss, of the request itself or of its answer, that a request is meant by and that has not come about yet.
func (d *Dialer) lossOf(request []byte, itself bool) (*Loss, Applied) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.losses {
		if l.request != itself || l.settled.Load() {
			continue
		}
		if applied, ok := l.meant(request); ok {
			return l, applied
		}
	}
	return nil, nil
}
