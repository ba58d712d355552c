package wire

import (
	"errors"
	"net"
)

// Translate gives the address that a client is to use in the place of a server's own, both as host:port.
type Translate func(address string) (string, error)

// translator is a protocol whose answers name servers by addresses that its client is not to use.
type translator interface {
	Protocol
	// asks looks at each request, and refuses what would make the answers unreadable.
	asks(m []byte) error
	// translates gives an answer with the other addresses; the same one when it names none.
	translates(m []byte) ([]byte, error)
}

// errForeign is why a connection is not carried on whose bytes are nothing of the protocol: addresses in them would go by unseen.
var errForeign = errors.New("the client or the server does not speak the protocol in the clear: TLS and the like are not read here")

// Wrap puts a connection to a server under the rules, as it is before anything was sent.
func (r *Rules) Wrap(c net.Conn, p Protocol) net.Conn { return r.wrap(c, p, "") }

// writes takes in bytes in whatever pieces, looks at each request that is whole, and hands it on.
func (c *conn) writes(p []byte) (int, error) {
	c.pieces = append(c.pieces, p...)
	for {
		n := c.protocol.unit(c.pieces)
		switch {
		case n < 0:
			c.fails(errForeign)
			return 0, errForeign
		case n == 0 || n > len(c.pieces):
			return len(p), nil
		}
		for m := range c.protocol.inside(c.pieces[:n]) {
			if err := c.foreign.asks(m); err != nil {
				c.fails(err)
				return 0, err
			}
		}
		if _, err := c.hands(c.pieces[:n]); err != nil {
			return 0, err
		}
		c.pieces = append(c.pieces[:0], c.pieces[n:]...)
	}
}

// fails breaks the connection, for a reason that its reader is told.
func (c *conn) fails(why error) { c.ends(why) }
