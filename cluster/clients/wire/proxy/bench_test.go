package proxy_test

import (
	"encoding/binary"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/single-writer/chaos/cluster/clients/wire"
	"github.com/single-writer/chaos/cluster/clients/wire/proxy"
	"github.com/single-writer/chaos/workload"
)

// peer answers every request of Kafka's protocol with so many bytes, and does nothing else: what is measured is the way there and back.
func peer(b *testing.B, size int) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go answers(c, size)
		}
	}()
	return l.Addr().String()
}

func answers(c net.Conn, size int) {
	defer c.Close()
	answer := make([]byte, 4+size)
	binary.BigEndian.PutUint32(answer, uint32(size))
	head := make([]byte, 12)
	for {
		if _, err := io.ReadFull(c, head); err != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(head))-8); err != nil {
			return
		}
		copy(answer[4:], head[8:12])
		if _, err := c.Write(answer); err != nil {
			return
		}
	}
}

// way is one way to a peer, with the requests that have been sent on it.
type way struct {
	name string
	conn net.Conn
	n    int32
	took []time.Duration
}

// ways are the direct one, through the wrapper of the rig's clients without a rule and with one that strikes others, and through the
// proxy.
func ways(b *testing.B, size int) []*way {
	server := peer(b, size)
	dial := func(d func() (net.Conn, error)) net.Conn {
		c, err := d()
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { c.Close() })
		return c
	}
	wrapper := func(rules *wire.Rules) net.Conn {
		d := &wire.Dialer{Protocol: wire.Kafka, Rules: rules}
		return dial(func() (net.Conn, error) { return d.DialContext(b.Context(), "tcp", server) })
	}
	ruled := &wire.Rules{}
	if _, err := ruled.Arm("b/1", workload.Rule{Message: "OffsetCommit", Way: workload.Answer, Do: workload.Drop}); err != nil {
		b.Fatal(err)
	}
	p := before(b, proxy.Kafka, server, proxy.APortEach)
	return []*way{
		{name: "direct", conn: dial(func() (net.Conn, error) { return net.Dial("tcp", server) })},
		{name: "wrapper", conn: wrapper(&wire.Rules{})},
		{name: "wrapper-with-a-rule", conn: wrapper(ruled)},
		{name: "proxy", conn: dial(func() (net.Conn, error) { return net.Dial("tcp", p.Addrs()[0]) })},
	}
}

// asks sends so many requests and reads their answers, of so many bytes each.
func (w *way) asks(b *testing.B, f *kmsg.RequestFormatter, many, size int) {
	var all [][]byte
	for range many {
		w.n++
		r := kmsg.NewPtrHeartbeatRequest()
		r.Version, r.Group, r.MemberID = 4, "group", "a/1-92dd35b7-1516-4be0-af95-3bebcd733080"
		all = append(all, f.AppendRequest(nil, r, w.n))
	}
	began := time.Now()
	for _, request := range all { // as a client does, one at a time
		if _, err := w.conn.Write(request); err != nil {
			b.Fatal(w.name, err)
		}
	}
	if _, err := io.CopyN(io.Discard, w.conn, int64(many*(4+size))); err != nil {
		b.Fatal(w.name, err)
	}
	w.took = append(w.took, time.Since(began))
}

// median is of the times taken.
func (w *way) median() time.Duration {
	slices.Sort(w.took)
	return w.took[len(w.took)/2]
}

// BenchmarkLatency: one request and its answer at a time, by all ways in turn. added-µs is what the median of a way is above the
// direct one; it should be at most 50.
func BenchmarkLatency(b *testing.B) {
	const size = 64
	inTurn(b, 1, size, func(direct, w *way) {
		b.ReportMetric(float64((w.median()-direct.median()).Nanoseconds())/1000, w.name+"-added-µs")
	})
}

// BenchmarkThroughput: eight requests under way, with answers like those to fetches. The ratio is against the direct way; it should be
// at least 0.8.
func BenchmarkThroughput(b *testing.B) {
	const size = 64 << 10
	inTurn(b, 8, size, func(direct, w *way) {
		b.ReportMetric(float64(direct.median())/float64(w.median()), w.name+"/direct")
	})
}

func inTurn(b *testing.B, many, size int, report func(direct, w *way)) {
	all := ways(b, size)
	f := kmsg.NewRequestFormatter(kmsg.FormatterClientID("a/1"))
	for n := 0; b.Loop(); n++ {
		for i := range all {
			all[(n+i)%len(all)].asks(b, f, many, size)
		}
	}
	b.ReportMetric(float64(all[0].median().Microseconds()), "direct-µs")
	for _, w := range all[1:] {
		report(all[0], w)
	}
	b.ReportMetric(0, "ns/op") // all together mean nothing
}
