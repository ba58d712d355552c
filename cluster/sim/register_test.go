package sim

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/single-writer/chaos/checker/register"
	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/sim/cassandra"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// crowd are clients that write one row of a store, each write IF offset <= its own, and read it, all at once.
type crowd struct {
	w     *World
	asked []*register.Operation
	// events counts calls and answers.
	events int
	// doubts are the writes that had no answer, shown those that a read has shown.
	doubts, shown map[string]bool
	// pace is the most that a client waits before it does something, meanwhile what is done to the servers.
	pace      time.Duration
	meanwhile func(workload.World)
}

func newCrowd(w *World) *crowd {
	return &crowd{w: w, doubts: map[string]bool{}, shown: map[string]bool{}}
}

func (c *crowd) event() int {
	c.events++
	return c.events
}

// write writes an offset under an id, and notes what is known of it then.
func (c *crowd) write(id string, offset int64) {
	o := &register.Operation{
		Kind: register.Writing, Call: c.event(), Offset: offset,
		Held: register.By(&history.Row{Offset: history.Some(offset), Write: id}),
	}
	a, outcome, _ := c.w.Start(persistence.Statement{
		Verb: persistence.Update, If: persistence.IfOffsetAtMost, Key: "k", Offset: offset, Metadata: id,
	}).Await()
	o.Return = c.event()
	switch {
	case outcome == persistence.Failed:
		return
	case outcome == persistence.Unknown:
		o.Return = register.Never
		c.doubts[id] = true
	case a.Applied:
		o.Certain = true
	default:
		o.Kind, o.Held = register.Refusing, register.At(a.Stored)
	}
	c.asked = append(c.asked, o)
}

// read reads the row, and notes what it shows, if it was answered.
func (c *crowd) read(serial bool) {
	o := &register.Operation{Kind: register.Reading, Call: c.event()}
	a, outcome, _ := c.w.Start(persistence.Statement{Verb: persistence.Select, Key: "k", Serial: serial}).Await()
	o.Return = c.event()
	if outcome != persistence.Answered {
		return
	}
	o.Held = register.By(nil)
	if a.Row != nil {
		o.Held = register.By(&history.Row{Offset: a.Row.Offset, Write: a.Row.Metadata})
		c.shown[a.Row.Metadata] = true
	}
	c.asked = append(c.asked, o)
}

// mix is what part of what the clients do are reads, and what part of those are at SERIAL.
type mix struct{ reads, serial float64 }

// even is as many reads as writes.
var even = mix{0.5, 0.5}

// atOnce lets so many clients do so many things each. At last the row is read at SERIAL by nobody whose messages are lost.
func (c *crowd) atOnce(seed int64, clients, deeds int, m mix) error {
	return c.w.Board().Run("drain", func(p workload.World) {
		busy := clients
		c.w.Start(persistence.Statement{Verb: persistence.Insert, If: persistence.IfNotExists, Key: "k", Metadata: "first"}).Await()
		for n := range clients {
			p.Go(fmt.Sprintf("%c/1", 'a'+n), func(p workload.World) {
				rng := rand.New(rand.NewPCG(uint64(seed), uint64(n)))
				defer func() { busy-- }()
				for i := range deeds {
					if c.pace > 0 {
						p.Sleep(time.Duration(rng.Int64N(int64(c.pace))))
					}
					if rng.Float64() < m.reads {
						c.read(rng.Float64() < m.serial)
					} else {
						c.write(fmt.Sprintf("%c%d", 'a'+n, i), rng.Int64N(6))
					}
				}
			})
		}
		if c.meanwhile != nil {
			c.meanwhile(p)
		}
		p.Await(time.Hour, func() bool { return busy == 0 })
		c.read(true)
	})
}

// broken says how what was answered cannot have come from one register, nothing if it can.
func (c *crowd) broken() string {
	slices.SortStableFunc(c.asked, func(a, b *register.Operation) int { return cmp.Compare(a.Call, b.Call) })
	first := register.By(&history.Row{Offset: history.Some(0), Write: "first"})
	for _, s := range register.Split(first, c.asked, false) {
		if legal, known := s.Linearizable(); known && !legal {
			text := "no order explains:"
			for _, o := range s.UpToFailure().Smallest().Operations {
				text += fmt.Sprintf("\n  %+v", *o)
			}
			return text
		}
	}
	return ""
}

// crowded is a crowd on a simulated store.
func crowded(c Cluster, seed int64) *crowd {
	w, err := c.Open(context.Background(), cluster.Spec{Seed: seed, Partitions: 1}, history.NewMemory(history.Header{}))
	if err != nil {
		panic(err)
	}
	return newCrowd(w.(*World))
}

// However many nodes there are, however many of their messages are lost, and however wrong their clocks are: what conditional
// writes, SERIAL reads and QUORUM reads answer is what one register guarded by its offset could have.
func TestReplicasAreOneRegister(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Cluster{
			Strategy: rapid.SampledFrom(Strategies()).Draw(t, "strategy"),
			Replicas: rapid.SampledFrom([]int{3, 1, 5}).Draw(t, "replicas"),
			Loss:     rapid.Float64Range(0, 0.1).Draw(t, "loss"),
			Skew:     time.Duration(rapid.IntRange(0, 100).Draw(t, "skew")) * time.Millisecond,
		}
		m := mix{rapid.Float64Range(0, 1).Draw(t, "reads"), rapid.Float64Range(0, 1).Draw(t, "serial")}
		seed := rapid.Int64().Draw(t, "seed")
		h := crowded(c, seed)
		if err := h.atOnce(seed, rapid.IntRange(2, 4).Draw(t, "clients"), rapid.IntRange(1, 12).Draw(t, "deeds"), m); err != nil {
			t.Fatal(err)
		}
		if broken := h.broken(); broken != "" {
			t.Fatal(broken)
		}
	})
}

// lossyReplicas is a store that loses enough for all that can be in doubt to be.
var lossyReplicas = Cluster{Replicas: 3, Loss: 0.05}

// Of writes in doubt some are shown later, and some never come.
func TestDoubtfulWritesLandOrNot(t *testing.T) {
	landed, never := 0, 0
	for seed := range int64(40) {
		h := crowded(lossyReplicas, seed)
		if err := h.atOnce(seed, 3, 8, even); err != nil {
			t.Fatal(err)
		}
		for id := range h.doubts {
			if h.shown[id] {
				landed++
			} else {
				never++
			}
		}
	}
	if landed < 5 || never < 5 {
		t.Errorf("of the writes in doubt %d were shown later and %d were not", landed, never)
	}
}

// Take a rule of the rounds away, and there is a seed with which the store is no register any more. (That a round without a
// write shuts out those before it no register can show: who is in doubt may come at any time. The fact accepted-by-one does.)
func TestEachRuleOfTheRoundsIsNeeded(t *testing.T) {
	for name, change := range map[string]func(*cassandra.Rules){
		"a promise is kept":               func(r *cassandra.Rules) { r.After = func(_, _ cassandra.Stamp) bool { return true } },
		"a majority is needed":            alone,
		"what was accepted is finished":   unfinished,
		"only what is decided is written": undecided,
		"accepted by some is not refused": func(r *cassandra.Rules) { r.Unsure = func(int) bool { return false } },
		"a read repairs before it shows":  func(r *cassandra.Rules) { r.Repairs = false },
		"the greater timestamp wins":      func(r *cassandra.Rules) { r.Wins = func(_, _ cassandra.Written, _ bool) bool { return true } },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range int64(2000) {
				h := crowded(lossyReplicas, seed)
				change(h.w.store.Rules)
				if err := h.atOnce(seed, 4, 10, mix{reads: 0.7}); err != nil {
					t.Fatal(err)
				}
				if broken := h.broken(); broken != "" {
					t.Logf("seed %d: %s", seed, broken)
					return
				}
			}
			t.Error("2000 seeds show nothing")
		})
	}
}

// The same seed gives the same answers.
func TestReplicasReplay(t *testing.T) {
	play := func() string {
		h := crowded(Cluster{Replicas: 3, Loss: 0.1, Skew: time.Second, Strategy: PCT}, 7)
		if err := h.atOnce(7, 4, 20, even); err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, o := range h.asked {
			text += fmt.Sprintf("%+v\n", *o)
		}
		return text
	}
	first := play()
	for range 5 {
		if again := play(); again != first {
			t.Fatalf("one seed, two answers:\n%s\n%s", first, again)
		}
	}
}
