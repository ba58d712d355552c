package sim

import "time"

// How long it takes until nodes, and drivers, know what has become of a node. Measured on three nodes of Cassandra 5.0.5 with
// phi_convict_threshold 5, as the containers have it, and gocql 2.1.2.
const (
	// convicted is when its peers take a node for down of which they hear nothing.
	convicted = 12 * time.Second
	// gossiped is the longest that they take to know that it is up.
	gossiped = time.Second
	// unanswered is when a driver that is answered nothing gives up its connections to a node.
	unanswered = 20 * time.Second
	// A node takes a time between these two from its start to its first answer.
	nodeStartsAfter, nodeStartsBefore = 8 * time.Second, 10 * time.Second
)

// contact is what a node hears of another.
type contact struct {
	// lost tells that it hears nothing; changes counts how often that has changed.
	lost    bool
	changes int
}

// changed is that something has become of a node: its peers will know, and it of them. A conversation takes both ways, so that of two
// that do not have one each comes to take the other for down.
func (n *internode) changed(node int) {
	for peer := range n.nodes {
		if peer != node {
			n.hears(peer, node)
			n.hears(node, peer)
		}
	}
}

func (n *internode) hears(observer, of int) {
	c, lost := &n.contacts[observer][of], !n.nodes[observer].together(n.nodes[of])
	if lost == c.lost {
		return
	}
	c.lost = lost
	c.changes++
	changes, within := c.changes, convicted
	if !lost {
		within = n.draw(0, gossiped)
	}
	n.nodes[observer].after(within, func() {
		if c.changes != changes {
			return
		}
		n.store.Down(observer, of, lost)
		n.told(of)
		n.nodes[of].look()
		n.nodes[observer].look()
	})
}

// told is that a node has come to believe something of another. The driver is told that a node is down (STATUS_CHANGE), here when most
// say so: a node that is cut off says it of all others.
func (n *internode) told(of int) {
	up := 0
	for i := range n.nodes {
		if n.store.Up(i, of) {
			up++
		}
	}
	n.left[of] = n.left[of] || 2*up <= len(n.nodes)
}

// draw draws a time from the stream of the nodes.
func (n *internode) draw(from, to time.Duration) time.Duration {
	return from + time.Duration(n.rng.Int64N(int64(to-from)))
}

// struck is that trouble has come upon a node.
func (n *internode) struck(node int) {
	s := n.nodes[node]
	if s.ended {
		n.store.Ended(node)
		n.network.After(n.draw(minDelay, maxDelay), func() { n.left[node] = n.left[node] || s.ended })
	} else if trouble, strikes := s.trouble, s.strikes; s.frozen || s.cutOff() {
		n.network.After(unanswered, func() { n.left[node] = n.left[node] || s.is(trouble) && s.strikes == strikes })
	}
	n.changed(node)
}

// starts is how long a node takes to start.
func (n *internode) starts() time.Duration { return n.draw(nodeStartsAfter, nodeStartsBefore) }

// runs is that a node runs again, after it had ended or stood still. One that was started knows of no peer that it is up.
func (n *internode) runs(node int, anew bool) {
	for peer := range n.nodes {
		if anew && peer != node {
			n.store.Down(node, peer, true)
		}
	}
	n.changed(node)
}

// well tells whether those that can talk to each other know that they can, of a node and its peers; the driver then connects again.
func (n *internode) well(node int) (proof string, is bool) {
	for peer, s := range n.nodes {
		if peer != node && s.together(n.nodes[node]) && (!n.store.Up(peer, node) || !n.store.Up(node, peer)) {
			return "", false
		}
	}
	n.left[node] = false
	proof = "it answers clients"
	if len(n.nodes) > 1 {
		proof += ", and its peers take it for up"
	}
	return proof, true
}
