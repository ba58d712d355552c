package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/cluster/sim/cassandra"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// internode is the network between the nodes of the store. Its messages overtake each other: each is dealt with by a thread of
// its own. Some are lost by chance, and what a script says.
type internode struct {
	*network
	loss float64
	// rng is a stream of its own, for losses, clocks and who coordinates: a lone node draws nothing from it.
	rng *rand.Rand
	// broken is until when a connection is, by its two ends: a message that is lost takes its connection with it, and the next
	// ones are lost until there is a new one.
	broken map[[2]int]time.Duration
	// lost is what a script wants lost.
	lost func(cluster.Message) bool
	// nodes are the processes of the nodes, store what they have.
	nodes []*server
	store *cassandra.Store
	// contacts are, by observer and node, what the observer hears of the other; see gossip.go.
	contacts [][]contact
	// left are the nodes to which the driver has no connection.
	left []bool
}

// reconnecting is the longest that it takes until a broken connection between two nodes is there again.
const reconnecting = 20 * time.Millisecond

func newInternode(n *network, seed int64, loss float64) *internode {
	return &internode{network: n, loss: loss, rng: rand.New(rand.NewPCG(uint64(seed), 0x94d049bb133111eb)), broken: map[[2]int]time.Duration{}}
}

// open makes so many nodes, each with a clock that is wrong by up to skew.
func (n *internode) open(nodes int, skew time.Duration) *cassandra.Store {
	for i := range nodes {
		n.nodes = append(n.nodes, &server{net: n.network, name: fmt.Sprintf("cassandra-%d", i+1)})
		n.contacts = append(n.contacts, make([]contact, nodes))
	}
	n.left = make([]bool, nodes)
	n.store = cassandra.New(nodes, n, n.rng)
	if skew > 0 {
		for i := range nodes {
			n.store.Skew(i, time.Duration(n.rng.Int64N(2*int64(skew)+1))-skew)
		}
	}
	return n.store
}

// coordinator draws the node that the driver sends a statement to, from those to which it has a connection, if to any.
func (n *internode) coordinator() (node int, ok bool) {
	var connected []int
	if len(n.nodes) == 1 {
		return 0, !n.left[0]
	}
	for i, left := range n.left {
		if !left {
			connected = append(connected, i)
		}
	}
	if len(connected) == 0 {
		return 0, false
	}
	return connected[n.rng.IntN(len(connected))], true
}

func (n *internode) servers() []*server { return n.nodes }

// Now and Micros are the true time.
func (n *internode) Now() time.Duration { return n.now }
func (n *internode) Micros() int64      { return epoch + n.now.Microseconds() }

// After is a timer of a node.
func (n *internode) After(node int, d time.Duration, f func()) cassandra.Timer {
	return n.nodes[node].after(d, f)
}

// Send carries a message, or loses it. What a node sends itself takes its time too, and comes.
func (n *internode) Send(m cluster.Message, arrive func()) {
	if m.From != m.To && (n.lost != nil && n.lost(m) || n.breaks(m)) {
		return
	}
	n.network.After(n.strategy.delay(flow{[2]int{m.From, m.To}, m.Answer}), func() {
		if !n.cut(m) {
			n.nodes[m.To].act(arrive)
		}
	})
}

// cut tells whether the way of a message is cut off.
func (n *internode) cut(m cluster.Message) bool {
	return m.From != m.To && (n.nodes[m.From].mute() || n.nodes[m.To].deaf())
}

// breaks tells whether the connection of a message is broken, or breaks now. What the rig asks for itself is not lost.
func (n *internode) breaks(m cluster.Message) bool {
	if n.loss == 0 || !history.IsWorker(m.For) {
		return false
	}
	connection := [2]int{m.From, m.To}
	if n.now < n.broken[connection] {
		return true
	}
	if n.rng.Float64() >= n.loss {
		return false
	}
	n.broken[connection] = n.now + time.Duration(n.rng.Int64N(int64(reconnecting)))
	return true
}

// Lose loses what a script says.
func (w *World) Lose(lost func(cluster.Message) bool) { w.between.lost = lost }

// Down has all nodes of the store know which are down.
func (w *World) Down(nodes ...int) persistence.Call[string] {
	for observer := range w.between.nodes {
		for node := range w.between.nodes {
			w.store.Down(observer, node, observer != node && slices.Contains(nodes, node))
		}
	}
	return w.known(fmt.Sprintf("down are %v", nodes))
}

// Skew sets by how much the clock of one of the store's nodes is ahead.
func (w *World) Skew(node int, by time.Duration) persistence.Call[string] {
	w.store.Skew(node, by)
	return w.known(fmt.Sprintf("node %d is %s ahead", node, by))
}

// known is a call that has ended: of what is so at once.
func (w *World) known(words string) persistence.Call[string] {
	c := board.NewCall[string](w.board)
	c.Finish(words, persistence.Answered, nil)
	return c
}
