package internode

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster"
)

// pair is two nodes of this test, of which the first sends the second what a real one has sent.
type pair struct {
	*Network
	nodes []net.Listener
}

func between(t *testing.T) *pair {
	t.Helper()
	p := &pair{}
	var at []netip.AddrPort
	for _, host := range []string{"127.0.1.1:0", "127.0.1.2:0"} {
		l, err := net.Listen("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		p.nodes, at = append(p.nodes, l), append(at, netip.MustParseAddrPort(l.Addr().String()))
	}
	n, err := Listen(t.Context(), netip.MustParseAddr("127.0.0.1"), at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close) // may be closed before
	p.Network = n
	return p
}

// connect has a node connect to the other, and gives both ends once these have shaken hands.
func (p *pair) connect(t *testing.T, from, to int, first initiate) (node, other net.Conn) {
	t.Helper()
	host, _, _ := net.SplitHostPort(p.nodes[from].Addr().String())
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}, Timeout: 5 * time.Second}
	node, err := d.Dial("tcp", p.gates[to].Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { node.Close() })
	if _, err := node.Write(first); err != nil {
		t.Fatal(err)
	}
	if other, err = p.nodes[to].Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	came := make([]byte, len(first))
	if _, err := io.ReadFull(other, came); err != nil || !bytes.Equal(came, first) {
		t.Fatalf("the handshake came as %v, %v", came, err)
	}
	accept := []byte("accepted, 12")
	if _, err := other.Write(accept); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(node, came[:len(accept)]); err != nil || !bytes.Equal(came[:len(accept)], accept) {
		t.Fatalf("its answer came as %q, %v", came[:len(accept)], err)
	}
	return node, other
}

// sends gives the verbs of what the other node is sent of what was recorded.
func (p *pair) sends(t *testing.T, name string) []uint64 {
	t.Helper()
	first, sent := recorded(t, name)
	node, other := p.connect(t, 0, 1, first)
	if _, err := node.Write(sent); err != nil {
		t.Fatal(err)
	}
	node.Close()
	came, err := io.ReadAll(other)
	if err != nil {
		t.Fatal(err)
	}
	return verbsOf(t, came)
}

func TestNetworkLosesByWhatItIsAbout(t *testing.T) {
	p := between(t)
	all := recordings["messages.bin"]
	without := func(lost ...uint64) []uint64 {
		return slices.DeleteFunc(slices.Clone(all), func(v uint64) bool { return slices.Contains(lost, v) })
	}
	for _, c := range []struct {
		name string
		lost func(cluster.Message) bool
		want []uint64
	}{
		{"nothing", nil, all},
		{"requests of a phase", func(m cluster.Message) bool { return m.About == cluster.Propose && !m.Answer }, without(34)},
		{"answers of a phase", func(m cluster.Message) bool { return m.About == cluster.Prepare && m.Answer }, without(93)},
		{"reads of rows and of ranges", func(m cluster.Message) bool { return m.About == cluster.Read }, without(3, 9, 63)},
		{"what is for this node", func(m cluster.Message) bool { return m.From == 0 && m.To == 1 }, nil},
		{"what is for another", func(m cluster.Message) bool { return m.To == 0 }, all},
	} {
		p.Lose(c.lost)
		if got := p.sends(t, "messages.bin"); !slices.Equal(got, c.want) {
			t.Errorf("without %s: %v; expected: %v", c.name, got, c.want)
		}
	}
}

// Gossip is about no statement. Only a node that is to be taken for down loses it.
func TestNetworkLosesGossipOfWhoIsDown(t *testing.T) {
	p := between(t)
	p.Lose(func(cluster.Message) bool { return true })
	for _, c := range []struct {
		down []int
		want []uint64
	}{{nil, recordings["gossip.bin"]}, {[]int{2}, recordings["gossip.bin"]}, {[]int{0}, nil}, {[]int{1}, nil}} {
		p.Down(c.down...)
		if got := p.sends(t, "gossip.bin"); !slices.Equal(got, c.want) {
			t.Errorf("with %v down: %v; expected: %v", c.down, got, c.want)
		}
	}
}

func TestNetworkMeets(t *testing.T) {
	p := between(t)
	messages, _ := recorded(t, "messages.bin")
	gossip, _ := recorded(t, "gossip.bin")
	p.connect(t, 0, 1, messages)
	p.connect(t, 1, 0, messages)
	p.connect(t, 0, 1, gossip)
	stirred := 0
	stir := func(context.Context) error { stirred++; return nil }
	ctx, cancel := context.WithTimeout(t.Context(), 2*stirAgain)
	defer cancel()
	if err := p.Meet(ctx, stir); err == nil || !strings.Contains(err.Error(), "node 1 has not connected to node 0") || stirred < 2 {
		t.Errorf("one connection is missing; stirred %d times, it says: %v", stirred, err)
	}
	if err := p.Meet(t.Context(), func(context.Context) error { p.connect(t, 1, 0, gossip); return nil }); err != nil {
		t.Error(err)
	}
	failed := errors.New("nothing can be sent")
	if err := p.Meet(t.Context(), func(context.Context) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("nothing could be sent, and it says: %v", err)
	}
}

// What cannot be understood is said, and goes on all the same.
func TestNetworkSaysWhatItDoesNotUnderstand(t *testing.T) {
	packed, _ := recorded(t, "messages.bin")
	packed[7] ^= framingBits
	p := between(t)
	node, other := p.connect(t, 0, 1, packed)
	if _, err := node.Write([]byte("packed")); err != nil {
		t.Fatal(err)
	}
	node.Close()
	if came, err := io.ReadAll(other); string(came) != "packed" || err != nil {
		t.Errorf("%q came, %v", came, err)
	}
	if err := p.Meet(t.Context(), func(context.Context) error { return nil }); err == nil || !strings.Contains(err.Error(), "internode_compression") {
		t.Errorf("it says: %v", err)
	}
}

func TestHandshakes(t *testing.T) {
	good, _ := recorded(t, "messages.bin")
	stream := initiate(bytes.Clone(good))
	stream[7] |= streamingFlag
	if stream.kind() != streaming {
		t.Errorf("a stream is of kind %d", stream.kind())
	}
	foreign, old := bytes.Clone(good), bytes.Clone(good)
	foreign[0], old[4] = 0, 11
	for name, b := range map[string][]byte{"nothing": nil, "another's": foreign, "an old one": old, "a part": good[:len(good)-1]} {
		if got, err := readInitiate(bytes.NewReader(b)); err == nil || !bytes.HasPrefix(b, got) {
			t.Errorf("%s is taken for a handshake: %v, %v", name, got, err)
		}
	}
}

// A network that is closed ends all connections, also those that have not said yet whose they are.
func TestNetworkCloses(t *testing.T) {
	p := between(t)
	first, _ := recorded(t, "messages.bin")
	node, other := p.connect(t, 0, 1, first)
	silent, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, 1)}}).Dial("tcp", p.gates[1].Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if c, err := p.nodes[1].Accept(); err != nil {
		t.Fatal(err)
	} else {
		defer c.Close()
	}
	p.Close()
	for name, c := range map[string]net.Conn{"the node's end": node, "the other's end": other, "a silent one": silent} {
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Errorf("%s is still open", name)
		}
	}
	if c, err := net.Dial("tcp", p.gates[0].Addr().String()); err == nil {
		c.Close()
		t.Error("it still listens")
	}
}
