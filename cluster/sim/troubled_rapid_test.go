package sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// troubled is two members and a producer on three brokers to which something happens all the time.
type troubled struct {
	w *World
	// acknowledged are the offsets of the records that were, accepted and doubtful the commits, and read what each member was handed.
	acknowledged       []int64
	accepted, doubtful map[int64]bool
	read               map[int64]bool
	over               bool
	broken             string
}

func (m *troubled) fail(format string, args ...any) {
	if m.broken == "" {
		m.broken = fmt.Sprintf(format, args...)
	}
}

// member polls and commits what it has read, until the troubles are over and there is nothing more; it is another when it fails.
func (m *troubled) member(p workload.World, name string) {
	c := steady
	c.SessionTimeout, c.RequestTimeout, c.MaxPollInterval = 3*time.Second, time.Second, 5*time.Second
	made, _ := m.w.NewMember(name, c)
	var token workload.Token
	for !m.over {
		got := made.Poll(3, 200*time.Millisecond)
		if got.Change == workload.WasAssigned {
			token = got.Token
		}
		for _, r := range got.Records {
			m.read[r.Offset] = true
		}
		if n := len(got.Records); n > 0 {
			next := got.Records[n-1].Offset + 1
			a, outcome, err := made.Commit(token, 0, next).Await()
			switch {
			case outcome == persistence.Unknown:
				m.doubtful[next] = true
			case outcome == persistence.Answered && a.Code == codeNone:
				m.accepted[next] = true
			case outcome == persistence.Failed && persistence.CodeOf(err) != "no-coordinator":
				m.fail("a commit: %v", err)
			}
		}
		p.Sleep(10 * time.Millisecond)
	}
}

// strikes are the troubles of a broker that come one after another.
var strikes = []workload.Trouble{
	workload.Killed, workload.Paused, workload.Isolated, workload.Deaf, workload.Mute, workload.Unreachable, workload.Full,
}

// run does what is to be done to the brokers, and lets what is left come to its end.
func (m *troubled) run(p workload.World, deeds []harmed, records int) {
	p.Go("a/1", func(p workload.World) { m.member(p, "a/1") })
	p.Go("b/1", func(p workload.World) { m.member(p, "b/1") })
	fed := false
	p.Go("producer", func(p workload.World) {
		for range records {
			a, outcome, err := m.w.Produce(0, "", nil).Await()
			if outcome == persistence.Answered {
				m.acknowledged = append(m.acknowledged, a.Offset)
			} else if persistence.CodeOf(err) != "timeout" {
				m.fail("a record: %v", err)
			}
			p.Sleep(150 * time.Millisecond)
		}
		fed = true
	})
	for _, d := range deeds {
		name := fmt.Sprintf("kafka-%d", d.Node)
		for _, call := range []func() persistence.Call[string]{
			func() persistence.Call[string] { return m.w.Strike(name, d.Trouble) },
			func() persistence.Call[string] { p.Sleep(d.For); return m.w.Heal(name) },
		} {
			if _, outcome, err := call().Await(); outcome != persistence.Answered {
				m.fail("%s %s: %v", d.Trouble, name, err)
			}
		}
	}
	p.Await(time.Hour, func() bool { return fed })
	p.Await(time.Minute, func() bool { return len(m.read) >= len(m.w.kafka.input[0].entries) })
	p.Sleep(5 * time.Second)
	m.over = true
	p.Sleep(5 * time.Second)
}

// judge compares what was acknowledged with what is there.
func (m *troubled) judge() {
	l := m.w.kafka.input[0]
	for i, offset := range m.acknowledged {
		if offset >= int64(l.high) || l.entries[offset].number <= 0 {
			m.fail("record %d was acknowledged at %d, and the log ends at %d", i, offset, l.high)
		}
	}
	if !slices.IsSorted(m.acknowledged) || len(slices.Compact(slices.Clone(m.acknowledged))) != len(m.acknowledged) {
		m.fail("records are twice in the log, or out of order: %v", m.acknowledged)
	}
	for offset := range int64(l.high) {
		if !m.read[offset] {
			m.fail("nobody was handed @%d of %d", offset, l.high)
		}
	}
	logged := map[int64]bool{}
	for _, offset := range m.w.inLog() {
		if logged[offset] = true; !m.accepted[offset] && !m.doubtful[offset] {
			m.fail("the commit of %d is in the log, and was refused", offset)
		}
	}
	for offset := range m.accepted {
		if !logged[offset] {
			m.fail("the commit of %d was accepted, and is not in the log", offset)
		}
	}
	for _, log := range m.w.kafka.partitions() {
		for i := range m.w.kafka.brokers {
			if !log.holds(i) {
				m.fail("kafka-%d is not in sync at the end", i+1)
			}
		}
	}
}

// Whatever becomes of one broker at a time: no record that was acknowledged is lost, none is there twice, all are handed out, and of
// commits those that were accepted are in the log, and none that was refused; at the end all replicas are in sync.
func TestBrokersInTrouble(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		deeds := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) harmed {
			return harmed{rapid.IntRange(1, 3).Draw(t, "broker"), rapid.SampledFrom(strikes).Draw(t, "trouble"),
				time.Duration(rapid.IntRange(0, 6000).Draw(t, "ms")) * time.Millisecond}
		}), 1, 4).Draw(t, "troubles")
		if broken := trouble(t, rapid.Int64().Draw(t, "seed"), deeds, 30); broken != "" {
			t.Fatal(broken)
		}
	})
}

func trouble(t interface{ Fatal(...any) }, seed int64, deeds []harmed, records int) string {
	m := &troubled{w: served(seed, 3, 1), accepted: map[int64]bool{}, doubtful: map[int64]bool{}, read: map[int64]bool{}}
	if err := m.w.Board().Run("root", func(p workload.World) { m.run(p, deeds, records) }); err != nil {
		t.Fatal(err)
	}
	m.judge()
	return m.broken
}

// The same seed and the same troubles give the same, in every detail that can be told; of two hundred seeds no two do.
func TestBrokersReplay(t *testing.T) {
	deeds := []harmed{{1, workload.Isolated, 2 * time.Second}, {2, workload.Killed, time.Second}, {3, workload.Paused, 3 * time.Second}}
	play := func(seed int64) string {
		m := &troubled{w: served(seed, 3, 1), accepted: map[int64]bool{}, doubtful: map[int64]bool{}, read: map[int64]bool{}}
		if err := m.w.Board().Run("root", func(p workload.World) { m.run(p, deeds, 20) }); err != nil {
			t.Fatal(err)
		}
		m.judge()
		log, err := json.Marshal(m.w.kafka.readGroupLog())
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s %v %s %s", m.broken, m.acknowledged, log, m.w.scheduler.now)
	}
	all := map[string]int64{}
	for seed := range int64(200) {
		text := play(seed)
		if other, is := all[text]; is {
			t.Errorf("seeds %d and %d give the same", other, seed)
		}
		all[text] = seed
		if seed%20 == 0 && play(seed) != text {
			t.Errorf("seed %d gives another result when it is done again", seed)
		}
	}
}
