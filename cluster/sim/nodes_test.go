package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// put and got are a plain write of a key and a read of it.
func put(key string, at int64) persistence.Statement {
	return persistence.Statement{Verb: persistence.Update, Key: key, Timestamp: at, Offset: at, Value: []byte("v"), Metadata: "m"}
}

func get(key string) persistence.Statement {
	return persistence.Statement{Verb: persistence.Select, Key: key}
}

// said is what came of a statement, in short.
func said(call persistence.Call[persistence.Answer]) string {
	a, outcome, err := call.Await()
	switch {
	case err != nil:
		return fmt.Sprintf("%s %s", outcome.Type(), persistence.CodeOf(err))
	case a.Row != nil:
		return fmt.Sprintf("@%d", a.Row.Offset.N)
	case a.Applied:
		return "applied"
	}
	return "nothing"
}

func wantSaid(t *testing.T, what string, call persistence.Call[persistence.Answer], want string) {
	t.Helper()
	if got := said(call); got != want {
		t.Errorf("%s: %s, not %s", what, got, want)
	}
}

// local reads what one node has, as if it were a quorum that no message left.
func (w *World) local(node int, key string) persistence.Call[persistence.Answer] {
	quorum := w.store.Rules.Quorum
	alone(w.store.Rules)
	w.Lose(func(cluster.Message) bool { return true })
	call := w.Through(node, get(key))
	call.Await()
	w.store.Rules.Quorum = quorum
	w.Lose(nil)
	return call
}

// Each trouble of one node of three is seen by clients of it and by its peers, before they know of it and after, and is over when
// it is healed.
func TestTroublesOfANode(t *testing.T) {
	for _, c := range []struct {
		trouble workload.Trouble
		proof   string
		// at and later are what a write through the node comes to, when it was struck and when all know it; others one through a peer.
		at, later, others string
		healed            time.Duration
	}{
		{workload.Killed, "has ended: its connections broke, and nobody listens", "info connection-closed", "info connection-closed", "applied", 11 * time.Second},
		{workload.Full, "has ended: there is no space on its disk", "info connection-closed", "info connection-closed", "applied", 11 * time.Second},
		{workload.Paused, "answers no request", "info timeout", "info timeout", "applied", time.Second},
		{workload.Isolated, "and its peers do not reach each other; it answers clients", "info write-timeout-SIMPLE", "fail unavailable", "applied", time.Second},
		{workload.Deaf, "hears nothing of its peers, and they hear it; it answers clients", "info write-timeout-SIMPLE", "fail unavailable", "applied", time.Second},
		{workload.Mute, "is not heard by its peers, and hears them; it answers clients", "info write-timeout-SIMPLE", "fail unavailable", "applied", time.Second},
		{workload.Unreachable, "answers no client; it and its peers reach each other", "info timeout", "info timeout", "applied", time.Second},
	} {
		t.Run(string(c.trouble), func(t *testing.T) {
			w := served(1, 1, 3)
			mustPlay(t, w, func(p workload.World) {
				if proof := must(t, w.Strike("cassandra-2", c.trouble)); proof != "cassandra-2 "+c.proof {
					t.Error(proof)
				}
				wantSaid(t, "through it", w.Through(1, put("k", 1)), c.at)
				wantSaid(t, "through a peer", w.Through(0, put("k", 2)), c.others)
				p.Sleep(convicted)
				wantSaid(t, "through it, when its peers know", w.Through(1, put("k", 3)), c.later)
				wantSaid(t, "through a peer that knows", w.Through(0, put("k", 4)), c.others)
				began := p.Now()
				must(t, w.Heal("cassandra-2"))
				if took := p.Now() - began; took > c.healed {
					t.Errorf("it took %s to heal", took)
				}
				p.Sleep(time.Second)
				wantSaid(t, "through it, healed", w.Through(1, put("k", 5)), "applied")
				wantSaid(t, "from it", w.Through(1, get("k")), "@5")
				must(t, w.Strike("cassandra-2", c.trouble))
			})
		})
	}
}

// Of two nodes that are gone their peer knows after a while; before it finds out by waiting. Only then it is certain that nothing comes
// of what it is asked.
func TestQuorumLost(t *testing.T) {
	w := served(1, 1, 3)
	cas := persistence.Statement{Verb: persistence.Insert, If: persistence.IfNotExists, Key: "c", Metadata: "m"}
	mustPlay(t, w, func(p workload.World) {
		w.Strike("cassandra-2", workload.Killed)
		must(t, w.Strike("cassandra-3", workload.Isolated))
		wantSaid(t, "a plain write", w.Through(0, put("k", 1)), "info write-timeout-SIMPLE")
		wantSaid(t, "a conditional one", w.Through(0, cas), "info write-timeout-CAS")
		p.Sleep(convicted)
		wantSaid(t, "a plain write", w.Through(0, put("l", 1)), "fail unavailable")
		wantSaid(t, "a conditional one", w.Through(0, cas), "fail unavailable")
		must(t, w.Heal("cassandra-3"))
		wantSaid(t, "what had no effect", w.Through(0, get("l")), "nothing")
		wantSaid(t, "with a quorum again", w.Through(2, cas), "applied")
	})
}

// What a node has stored is there after its process ended. What it missed meanwhile it lacks until a read repairs it.
func TestWhatAKilledNodeHas(t *testing.T) {
	w := served(1, 1, 3)
	mustPlay(t, w, func(p workload.World) {
		wantSaid(t, "a write", w.Through(0, put("k", 1)), "applied")
		p.Sleep(time.Second)
		must(t, w.Strike("cassandra-3", workload.Killed))
		wantSaid(t, "a write without it", w.Through(0, put("k", 2)), "applied")
		must(t, w.Heal("cassandra-3"))
		wantSaid(t, "what it has", w.local(2, "k"), "@1")
		wantSaid(t, "a read through it", w.Through(2, get("k")), "@2")
	})
}

// A node that stands still does what it was sent when it goes on, though the client has given up: both statements are applied
// (measured on Cassandra 5.0.5, the only node paused for 3 and for 15 s). Killed, it does nothing of that.
func TestLateApply(t *testing.T) {
	for trouble, want := range map[workload.Trouble]string{workload.Paused: "@2", workload.Killed: "nothing"} {
		w := served(1, 1, 1)
		mustPlay(t, w, func(p workload.World) {
			must(t, w.Strike("cassandra-1", workload.Paused))
			calls := []persistence.Call[persistence.Answer]{w.Start(put("k", 1)), w.Start(put("k", 2))}
			for _, c := range calls {
				wantSaid(t, "a statement to a node that stands still", c, "info timeout")
			}
			p.Sleep(10 * time.Second)
			if trouble == workload.Killed {
				w.between.nodes[0].end()
			}
			must(t, w.Heal("cassandra-1"))
			wantSaid(t, "read when it goes on", w.Start(get("k")), want)
		})
	}
}

// What was sent to a replica that stands still comes when it goes on, late as it is (internode_timeout: false).
func TestLateReplica(t *testing.T) {
	w := served(1, 1, 3)
	mustPlay(t, w, func(p workload.World) {
		must(t, w.Strike("cassandra-3", workload.Paused))
		wantSaid(t, "a write", w.Through(0, put("k", 1)), "applied")
		p.Sleep(5 * time.Second)
		must(t, w.Heal("cassandra-3"))
		wantSaid(t, "what it has", w.local(2, "k"), "@1")
	})
}

// The driver sends nothing to a node whose connections broke, and gives those up on which nothing is answered; of the only node it
// then says so.
func TestDriver(t *testing.T) {
	w := served(3, 1, 3)
	mustPlay(t, w, func(p workload.World) {
		must(t, w.Strike("cassandra-1", workload.Killed))
		for range 20 {
			wantSaid(t, "a read with one node gone", w.Start(get("k")), "nothing")
		}
		must(t, w.Strike("cassandra-2", workload.Unreachable))
		p.Sleep(unanswered)
		for range 20 {
			wantSaid(t, "a read by the last one", w.Start(get("k")), "nothing")
		}
		must(t, w.Strike("cassandra-3", workload.Killed))
		wantSaid(t, "a read of nobody", w.Start(get("k")), "fail no-connections")
		must(t, w.Heal("cassandra-2"))
		must(t, w.Heal("cassandra-3"))
		for range 20 {
			wantSaid(t, "a read", w.Start(get("k")), "nothing")
		}
	})
	w = served(1, 1, 1)
	mustPlay(t, w, func(p workload.World) {
		must(t, w.Strike("cassandra-1", workload.Paused))
		wantSaid(t, "the only node, standing still", w.Start(get("k")), "info timeout")
		p.Sleep(unanswered)
		wantSaid(t, "when the driver knows", w.Start(get("k")), "fail no-connections")
		must(t, w.Heal("cassandra-1"))
		wantSaid(t, "when it goes on", w.Start(get("k")), "nothing")
	})
}

// harmed is what is done to nodes, one after another: a trouble, and how long it lasts.
type harmed struct {
	Node    int
	Trouble workload.Trouble
	For     time.Duration
}

// Whatever becomes of one node at a time: what conditional writes, SERIAL reads and QUORUM reads answer is what one register
// guarded by its offset could have, and what was acknowledged is there at the end.
func TestReplicasAreOneRegisterInTrouble(t *testing.T) {
	troubles := []workload.Trouble{workload.Killed, workload.Paused, workload.Isolated, workload.Deaf, workload.Mute, workload.Unreachable, workload.Full}
	rapid.Check(t, func(t *rapid.T) {
		deeds := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) harmed {
			return harmed{rapid.IntRange(1, 3).Draw(t, "node"), rapid.SampledFrom(troubles).Draw(t, "trouble"),
				time.Duration(rapid.IntRange(1, 15000).Draw(t, "ms")) * time.Millisecond}
		}), 1, 4).Draw(t, "troubles")
		seed := rapid.Int64().Draw(t, "seed")
		h := newCrowd(served(seed, 1, 3))
		h.meanwhile = func(p workload.World) {
			for _, d := range deeds {
				name := fmt.Sprintf("cassandra-%d", d.Node)
				if _, outcome, err := h.w.Strike(name, d.Trouble).Await(); outcome != persistence.Answered {
					t.Fatal(err)
				}
				p.Sleep(d.For)
				if _, outcome, err := h.w.Heal(name).Await(); outcome != persistence.Answered {
					t.Fatal(err)
				}
			}
		}
		h.pace = 300 * time.Millisecond
		if err := h.atOnce(seed, rapid.IntRange(2, 4).Draw(t, "clients"), 25, even); err != nil {
			t.Fatal(err)
		}
		if broken := h.broken(); broken != "" {
			t.Fatal(broken)
		}
	})
}

// The same seed and the same troubles give the same answers.
func TestTroublesReplay(t *testing.T) {
	play := func(seed int64) string {
		memory := history.NewMemory(history.Header{})
		opened, err := Cluster{Strategy: PCT}.Open(t.Context(), cluster.Spec{Seed: seed, Partitions: 1, Cassandra: 3}, memory)
		if err != nil {
			t.Fatal(err)
		}
		h := newCrowd(opened.(*World))
		h.meanwhile = func(workload.World) {
			for _, trouble := range []workload.Trouble{workload.Paused, workload.Killed, workload.Deaf} {
				must(t, h.w.Strike("cassandra-2", trouble))
				must(t, h.w.Heal("cassandra-2"))
			}
		}
		h.pace = 200 * time.Millisecond
		if err := h.atOnce(seed, 3, 40, even); err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, o := range h.asked {
			text += fmt.Sprintf("%+v\n", *o)
		}
		return text
	}
	first := play(1)
	for range 3 {
		if d := cmp.Diff(first, play(1)); d != "" {
			t.Fatalf("one seed, two answers:\n%s", d)
		}
	}
	if first == play(2) {
		t.Error("two seeds, one answer")
	}
}
