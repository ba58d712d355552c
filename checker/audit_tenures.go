package checker

import (
	"fmt"

	"github.com/single-writer/chaos/history"
)

// tenures tell until when a member owned a partition.
type tenures struct {
	run *Run
	// evicted is, by member id, when the coordinator listed it no more.
	evicted map[string]int
	// assigned are the generations under which each partition was handed out, ranked.
	assigned map[int32]highest
	// lost is when a member was told that a partition is lost.
	lost map[tenure]int
}

type tenure struct {
	partition int32
	member    string
}

func (r *Run) tenures() *tenures {
	t := &tenures{run: r, evicted: map[string]int{}, assigned: map[int32]highest{}, lost: map[tenure]int{}}
	assigned := map[int32][]effect{}
	for i, e := range r.events {
		switch v := e.Value.(type) {
		case *history.Eviction:
			if v != nil && v.Member != "" {
				t.evicted[v.Member] = i
			}
		case *history.PointReached:
			switch {
			case v == nil:
			case v.Point == history.PointAssigned:
				assigned[v.Partition] = append(assigned[v.Partition], effect{at: i, offset: int64(v.Generation)})
			case v.Point == history.PointLost:
				t.lost[tenure{v.Partition, v.Member}] = i
			}
		}
	}
	for p, all := range assigned {
		t.assigned[p] = rank(all)
	}
	return t
}

// ended says why an owner was none any more when something was called; it is empty where it was one.
func (t *tenures) ended(partition int32, o history.Owner, call int) string {
	first, why := call, ""
	is := func(at int, words string) {
		if at < first {
			first, why = at, fmt.Sprintf("%s (line %d)", words, t.run.events[at].Line())
		}
	}
	if at, ok := t.evicted[o.Member]; ok {
		is(at, "the coordinator listed it no more")
	}
	if at, ok := t.lost[tenure{partition, o.Member}]; ok {
		is(at, "it had been told that the partition is lost")
	}
	all := t.assigned[partition]
	if next, ok := all.first(func(e *effect) bool { return e.offset > int64(o.Generation) }); ok {
		is(next.at, fmt.Sprintf("the partition was %s's in generation %d", t.run.events[next.at].Process, next.offset))
	}
	return why
}
