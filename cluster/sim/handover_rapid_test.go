package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// deed is something done to a member, or with it, in a group that is never left in peace.
type deed struct {
	What, Who    string
	Milliseconds int
}

// handovers are three names under which members come and go, and who has been handed what.
type handovers struct {
	w       *World
	config  workload.MemberConfig
	members map[string]*member
	lives   int
	// has is what each member was handed and not the end of.
	has map[*member]map[int32]bool
	// owner is, by partition, the member that was handed it last; letGo tells that it was handed the end of that, and has
	// polled since.
	owner map[int32]*member
	letGo map[int32]bool
	// generation is, by generation and partition, who was handed it there.
	generation map[string]*member
	broken     string
}

func (h *handovers) do(p workload.World, d deed) {
	m := h.members[d.Who]
	switch {
	case m == nil:
		h.lives++
		made, _ := h.w.NewMember(fmt.Sprintf("%s/%d", d.Who, h.lives), h.config)
		m = made.(*member)
		h.members[d.Who], h.has[m] = m, map[int32]bool{}
	case d.What == "poll":
		h.poll(m, time.Duration(d.Milliseconds)*time.Millisecond)
	case d.What == "stall":
		p.Sleep(time.Duration(d.Milliseconds) * 10 * time.Millisecond)
	case d.What == "leave":
		m.Leave()
		delete(h.members, d.Who)
	case d.What == "kill":
		m.Sever()
		delete(h.members, d.Who)
	case d.What == "evict" && m.token.Member != "":
		h.w.Evict(m.token.Member).Await()
	}
}

func (h *handovers) poll(m *member, wait time.Duration) {
	for partition, owner := range h.owner {
		if owner == m && !h.has[m][partition] {
			h.letGo[partition] = true
		}
	}
	p := m.Poll(1, wait)
	for _, a := range p.Partitions {
		h.has[m][a.Partition] = p.Change == workload.WasAssigned
		if p.Change == workload.WasAssigned {
			h.assigned(m, p.Token.Generation, a.Partition)
		}
	}
	for _, r := range p.Records {
		if !h.has[m][r.Partition] {
			h.fail("%s was handed a record of partition %d, which it has not", m.client, r.Partition)
		}
	}
}

// assigned judges a hand-out: the owner before has let go, or the coordinator knows it no more. A member that was put out
// while its assignment was on the way does not know yet; it owns nothing.
func (h *handovers) assigned(m *member, generation, partition int32) {
	if !h.listed(m) {
		return
	}
	before := h.owner[partition]
	if before != nil && !h.letGo[partition] && h.listed(before) && before != m {
		h.fail("partition %d went from %s to %s, and the first had not let it go", partition, before.client, m.client)
	}
	at := fmt.Sprintf("generation %d partition %d", generation, partition)
	if other := h.generation[at]; other != nil && other != m {
		h.fail("%s was handed to %s and to %s", at, other.client, m.client)
	}
	h.owner[partition], h.generation[at] = m, m
	delete(h.letGo, partition)
}

func (h *handovers) listed(m *member) bool {
	return slices.ContainsFunc(h.w.kafka.coordinator().group.members, func(n *groupMember) bool { return n.id == m.token.Member })
}

func (h *handovers) fail(format string, args ...any) {
	if h.broken == "" {
		h.broken = fmt.Sprintf(format, args...)
	}
}

// TestHandovers: whatever is done to the members, nobody is handed a partition before its owner was handed the end of that
// and has polled since, or was removed; a generation gives a partition to one member; nobody is handed a record of what it
// has not; and left alone, who is left has all of them.
func TestHandovers(t *testing.T) {
	for _, a := range []workload.Assignor{workload.Eager, workload.Cooperative} {
		t.Run(string(a), func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				deeds := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) deed {
					return deed{
						What:         rapid.SampledFrom([]string{"poll", "poll", "poll", "poll", "poll", "stall", "leave", "kill", "evict"}).Draw(r, "what"),
						Who:          rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "who"),
						Milliseconds: rapid.IntRange(1, 150).Draw(r, "milliseconds"),
					}
				}), 1, 120).Draw(r, "deeds")
				h := play(t, a, rapid.Int64Range(0, 1<<20).Draw(r, "seed"), deeds)
				if h.broken != "" {
					r.Fatal(h.broken)
				}
			})
		})
	}
}

// play does the deeds, and then polls whoever is left until one of them has each partition.
func play(t *testing.T, a workload.Assignor, seed int64, deeds []deed) *handovers {
	w := New(seed, 4, history.NewMemory(history.Header{}))
	h := &handovers{w: w, config: quick, members: map[string]*member{}, has: map[*member]map[int32]bool{}, owner: map[int32]*member{},
		letGo: map[int32]bool{}, generation: map[string]*member{}}
	h.config.Assignor = a
	mustPlay(t, w, func(p workload.World) {
		for n := range int32(200) {
			w.append(n%4, nil)
		}
		for _, d := range append(deeds, deed{Who: "a"}) {
			h.do(p, d)
		}
		for until := p.Now() + 8*time.Second; p.Now() < until; {
			for _, who := range []string{"a", "b", "c"} {
				if m := h.members[who]; m != nil {
					h.poll(m, 100*time.Millisecond)
				}
			}
		}
		for partition := range int32(4) {
			if owner := h.owner[partition]; owner == nil || !h.has[owner][partition] || !h.listed(owner) {
				h.fail("nobody has partition %d: %s", partition, w.kafka.coordinator().group.Describe().Raw)
			}
		}
	})
	return h
}
