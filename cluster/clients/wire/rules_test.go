package wire

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// commits is a rule about the first commit, or about each.
func commits(way workload.Way, do workload.Effect, nth int) workload.Rule {
	return workload.Rule{Message: "OffsetCommit", Way: way, Do: do, Nth: nth}
}

// ask sends a request, and gives what was sent.
func (b *broker) ask(correlation int32, r kmsg.Request) []byte {
	b.t.Helper()
	sent := kmsg.NewRequestFormatter(kmsg.FormatterClientID("a/1")).AppendRequest(nil, r, correlation)
	if n, err := b.conn.Write(sent); err != nil || n != len(sent) {
		b.t.Fatal(n, err)
	}
	return sent
}

// wantNext is what comes next at one end.
func wantNext(t *testing.T, from net.Conn, want ...[]byte) {
	t.Helper()
	whole := bytes.Join(want, nil)
	got := make([]byte, len(whole))
	if n, err := io.ReadFull(from, got); err != nil || !bytes.Equal(got, whole) {
		t.Fatalf("got %q, %v\nnot %q", got[:n], err, whole)
	}
}

// wantNothing is that nothing comes for a while.
func wantNothing(t *testing.T, from net.Conn) {
	t.Helper()
	from.SetReadDeadline(time.Now().Add(30 * time.Millisecond))
	if n, err := from.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("got %d bytes, %v", n, err)
	}
	from.SetReadDeadline(time.Now().Add(10 * time.Second))
}

func (b *broker) says(answers ...[]byte) {
	b.t.Helper()
	if _, err := b.server.Write(bytes.Join(answers, nil)); err != nil {
		b.t.Fatal(err)
	}
}

func wantProof(t *testing.T, a *Armed, part string) {
	t.Helper()
	if proof, err := a.Await(t.Context()); err != nil || !strings.Contains(proof, part) {
		t.Errorf("proof %q, %v; not %q", proof, err, part)
	}
}

// A request that is held keeps those behind it, and lifted all come in order; one that is late comes by itself.
func TestRequestsThatAreLate(t *testing.T) {
	b := connectKafka(t, newDialer(Kafka))
	held := arm(t, b.dialer, "a", commits(workload.Request, workload.Hold, 1))
	first, behind := b.ask(1, commitRequest(8)), b.ask(2, kmsg.NewPtrHeartbeatRequest())
	wantProof(t, held, "is held")
	wantNothing(t, b.server)
	if told := b.dialer.Rules.Lift("a"); !slices.Equal(told, []string{"hold of OffsetCommit 1, which struck 1, is lifted"}) {
		t.Errorf("lifted: %q", told)
	}
	wantNext(t, b.server, first, behind)

	const by = 50 * time.Millisecond
	late := arm(t, b.dialer, "a/1", workload.Rule{Message: "OffsetCommit", Way: workload.Request, Do: workload.Delay, By: by, Nth: 1})
	began := time.Now()
	sent := b.ask(3, commitRequest(8))
	wantProof(t, late, "is kept for 50ms")
	wantNext(t, b.server, sent)
	if after := time.Since(began); after < by {
		t.Errorf("what is kept for %s came after %s", by, after)
	}
}

// So it is with answers, whose reader waits in the network meanwhile, by its own deadlines.
func TestAnswersThatAreLate(t *testing.T) {
	b := connectKafka(t, newDialer(Kafka))
	held := arm(t, b.dialer, "a/1", commits(workload.Answer, workload.Hold, 0))
	b.ask(1, commitRequest(8))
	b.ask(2, kmsg.NewPtrHeartbeatRequest())
	first, behind := commitAnswer(1, 8, 0), commitAnswer(2, 8, 0)
	b.says(first, behind)
	wantNothing(t, b.conn)
	wantProof(t, held, "the answer to request 1 of")
	reads := make(chan error, 1)
	go func() {
		got := make([]byte, len(first)+len(behind))
		_, err := io.ReadFull(b.conn, got)
		if err == nil && !bytes.Equal(got, slices.Concat(first, behind)) {
			err = errors.New("the answers came otherwise")
		}
		reads <- err
	}()
	b.dialer.Rules.Lift("a/1")
	if err := <-reads; err != nil {
		t.Error(err)
	}
}

// A deadline that passes in the middle of an answer costs nothing of it.
func TestReadsOnAfterADeadline(t *testing.T) {
	b := connectKafka(t, newDialer(Kafka))
	b.ask(1, commitRequest(8))
	answer := commitAnswer(1, 8, 0)
	b.says(answer[:7])
	wantNothing(t, b.conn)
	b.says(answer[7:])
	wantNext(t, b.conn, answer)
}

// What is dropped is taken out of the connection, which goes on; a silenced one goes on the other way.
func TestDropAndSilence(t *testing.T) {
	b := connectKafka(t, newDialer(Kafka))
	arm(t, b.dialer, "a/1", commits(workload.Request, workload.Drop, 1))
	b.ask(1, commitRequest(8))
	wantNext(t, b.server, b.ask(2, commitRequest(8)))
	arm(t, b.dialer, "a/1", commits(workload.Answer, workload.Drop, 1))
	b.ask(3, commitRequest(8))
	b.says(commitAnswer(3, 8, 0), commitAnswer(2, 8, 0))
	wantNext(t, b.conn, commitAnswer(2, 8, 0))

	b = connectKafka(t, newDialer(Kafka))
	under := b.ask(1, kmsg.NewPtrHeartbeatRequest())
	arm(t, b.dialer, "a/1", commits(workload.Request, workload.Silence, 1))
	b.ask(2, commitRequest(8))
	b.ask(3, kmsg.NewPtrHeartbeatRequest())
	wantNext(t, b.server, under)
	wantNothing(t, b.server)
	b.says(commitAnswer(1, 8, 0))
	wantNext(t, b.conn, commitAnswer(1, 8, 0))

	b = connectKafka(t, newDialer(Kafka))
	arm(t, b.dialer, "a/1", commits(workload.Answer, workload.Silence, 1))
	sent := slices.Concat(b.ask(1, commitRequest(8)), b.ask(2, kmsg.NewPtrHeartbeatRequest()))
	wantNext(t, b.server, sent)
	b.says(commitAnswer(1, 8, 0), commitAnswer(2, 8, 0))
	wantNothing(t, b.conn)
}

// A request that its client has given up is in the network all the same, and comes; when its run has ended it does not.
func TestHeldWhenItsClientIsGone(t *testing.T) {
	for _, ends := range []bool{false, true} {
		b := connectKafka(t, newDialer(Kafka))
		arm(t, b.dialer, "a/1", commits(workload.Request, workload.Hold, 1))
		sent := b.ask(1, commitRequest(8))
		b.conn.Close()
		if _, err := b.conn.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("its client reads on: %v", err)
		}
		wantNothing(t, b.server)
		if ends {
			b.dialer.Rules.Clear(func(string) bool { return true })
		} else {
			b.dialer.Rules.Lift("a/1")
			wantNext(t, b.server, sent)
		}
		if n, err := b.server.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("after it came %d bytes, %v", n, err)
		}
	}
}

// A wall breaks the connections of whom it is for, and lets him make none; others come through, and he when it is lifted.
func TestWall(t *testing.T) {
	d := newDialer(Kafka)
	d.Of = "a/1"
	b := connectKafka(t, d)
	wall, err := d.Rules.Wall("a", workload.Wall{From: workload.OfKafka})
	if err != nil {
		t.Fatal(err)
	}
	wantProof(t, wall, "of a/1 was cut")
	if _, err := b.conn.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("he reads on: %v", err)
	}
	if _, err := b.conn.Write([]byte("x")); err == nil {
		t.Error("he writes on")
	}
	if _, err := d.DialContext(t.Context(), "tcp", b.server.LocalAddr().String()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("he connects: %v", err)
	}
	other := connectKafka(t, &Dialer{Protocol: Kafka, Rules: d.Rules, Of: "b/1"})
	other.says([]byte{0, 0, 0, 0})
	wantNext(t, other.conn, []byte{0, 0, 0, 0})
	d.Rules.Lift("a")
	if got := connectKafka(t, d).send(1, commitRequest(8)); len(got) == 0 {
		t.Error("after it nothing comes through")
	}
}

// Through a silent wall nothing comes either way, and all of it when it is lifted, as TCP sends again; who connects waits.
func TestSilentWall(t *testing.T) {
	d := newDialer(Kafka)
	d.Of = "a/1"
	b := connectKafka(t, d)
	b.ask(1, kmsg.NewPtrHeartbeatRequest())
	wantNext(t, b.server, kmsg.NewRequestFormatter(kmsg.FormatterClientID("a/1")).AppendRequest(nil, kmsg.NewPtrHeartbeatRequest(), 1))
	if _, err := d.Rules.Wall("a/1", workload.Wall{From: workload.OfKafka, Silently: true}); err != nil {
		t.Fatal(err)
	}
	sent := b.ask(2, commitRequest(8))
	b.says(commitAnswer(1, 8, 0))
	wantNothing(t, b.server)
	wantNothing(t, b.conn)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dialed := make(chan error, 1)
	go func() {
		c, err := d.DialContext(t.Context(), "tcp", l.Addr().String())
		if err == nil {
			c.Close()
		}
		dialed <- err
	}()
	select {
	case err := <-dialed:
		t.Fatalf("he connects through it: %v", err)
	case <-time.After(30 * time.Millisecond):
	}
	d.Rules.Lift("a/1")
	wantNext(t, b.server, sent)
	wantNext(t, b.conn, commitAnswer(1, 8, 0))
	if err := <-dialed; err != nil {
		t.Error(err)
	}
}

// Of frames that share a segment one can be taken out, and comes later in one of its own: a driver checks their sums.
func TestOneFrameOfASegment(t *testing.T) {
	for _, version := range []byte{4, 5} {
		p := connect(t, version)
		arm(t, p.dialer, "run a/1", workload.Rule{Message: workload.Writes, Way: workload.Answer, Do: workload.Hold, Nth: 1})
		p.send(1, "run a/1/flush", update)
		p.send(2, "run b/1", update)
		mine, other := message(0x80|version, 1, opResult, done), message(0x80|version, 2, opResult, done)
		p.serve(p.wrap(mine, other))
		p.wantRead(p.wrap(other))
		p.dialer.Rules.Lift("run a/1")
		p.wantRead(p.wrap(mine))
	}
}

// A statement that is held is overtaken, on a connection that is not its alone; selects and deletes are statements like others.
func TestStatementsOvertake(t *testing.T) {
	p := connect(t, 5)
	for _, s := range []persistence.Statement{{Verb: persistence.Select}, {Verb: persistence.Remove}} {
		held := arm(t, p.dialer, "run a/1", workload.Rule{Message: s.Form(), Way: workload.Request, Do: workload.Hold, Nth: 1})
		sent := p.send(1, "run a/1", s)
		wantNext(t, p.server, p.send(2, "run a/1", update))
		wantProof(t, held, s.Form())
		p.dialer.Rules.Lift("run a/1")
		wantNext(t, p.server, sent)
	}
}

// The n-th that is meant is struck, each, or some by a chance that is the same for the same seed; a chance of 0 changes nothing.
func TestWhichAreStruck(t *testing.T) {
	struck := func(r workload.Rule) (lost []int32) {
		b := connectKafka(t, newDialer(Kafka))
		arm(t, b.dialer, "a/1", r)
		for i := range int32(10) {
			b.ask(i, commitRequest(8))
		}
		b.ask(10, kmsg.NewPtrHeartbeatRequest())
		at := int32(0)
		for {
			head := make([]byte, requestHeader)
			if _, err := io.ReadFull(b.server, head); err != nil {
				t.Fatal(err)
			}
			if _, err := io.CopyN(io.Discard, b.server, int64(Kafka().unit(head)-requestHeader)); err != nil {
				t.Fatal(err)
			}
			id := Kafka().request(head)
			for ; at < id; at++ {
				lost = append(lost, at)
			}
			if at++; id == 10 {
				return lost
			}
		}
	}
	if got := struck(commits(workload.Request, workload.Drop, 3)); !slices.Equal(got, []int32{2}) {
		t.Errorf("of the third: %v", got)
	}
	if got := struck(commits(workload.Request, workload.Drop, 0)); len(got) != 10 {
		t.Errorf("of each: %v", got)
	}
	drawn := commits(workload.Request, workload.Drop, 0)
	drawn.Draw = &workload.Draw{Chance: 0.5, Seed: 7}
	if got := struck(drawn); !slices.Equal(got, struck(drawn)) || len(got) < 2 || len(got) > 8 {
		t.Errorf("by a chance of a half: %v, then %v", got, struck(drawn))
	}
	drawn.Draw.Chance = 0
	if got := struck(drawn); len(got) > 0 {
		t.Errorf("by a chance of 0: %v", got)
	}
}

// What shares connections with others is, when it was under way before a wall went up, answered; what comes after is not sent.
func TestWallBeforeWhatIsUnderWay(t *testing.T) {
	b := connectKafka(t, newDialer(Kafka))
	arm(t, b.dialer, "z", commits(workload.Request, workload.Drop, 1))
	sent := b.ask(1, commitRequest(8))
	wantNext(t, b.server, sent)
	wall, err := b.dialer.Rules.Wall("a", workload.Wall{From: workload.OfKafka})
	if err != nil {
		t.Fatal(err)
	}
	b.says(commitAnswer(1, 8, 0))
	wantNext(t, b.conn, commitAnswer(1, 8, 0))
	b.ask(2, commitRequest(8))
	wantProof(t, wall, "was not sent")
}

// Where connections are shared a silence is between a worker and all servers of the kind.
func TestSilenceOnSharedConnections(t *testing.T) {
	d := newDialer(Kafka)
	one, two := connectKafka(t, d), connectKafka(t, d)
	arm(t, d, "a/1", commits(workload.Request, workload.Silence, 1))
	one.ask(1, commitRequest(8))
	two.ask(1, kmsg.NewPtrHeartbeatRequest())
	wantNothing(t, two.server)
}

// What a rule has made late goes with the run, also when the rule has done its work.
func TestClearTakesWhatIsLate(t *testing.T) {
	b := connectKafka(t, newDialer(Kafka))
	late := arm(t, b.dialer, "a/1", workload.Rule{Message: "OffsetCommit", Way: workload.Request, Do: workload.Delay, By: time.Minute, Nth: 1})
	b.ask(1, commitRequest(8))
	wantProof(t, late, "is kept for")
	if !b.conn.(*conn).out.waits() {
		t.Fatal("nothing waits")
	}
	b.dialer.Rules.Clear(func(string) bool { return true })
	if b.conn.(*conn).out.waits() {
		t.Error("it waits on")
	}
}
