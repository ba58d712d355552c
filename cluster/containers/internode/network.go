// Package internode stands between the nodes of a Cassandra cluster: all that they send each other goes through this process,
// which knows of each message what it is about, and loses those that it is to lose. The nodes notice nothing but that: their
// connections hold, as those of a network that loses a packet and all its copies would not.
//
// message.go is the bytes of a message, sieve.go takes messages out of them, handshake.go is how a connection begins, lead.go has
// the nodes connect here.
package internode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/single-writer/chaos/cluster"
)

// Network is what leads from each node to each other.
type Network struct {
	nodes []netip.AddrPort
	// gates are where what is for a node comes in, by its number.
	gates []net.Listener
	work  sync.WaitGroup
	// over ends with the network.
	over context.Context
	end  context.CancelFunc

	mu sync.Mutex
	// lost and down are what is to be lost.
	lost func(cluster.Message) bool
	down []int
	// open are the connections, met those that have shaken hands, changed is closed when there is another; wrong is why some cannot
	// be understood.
	open    map[net.Conn]bool
	met     map[meeting]bool
	changed chan struct{}
	wrong   error
}

// meeting is a connection of a kind that one node has made to another.
type meeting struct {
	from, to int
	kind     kind
}

// Listen makes a network for nodes that listen for each other there, at an address of this machine that they reach.
func Listen(ctx context.Context, at netip.Addr, nodes []netip.AddrPort) (*Network, error) {
	n := &Network{nodes: nodes, open: map[net.Conn]bool{}, met: map[meeting]bool{}, changed: make(chan struct{})}
	n.over, n.end = context.WithCancel(context.WithoutCancel(ctx))
	for to := range nodes {
		var config net.ListenConfig
		gate, err := config.Listen(ctx, "tcp", netip.AddrPortFrom(at, 0).String())
		if err != nil {
			n.Close()
			return nil, fmt.Errorf("listen for what Cassandra's nodes send each other: %w", err)
		}
		n.gates = append(n.gates, gate)
		n.work.Go(func() { n.accept(gate, to) })
	}
	return n, nil
}

// Lose loses the messages about statements of which this is true, until it is called again; nil loses none.
func (n *Network) Lose(lost func(cluster.Message) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lost = lost
}

// Down loses all that these nodes send or are sent, also their gossip, and nothing of the others.
func (n *Network) Down(nodes ...int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = nodes
}

func (n *Network) loses(from, to int, h header) bool {
	about, answer, known := phaseOf(h.verb)
	n.mu.Lock()
	defer n.mu.Unlock()
	if slices.Contains(n.down, from) || slices.Contains(n.down, to) {
		return true
	}
	return known && n.lost != nil && n.lost(cluster.Message{From: from, To: to, About: about, Answer: answer})
}

// Meet waits until each node has connected to each other here, for gossip and for messages. Stir has each send each a message,
// which it does until then: a connection is made when there is something to send. They gossip by themselves.
func (n *Network) Meet(ctx context.Context, stir func(ctx context.Context) error) error {
	for {
		if err := stir(ctx); err != nil {
			return err
		}
		missing, changed, err := n.missing()
		if err != nil || missing == "" {
			return err
		}
		select {
		case <-changed:
		case <-time.After(stirAgain):
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", missing, context.Cause(ctx))
		}
	}
}

// stirAgain is how long nodes have to connect before they are given another reason to.
const stirAgain = 100 * time.Millisecond

func (n *Network) missing() (missing string, changed <-chan struct{}, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for from := range n.nodes {
		for to := range n.nodes {
			for _, k := range []kind{urgent, small} {
				if from != to && !n.met[meeting{from, to, k}] {
					return fmt.Sprintf("node %d has not connected to node %d here", from, to), n.changed, n.wrong
				}
			}
		}
	}
	return "", n.changed, n.wrong
}

// meets notes a connection.
func (n *Network) meets(m meeting) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.met[m] = true
	close(n.changed)
	n.changed = make(chan struct{})
}

func (n *Network) fails(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wrong = errors.Join(n.wrong, err)
	close(n.changed)
	n.changed = make(chan struct{})
}

// Close ends all connections.
func (n *Network) Close() {
	n.end()
	n.mu.Lock()
	open := n.open
	n.open = nil
	n.mu.Unlock()
	for _, gate := range n.gates {
		gate.Close()
	}
	for c := range open {
		c.Close()
	}
	n.work.Wait()
}

// accept takes the connections to a node.
func (n *Network) accept(gate net.Listener, to int) {
	for {
		c, err := gate.Accept()
		if err != nil {
			return
		}
		of := c.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
		from := slices.IndexFunc(n.nodes, func(node netip.AddrPort) bool { return node.Addr() == of })
		if from < 0 {
			c.Close()
		} else if n.keep(c) {
			n.work.Go(func() { n.carry(c, from, to) })
		}
	}
}

// keep has a connection closed with the network: at once, where that is closed already.
func (n *Network) keep(c net.Conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.open == nil {
		c.Close()
		return false
	}
	n.open[c] = true
	return true
}

// drop closes a connection.
func (n *Network) drop(c net.Conn) {
	c.Close()
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.open, c)
}

// carry carries what one node sends another until either ends the connection.
func (n *Network) carry(in net.Conn, from, to int) {
	defer n.drop(in)
	var dialer net.Dialer
	out, err := dialer.DialContext(n.over, "tcp", n.nodes[to].String())
	if err != nil || !n.keep(out) {
		return
	}
	defer n.drop(out)
	first, err := readInitiate(in)
	if err != nil {
		n.fails(fmt.Errorf("what node %d begins with to node %d: %w", from, to, err))
		return
	}
	if _, err := out.Write(first); err != nil {
		return
	}
	// The other direction has nothing but the answer to the handshake: what a node answers it sends on a connection of its own.
	accepted := make([]byte, 64)
	size, err := out.Read(accepted)
	if err != nil {
		return
	}
	if _, err := in.Write(accepted[:size]); err != nil {
		return
	}
	n.work.Go(func() {
		_, _ = io.Copy(in, out)
		in.Close()
	})
	if first.kind() == streaming {
		_, _ = io.Copy(out, in)
		return
	}
	if !first.checked() {
		n.fails(fmt.Errorf("node %d packs what it sends node %d: internode_compression must be none", from, to))
	}
	n.meets(meeting{from, to, first.kind()})
	n.sift(out, in, &sieve{loses: func(h header) bool { return n.loses(from, to, h) }})
}

// sift copies what goes on.
func (n *Network) sift(out io.Writer, in io.Reader, s *sieve) {
	for buffer := make([]byte, 64<<10); ; {
		size, err := in.Read(buffer)
		if _, e := out.Write(s.pass(buffer[:size])); e != nil {
			return
		}
		if err != nil {
			_, _ = out.Write(s.rest())
			return
		}
	}
}
