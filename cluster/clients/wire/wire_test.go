package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/single-writer/chaos/cluster/crcframe"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// message is a frame of a version with its body.
func message(version byte, stream int16, opcode byte, body string) []byte {
	b := []byte{version, 0, 0, 0, opcode}
	binary.BigEndian.PutUint16(b[2:], uint16(stream))
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	return append(b, body...)
}

// segment puts frames into one segment.
func segment(frames ...[]byte) []byte { return crcframe.Append(nil, bytes.Join(frames, nil), true) }

// newDialer makes connections without rules.
func newDialer(p func() Protocol) *Dialer { return &Dialer{Protocol: p, Rules: &Rules{}} }

// lose arms the loss of the next message with its connection.
func lose(t *testing.T, d *Dialer, who, message string, way workload.Way) *Armed {
	t.Helper()
	return arm(t, d, who, workload.Rule{Message: message, Way: way, Do: workload.Cut, Nth: 1})
}

func arm(t *testing.T, d *Dialer, who string, r workload.Rule) *Armed {
	t.Helper()
	a, err := d.Rules.Arm(who, r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The answers that matter: nothing to a plain write, and rows with [applied] to a conditional one.
const (
	void    = "\x00\x00\x00\x01"
	done    = "\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x01...[applied]\x00\x04\x00\x00\x00\x01\x00\x00\x00\x01\x01"
	absent  = "\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x01...[applied]\x00\x04\x00\x00\x00\x01\x00\x00\x00\x01\x00"
	refused = "\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x02...[applied]\x00\x04offset...\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x01"
)

// peer is one connection with the server's end of it.
type peer struct {
	t       *testing.T
	dialer  *Dialer
	conn    net.Conn
	server  net.Conn
	version byte
}

func connect(t *testing.T, version byte) *peer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := &peer{t: t, dialer: newDialer(CQL), version: version}
	if p.conn, err = p.dialer.DialContext(t.Context(), "tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if p.server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.conn.Close(); p.server.Close() })
	p.conn.SetDeadline(time.Now().Add(10 * time.Second))
	ready := message(0x80|version, 0, opReady, "")
	p.serve(ready)
	p.wantRead(ready)
	return p
}

// wrap puts frames into what carries them in the version.
func (p *peer) wrap(frames ...[]byte) []byte {
	if p.version == version5 {
		return segment(frames...)
	}
	return bytes.Join(frames, nil)
}

// send sends a statement that says whose it is.
func (p *peer) send(stream int16, of string, s persistence.Statement) []byte {
	p.t.Helper()
	m := message(p.version, stream, 0x0a, marked(of, s)+"the rest")
	m[1] = withPayload
	if _, err := p.conn.Write(p.wrap(m)); err != nil {
		p.t.Fatal(err)
	}
	return p.wrap(m)
}

// marked is a custom payload of two entries, of which the second is the mark.
func marked(of string, s persistence.Statement) string {
	mark := Mark(of, workload.StatementWords(s))
	b := append([]byte{0, 2}, "\x00\x01x\xff\xff\xff\xff\x00\x05chaos"...)
	return string(append(binary.BigEndian.AppendUint32(b, uint32(len(mark))), mark...))
}

func (p *peer) answer(stream int16, body string) []byte {
	return p.wrap(message(0x80|p.version, stream, opResult, body))
}

func (p *peer) serve(b []byte) {
	p.t.Helper()
	if _, err := p.server.Write(b); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) wantRead(want []byte) {
	p.t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(p.conn, got); err != nil || !bytes.Equal(got, want) {
		p.t.Fatalf("read %q, %v\nnot %q", got, err, want)
	}
}

var update = persistence.Statement{Verb: persistence.Update, If: persistence.IfOffsetAtMost, Value: []byte("v")}

// In both versions: what is not meant passes, whatever pieces it comes in; the answer that says that the marked write took
// effect is held back, and the connection reset.
func TestLose(t *testing.T) {
	for _, version := range []byte{4, 5} {
		p := connect(t, version)
		loss := lose(t, p.dialer, "run a/1", workload.Upserts, workload.Answer)
		p.send(1, "run b/1", update)
		p.send(2, "run a/1", update)
		p.send(3, "run a/1", update)
		p.send(4, "run a/1", update)
		passes := bytes.Join([][]byte{
			p.answer(1, done), p.answer(9, void), p.answer(2, absent), p.answer(3, refused),
			p.answer(8, strings.Repeat("large", 20_000)),
		}, nil)
		go func() {
			for rest := passes; len(rest) > 0; rest = rest[min(len(rest), 7001):] {
				p.server.Write(rest[:min(len(rest), 7001)])
			}
		}()
		p.wantRead(passes)
		p.serve(append(p.answer(5, void), p.answer(4, done)...))
		p.wantRead(p.answer(5, void))
		if n, err := p.conn.Read(make([]byte, 100)); n != 0 || !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("version %d: read %d more, %v", version, n, err)
		}
		proof, err := loss.Await(t.Context())
		if err != nil || !strings.HasPrefix(proof, "the answer to request 4 of 127.0.0.1:") || !strings.Contains(proof, `[applied]`) {
			t.Errorf("version %d: proof %q, %v", version, proof, err)
		}
		if n := p.dialer.Rules.standing.Load(); n != 0 {
			t.Errorf("%d rules stand after it", n)
		}
	}
}

// A loss whose run has ended loses nothing, not even the answer to what was sent before.
func TestLoseNoMore(t *testing.T) {
	p := connect(t, 5)
	loss := lose(t, p.dialer, "run a/1", workload.Upserts, workload.Answer)
	p.send(1, "run a/1", update)
	p.dialer.Rules.Clear(func(who string) bool { return strings.HasPrefix(who, "run ") })
	if _, err := loss.Await(t.Context()); !errors.Is(err, ErrLifted) {
		t.Error(err)
	}
	p.send(2, "run a/1", update)
	p.serve(append(p.answer(1, done), p.answer(2, done)...))
	p.wantRead(append(p.answer(1, done), p.answer(2, done)...))
}

// The end of a connection comes after all that came before it.
func TestEnd(t *testing.T) {
	p := connect(t, 4)
	p.serve(p.answer(1, void))
	p.server.Close()
	p.wantRead(p.answer(1, void))
	if _, err := p.conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}
