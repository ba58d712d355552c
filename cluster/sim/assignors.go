package sim

import (
	"cmp"
	"slices"

	"github.com/single-writer/chaos/workload"
)

// subscription is what a member tells the leader when it joins: who it is, and, if it is cooperative, what it owns and since
// which generation (KIP-429, KIP-792). A claim of an older generation than another's is out of date.
type subscription struct {
	id         string
	owned      []int32
	generation int32
}

// unchanged tells whether a member says the same as when it joined before.
func (s subscription) unchanged(before subscription) bool {
	return s.id == before.id && s.generation == before.generation && slices.Equal(s.owned, before.owned)
}

// assign is what the leader works out of the subscriptions, for the one topic of so many partitions.
func assign(a workload.Assignor, members []subscription, partitions int) map[string][]int32 {
	if a == workload.Cooperative {
		return assignCooperative(members, partitions)
	}
	return assignRange(members, partitions)
}

// byID gives the members in the order of their ids, in which every assignor takes them.
func byID(members []subscription) []subscription {
	return slices.SortedFunc(slices.Values(members), func(a, b subscription) int { return cmp.Compare(a.id, b.id) })
}

// assignRange is Kafka's range assignor for one topic: consecutive partitions to the members by the order of their ids.
func assignRange(members []subscription, partitions int) map[string][]int32 {
	if len(members) == 0 {
		return nil
	}
	out := map[string][]int32{}
	each, more, next := partitions/len(members), partitions%len(members), int32(0)
	for i, m := range byID(members) {
		n := each
		if i < more {
			n++
		}
		for range n {
			out[m.id] = append(out[m.id], next)
			next++
		}
	}
	return out
}

// sticky is a plan in the making: which member, by its place in the order of ids, has which partitions.
type sticky struct {
	members []subscription
	plan    [][]int32
	// owner is, by partition, the place of the member that claims it by the newest generation; -1 for none.
	owner []int
}

// assignCooperative is the cooperative-sticky assignor for one topic. Everybody keeps what it owns, what is free goes to who
// has least, and who has too much gives up its last partitions. What one gives up and another gets is left out of the plan:
// it can only be assigned in the rebalance that follows, when its former owner has given it back.
//
// The result is that of franz-go's balancer, to the partition (TestCooperativeAssignor): real members use that one. Java's
// may choose other partitions.
func assignCooperative(members []subscription, partitions int) map[string][]int32 {
	if len(members) == 0 {
		return nil
	}
	s := sticky{members: byID(members), plan: make([][]int32, len(members)), owner: make([]int, partitions)}
	s.keep()
	s.fill()
	s.level()
	return s.withhold()
}

// keep begins the plan with what each member owns.
func (s *sticky) keep() {
	for p := range s.owner {
		s.owner[p] = -1
		for i, m := range s.members {
			if m.claims(int32(p)) && (s.owner[p] < 0 || m.generation > s.members[s.owner[p]].generation) {
				s.owner[p] = i
			}
		}
		if i := s.owner[p]; i >= 0 {
			s.plan[i] = append(s.plan[i], int32(p))
		}
	}
}

func (s subscription) claims(p int32) bool { return slices.Contains(s.owned, p) }

// fill gives each free partition to a member that has least. Which one of several is decided by a heap of the members, as
// in franz-go.
func (s *sticky) fill() {
	heap := make([]int, len(s.members))
	for i := range heap {
		heap[i] = i
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		s.down(heap, i)
	}
	for p, owner := range s.owner {
		if owner < 0 {
			s.plan[heap[0]] = append(s.plan[heap[0]], int32(p))
			s.down(heap, 0)
		}
	}
}

// down lets the member at a place of the heap sink below those that have less.
func (s *sticky) down(heap []int, at int) {
	has := func(i int) int { return len(s.plan[heap[i]]) }
	for {
		least := 2*at + 1
		if least >= len(heap) {
			return
		}
		if right := least + 1; right < len(heap) && has(right) < has(least) {
			least = right
		}
		if has(at) <= has(least) {
			return
		}
		heap[at], heap[least] = heap[least], heap[at]
		at = least
	}
}

// level moves partitions from those that have most to those that have least, the last partition first, until nobody has more
// than one above another.
func (s *sticky) level() {
	levels := map[int][]int{}
	least, most := len(s.plan[0]), len(s.plan[0])
	for i, has := range s.plan {
		slices.Sort(has)
		levels[len(has)] = append(levels[len(has)], i)
		least, most = min(least, len(has)), max(most, len(has))
	}
	for most > least+1 {
		n := min(len(levels[least]), len(levels[most]))
		for i := range n {
			from, to := levels[most][i], levels[least][i]
			last := len(s.plan[from]) - 1
			s.plan[to] = append(s.plan[to], s.plan[from][last])
			s.plan[from] = s.plan[from][:last]
		}
		up, down := levels[least][:n], levels[most][:n]
		levels[least], levels[most] = levels[least][n:], levels[most][n:]
		levels[least+1] = append(levels[least+1], up...)
		levels[most-1] = append(levels[most-1], down...)
		for len(levels[least]) == 0 {
			least++
		}
		for len(levels[most]) == 0 {
			most--
		}
	}
}

// withhold leaves out what a member is to get and another, which claims it, has to give back first.
func (s *sticky) withhold() map[string][]int32 {
	out := map[string][]int32{}
	for i, has := range s.plan {
		slices.Sort(has)
		for _, p := range has {
			if s.owner[p] == i || !s.claimedBeside(i, p) {
				out[s.members[i].id] = append(out[s.members[i].id], p)
			}
		}
	}
	return out
}

// claimedBeside tells whether another member than the i-th claims the partition, rightly or not: it may be at work on it.
func (s *sticky) claimedBeside(i int, p int32) bool {
	for j, m := range s.members {
		if j != i && m.claims(p) {
			return true
		}
	}
	return false
}
