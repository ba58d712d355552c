package wire

import (
	"bytes"
	"io"
	"net"
	"testing"
	"testing/iotest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/single-writer/chaos/workload"
)

// tape is a connection from which what was recorded comes, and which keeps what is sent.
type tape struct {
	io.Reader
	sent bytes.Buffer
}

func (t *tape) Write(b []byte) (int, error)      { return t.sent.Write(b) }
func (t *tape) Close() error                     { return nil }
func (t *tape) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (t *tape) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (t *tape) SetDeadline(time.Time) error      { return nil }
func (t *tape) SetReadDeadline(time.Time) error  { return nil }
func (t *tape) SetWriteDeadline(time.Time) error { return nil }

// FuzzConn: whatever the bytes are, a rule that strikes nothing lets all of them through as they are, both ways, and one that strikes
// all breaks nothing but what it is meant for.
func FuzzConn(f *testing.F) {
	marked := message(5, 1, 0x0a, marked("run a/1", update)+"the rest")
	marked[1] = withPayload
	commit := kmsg.NewRequestFormatter(kmsg.FormatterClientID("run a/1")).AppendRequest(nil, commitRequest(8), 1)
	ready := message(0x85, 0, opReady, "")
	f.Add(append(ready, segment(marked, marked)...), append(bytes.Clone(ready), segment(message(0x85, 1, opResult, done))...), 7)
	f.Add(message(4, 1, 0x0a, "x"), message(0x84, 1, opResult, void), 1)
	f.Add(commit, commitAnswer(1, 8, 0), 3)
	f.Add(commit[:len(commit)-3], commitAnswer(1, 8, 0)[:9], 3)
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"), []byte("\x84\x0f\xff\xff\x08\xff\xff\xff\xff"), 2)
	f.Fuzz(func(t *testing.T, there, back []byte, piece int) {
		for _, protocol := range []func() Protocol{Kafka, CQL} {
			for _, do := range workload.Effects() {
				through(t, protocol(), there, back, piece, do, 0)
				through(t, protocol(), there, back, piece, do, 1)
			}
		}
	})
}

func through(t *testing.T, p Protocol, there, back []byte, piece int, do workload.Effect, chance float64) {
	rules := &Rules{}
	for _, message := range []string{workload.OfKafka, workload.OfCassandra} {
		for _, way := range []workload.Way{workload.Request, workload.Answer} {
			r := workload.Rule{Message: message, Way: way, Do: do, Draw: &workload.Draw{Chance: chance}}
			if do == workload.Delay {
				r.By = time.Minute
			}
			if _, err := rules.Arm("run a/1", r); err != nil {
				t.Fatal(err)
			}
		}
	}
	on := &tape{Reader: iotest.OneByteReader(bytes.NewReader(back))}
	if piece%2 == 0 {
		on.Reader = bytes.NewReader(back)
	}
	c := rules.wrap(on, p, "")
	if n, err := c.Write(there); err != nil || n != len(there) {
		t.Fatalf("wrote %d of %d: %v", n, len(there), err)
	}
	got, err := io.ReadAll(c)
	if chance > 0 {
		return
	}
	if err != nil || !bytes.Equal(got, back) {
		t.Errorf("came %q, %v\nnot  %q", got, err, back)
	}
	if sent := on.sent.Bytes(); !bytes.Equal(sent, there) {
		t.Errorf("went %q\nnot  %q", sent, there)
	}
}
