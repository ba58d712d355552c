// Package wire is the way between a client and its server, on which rules act upon messages: a request can be late, or never
// arrive, and an answer can be late, or never come, after the server has done what was asked. It is the one network fault that needs
// nothing but the process through which the bytes go: the client's own, or a proxy's.
package wire

import (
	"context"
	"iter"
	"net"
)

// Protocol is how messages lie on one connection.
type Protocol interface {
	// unit is the length of the unit that the bytes begin with, which is handed on as a whole; 0 when they are too few to say,
	// negative when they are nothing of this protocol.
	unit(b []byte) int
	// inside gives the messages of one whole unit, and wrap makes units of messages.
	inside(b []byte) iter.Seq[[]byte]
	wrap(messages ...[]byte) []byte
	// request and answer give what pairs the two on a connection.
	request(m []byte) int32
	answer(m []byte) int32
	// describe is what rules look at in a request; it is false of one that is nobody's.
	describe(m []byte) (Request, bool)
	// ordered tells whether messages keep their order, so that one that is late makes those behind it late.
	ordered() bool
}

// Request is what rules look at.
type Request struct {
	// Of is whose it is, Words are those that it is meant by: first the kind of server, then what it is.
	Of    string
	Words []string
	// Done tells whether an answer says that what was asked was done, and what it says.
	Done func(answer []byte) (words string, ok bool)
}

// Dialer makes the connections of a client.
type Dialer struct {
	net.Dialer
	// Protocol makes what each connection speaks.
	Protocol func() Protocol
	// Rules act upon them.
	Rules *Rules
	// Of is whose all these connections are, where that is known: then a wall keeps him from making any.
	Of string
}

// DialContext connects.
func (d *Dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if d.Of != "" {
		if err := d.Rules.dials(ctx, d.Of, addr); err != nil {
			return nil, err
		}
	}
	c, err := d.Dialer.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return d.Rules.wrap(c, d.Protocol(), d.Of), nil
}
