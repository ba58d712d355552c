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

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/single-writer/chaos/workload"
)

// broker is one connection of a client of Kafka with the broker's end of it.
type broker struct {
	t            *testing.T
	dialer       *Dialer
	conn, server net.Conn
}

func connectKafka(t *testing.T, d *Dialer) *broker {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	b := &broker{t: t, dialer: d}
	if b.conn, err = b.dialer.DialContext(t.Context(), "tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if b.server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.conn.Close(); b.server.Close() })
	for _, c := range []net.Conn{b.conn, b.server} {
		c.SetDeadline(time.Now().Add(10 * time.Second))
	}
	return b
}

// send sends a request, and gives what came of it at the broker's end, nothing when it was lost.
func (b *broker) send(correlation int32, r kmsg.Request) []byte {
	b.t.Helper()
	sent := kmsg.NewRequestFormatter(kmsg.FormatterClientID("a/1")).AppendRequest(nil, r, correlation)
	if n, err := b.conn.Write(sent); err != nil || n != len(sent) {
		b.t.Fatal(n, err)
	}
	got := make([]byte, len(sent))
	n, err := io.ReadFull(b.server, got)
	if err != nil && !errors.Is(err, io.EOF) {
		b.t.Fatal(err)
	}
	if n > 0 && !bytes.Equal(got, sent) {
		b.t.Fatalf("the broker got %q, not %q", got, sent)
	}
	return got[:n]
}

func commitRequest(version int16) *kmsg.OffsetCommitRequest {
	r := kmsg.NewPtrOffsetCommitRequest()
	r.Version, r.Group = version, "g"
	return r
}

// commitAnswer is an answer to a commit, in the words of a version.
func commitAnswer(correlation int32, version, code int16) []byte {
	p := kmsg.NewOffsetCommitResponseTopicPartition()
	p.ErrorCode = code
	topic := kmsg.NewOffsetCommitResponseTopic()
	topic.Topic, topic.Partitions = "t", []kmsg.OffsetCommitResponseTopicPartition{p}
	r := kmsg.NewPtrOffsetCommitResponse()
	r.Version, r.Topics = version, []kmsg.OffsetCommitResponseTopic{topic}
	body := binary.BigEndian.AppendUint32(nil, uint32(correlation))
	if r.IsFlexible() {
		body = append(body, 0)
	}
	body = r.AppendTo(body)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// A commit that is lost is not sent, and its client is told of a broken connection when it reads: heartbeats before it pass.
func TestLoseCommit(t *testing.T) {
	b := connectKafka(t, newDialer(Kafka))
	loss := lose(t, b.dialer, "a/1", "OffsetCommit", workload.Request)
	heartbeat := kmsg.NewPtrHeartbeatRequest()
	if len(b.send(1, heartbeat)) == 0 {
		t.Error("a heartbeat was lost")
	}
	if got := b.send(2, commitRequest(8)); len(got) > 0 {
		t.Errorf("the broker was asked %q", got)
	}
	if _, err := b.conn.Read(make([]byte, 1)); err == nil {
		t.Error("the client is not told")
	}
	if proof, err := loss.Await(t.Context()); err != nil || !strings.Contains(proof, "was not sent") {
		t.Errorf("proof %q, %v", proof, err)
	}
}

// Of the answers to commits the first without an error is held back, in plain and in flexible versions; refusals and answers to
// other requests pass.
func TestLoseCommitAnswer(t *testing.T) {
	const illegalGeneration = 22
	for _, version := range []int16{7, 8, 10} {
		b := connectKafka(t, newDialer(Kafka))
		loss := lose(t, b.dialer, "a/1", "OffsetCommit", workload.Answer)
		b.send(1, commitRequest(version))
		b.send(2, kmsg.NewPtrHeartbeatRequest())
		b.send(3, commitRequest(version))
		passes := append(commitAnswer(1, version, illegalGeneration), commitAnswer(2, version, 0)...)
		if _, err := b.server.Write(append(passes, commitAnswer(3, version, 0)...)); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(passes))
		if _, err := io.ReadFull(b.conn, got); err != nil || !bytes.Equal(got, passes) {
			t.Errorf("version %d: read %q, %v", version, got, err)
		}
		if n, err := b.conn.Read(make([]byte, 100)); n != 0 || !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("version %d: read %d more, %v", version, n, err)
		}
		if proof, err := loss.Await(t.Context()); err != nil || !strings.HasPrefix(proof, "the answer to request 3 of 127.0.0.1:") {
			t.Errorf("version %d: proof %q, %v", version, proof, err)
		}
	}
}

// What was sent before a loss was armed is not the next: its answer comes. Losses of both kinds wait side by side, also when the
// first has come about and nobody has looked yet.
func TestLoseTheNext(t *testing.T) {
	b := connectKafka(t, newDialer(Kafka))
	b.send(1, commitRequest(8))
	answer := lose(t, b.dialer, "a/1", "OffsetCommit", workload.Answer)
	first, second := lose(t, b.dialer, "a/1", "OffsetCommit", workload.Request), lose(t, b.dialer, "a/1", "OffsetCommit", workload.Request)
	if _, err := b.server.Write(commitAnswer(1, 8, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(b.conn, make([]byte, len(commitAnswer(1, 8, 0)))); err != nil {
		t.Errorf("the answer to what was under way: %v", err)
	}
	if got := b.send(2, commitRequest(8)); len(got) > 0 {
		t.Errorf("the broker was asked %q", got)
	}
	if got := connectKafka(t, b.dialer).send(3, commitRequest(8)); len(got) > 0 {
		t.Errorf("the broker was asked %q", got)
	}
	for _, l := range []*Armed{first, second} {
		if proof, err := l.Await(t.Context()); err != nil || !strings.Contains(proof, "was not sent") {
			t.Errorf("proof %q, %v", proof, err)
		}
	}
	last := connectKafka(t, b.dialer)
	last.send(4, commitRequest(8))
	if _, err := last.server.Write(commitAnswer(4, 8, 0)); err != nil {
		t.Fatal(err)
	}
	if n, err := last.conn.Read(make([]byte, 100)); n != 0 || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read %d, %v", n, err)
	}
	if proof, err := answer.Await(t.Context()); err != nil || !strings.HasPrefix(proof, "the answer to request 4 of") {
		t.Errorf("proof %q, %v", proof, err)
	}
}

// A commit that was lost can come late: the broker gets what was sent, on a connection of its own, and its word is told.
func TestDeliver(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d := newDialer(Kafka)
	lose(t, d, "a/1", "OffsetCommit", workload.Request)
	if _, _, err := d.Rules.Deliver(t.Context(), "a/1"); err == nil {
		t.Error("nothing was lost, and it came")
	}
	c, err := d.DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sent := kmsg.NewRequestFormatter(kmsg.FormatterClientID("a/1")).AppendRequest(nil, commitRequest(8), 7)
	if _, err := c.Write(sent); err != nil {
		t.Fatal(err)
	}
	first, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	served := make(chan error, 1)
	go func() {
		late, err := l.Accept()
		if err != nil {
			served <- err
			return
		}
		defer late.Close()
		got := make([]byte, len(sent))
		if _, err := io.ReadFull(late, got); err != nil || !bytes.Equal(got, sent) {
			served <- errors.New("the broker got something else")
			return
		}
		_, err = late.Write(commitAnswer(7, 8, 22))
		served <- err
	}()
	words, done, err := d.Rules.Deliver(t.Context(), "a/1")
	if err := errors.Join(err, <-served); err != nil || done || !strings.HasPrefix(words, "OffsetCommit v8: ILLEGAL_GENERATION") {
		t.Errorf("the broker said %q, done %v, %v", words, done, err)
	}
}
