package sim

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"pgregory.net/rapid"

	"github.com/single-writer/chaos/workload"
)

const franzTopic = "input"

// franz asks franz-go's own balancer, which is the one that real members use, what the leader works out.
func franz(t *rapid.T, b kgo.GroupBalancer, members []subscription, partitions int) map[string][]int32 {
	var joined []kmsg.JoinGroupResponseMember
	for _, m := range byID(members) { // franz-go's client sorts them before it asks its balancer
		j := kmsg.NewJoinGroupResponseMember()
		j.MemberID = m.id
		j.ProtocolMetadata = b.JoinGroupMetadata([]string{franzTopic}, map[string][]int32{franzTopic: m.owned}, m.generation)
		joined = append(joined, j)
	}
	mb, _, err := b.MemberBalancer(joined)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := mb.(kgo.GroupMemberBalancerOrError).BalanceOrError(map[string]int32{franzTopic: int32(partitions)})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]int32{}
	for _, a := range plan.IntoSyncAssignment() {
		got, err := kgo.ParseConsumerSyncAssignment(a.MemberAssignment)
		if err != nil {
			t.Fatal(err)
		}
		if p := slices.Sorted(slices.Values(got[franzTopic])); len(p) > 0 {
			out[a.MemberID] = p
		}
	}
	return out
}

// TestAssignorsOfFranz lets a group grow and shrink for some generations: in each the simulated leader comes to the same as
// franz-go's, for both assignors. Now and then a member joins again without having heard of its last assignment.
func TestAssignorsOfFranz(t *testing.T) {
	balancers := map[workload.Assignor]kgo.GroupBalancer{
		workload.Eager: kgo.RangeBalancer(), workload.Cooperative: kgo.CooperativeStickyBalancer(),
	}
	for assignor, balancer := range balancers {
		t.Run(string(assignor), func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				partitions := rapid.IntRange(1, 9).Draw(r, "partitions")
				var members []subscription
				for generation := range int32(12) {
					if len(members) == 0 || len(members) < 6 && rapid.Bool().Draw(r, "joins") {
						id := rapid.StringMatching(`[a-f]/1-`).Draw(r, "name") + fmt.Sprint(generation)
						members = append(members, subscription{id: id, generation: noGeneration})
					} else if len(members) > 1 && rapid.Bool().Draw(r, "leaves") {
						i := rapid.IntRange(0, len(members)-1).Draw(r, "who")
						members = slices.Delete(members, i, i+1)
					}
					got := assign(assignor, members, partitions)
					if d := cmp.Diff(franz(r, balancer, members, partitions), got); d != "" {
						r.Fatalf("generation %d of %+v: franz-go (-) and the simulator (+)\n%s", generation+1, members, d)
					}
					for i := range members {
						members[i].generation = generation + 1
						if assignor == workload.Cooperative && rapid.IntRange(0, 4).Draw(r, "hears") > 0 {
							members[i].owned = got[members[i].id]
						}
					}
				}
			})
		})
	}
}
