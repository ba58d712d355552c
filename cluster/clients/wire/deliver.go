package wire

import (
	"context"
	"fmt"
	"net"
)

// Deliver sends the last commit that was lost on its way after all, on a connection of its own: to a server that asks nobody who
// he is, that is the same as one that was late. It gives what the answer says, and whether that is that it was done.
func (r *Rules) Deliver(ctx context.Context, of string) (words string, done bool, err error) {
	r.mu.Lock()
	it, ok := r.lost[of]
	r.mu.Unlock()
	if !ok {
		return "", false, fmt.Errorf("no commit of %s was lost", of)
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, it.to.Network(), it.to.String())
	if err != nil {
		return "", false, err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	if _, err := c.Write(it.unit); err != nil {
		return "", false, err
	}
	answer, err := readUnit(c, it.protocol)
	if err != nil {
		return "", false, fmt.Errorf("%w (%w)", err, context.Cause(ctx))
	}
	words, done = it.done(answer)
	return words, done, nil
}

// readUnit reads one whole unit.
func readUnit(c net.Conn, p Protocol) (unit []byte, err error) {
	for buffer := make([]byte, bufferSize); ; {
		n, err := c.Read(buffer)
		unit = append(unit, buffer[:n]...)
		if whole := p.unit(unit); whole > 0 && whole <= len(unit) {
			return unit[:whole], nil
		}
		if err != nil {
			return nil, err
		}
	}
}
