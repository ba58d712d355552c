package checker

import (
	"fmt"
	"slices"
	"time"

	"github.com/single-writer/chaos/history"
)

// checkSingleOwner reads the assignments and the commits of the group's own log; explained/single-owner.md is the definition.
//
// The log says who was given a partition and not who still acted on it: between an eviction and the moment in which the evicted
// owner learns of it two flows live, lawfully. Their overlaps are measured and told as facts, never as failures.
//
// Source: the consumer group protocol (KIP-62: an owner is put out without its knowing); Kafka's GroupMetadataValue.
func checkSingleOwner(r *Run) Result {
	var f finding
	generations := 0
	for _, g := range r.log.groups {
		owners := map[int32]string{}
		for _, m := range g.v.Members {
			for _, p := range m.Partitions {
				other, taken := owners[p]
				owners[p] = m.Client
				if taken {
					f.add(g.note, func() (string, []int) {
						return fmt.Sprintf("Generation %s gives partition %d to %s and to %s.", g.v.Generation, p,
								other, m.Client),
							[]int{g.note}
					})
				}
			}
		}
		if len(owners) > 0 {
			generations++
		}
	}
	commits := r.strangers(&f)
	overlaps := r.overlaps()
	counts := map[string]int{"generations": generations, "commits": commits, "overlaps": len(overlaps)}
	fact := ""
	if len(overlaps) > 0 {
		longest := slices.MaxFunc(overlaps, func(a, b overlap) int { return int(a.length - b.length) })
		counts["longest-overlap-ms"] = int(longest.length.Milliseconds())
		fact = " " + longest.String()
	}
	strange := ""
	if all := r.log.strange; len(all) > 0 {
		strange = fmt.Sprintf("The group's log has %s that this checker cannot read, the first in line %d.",
			count(len(all), "record"),
			r.events[all[0]].Line())
	}
	return f.result(r, counts,
		fmt.Sprintf("In %s, no partition was given to two members.%s", count(generations, "generation"), fact),
		instead{r.log.end < 0 && !r.ended && generations+commits+len(r.recoveries) > 0, Unknown,
			"The history ends before the group's log was read."},
		instead{strange != "", Unknown, strange},
		instead{generations == 0, Vacuous, "The history has no assignment as the coordinator stored it."})
}

// strangers finds the commits in the group's log that nobody of the run has asked for, and counts all.
func (r *Run) strangers(f *finding) (commits int) {
	for _, p := range r.partitions {
		c := r.commits[p]
		if c == nil {
			continue
		}
		for i := range c.log {
			e := &c.log[i]
			if e.note == r.start {
				continue
			}
			commits++
			if e.call >= 0 {
				continue
			}
			f.add(e.note, func() (string, []int) {
				return fmt.Sprintf("The group's log has a commit of %s for partition %d, which no worker of the run asked for.",
					number(e.offset), p), []int{e.note}
			})
		}
	}
	return commits
}

// overlap is a time in which flows of two lives were live on one partition.
type overlap struct {
	partition    int32
	older, newer string
	length       time.Duration
}

func (o overlap) String() string {
	return fmt.Sprintf("The longest time in which two owners of a partition were alive: %d ms (%s and %s, partition %d).",
		o.length.Milliseconds(), o.older, o.newer, o.partition)
}

// flow is one partition in the hands of one life, from its `assigned` to the last thing that the life, or a task of it, did
// about it: after `revoked` or `lost` it may flush once more. Without them it ends with the life.
type flow struct {
	life       string
	partition  int32
	generation int32
	from, to   int64 // on the run's clock
	ended      bool
}

// flows finds all flows, in the order of their beginnings.
func (r *Run) flows() []*flow {
	type at struct {
		life      string
		partition int32
	}
	var all []*flow
	current := map[at]*flow{}
	end := func(life string, time int64) {
		for _, f := range current {
			if f.life == life && !f.ended {
				f.to, f.ended = time, true
			}
		}
	}
	for _, e := range r.events {
		switch v := e.Value.(type) {
		case *history.LifeEvent:
			if v != nil && v.Status == "failed" {
				end(e.Process, e.Time)
			}
		case *history.FaultDone:
			if v != nil && (v.Fault == history.FaultStop || v.Fault == history.FaultKill) && v.Phase == history.PhaseDone {
				end(v.Life, e.Time)
			}
		}
		partition, generation, ok := actedOn(e)
		if !ok {
			continue
		}
		point, _ := e.Value.(*history.PointReached)
		life := history.LifeOf(e.Process)
		key := at{life, partition}
		if point != nil && point.Point == history.PointAssigned {
			current[key] = &flow{life: life, partition: partition, generation: generation, from: e.Time}
			all = append(all, current[key])
		}
		f := current[key]
		if f == nil || f.generation != generation {
			continue
		}
		f.to = e.Time
		f.ended = f.ended || point != nil && (point.Point == history.PointRevoked || point.Point == history.PointLost)
	}
	for _, f := range all {
		if !f.ended {
			f.to = r.events[len(r.events)-1].Time
		}
	}
	return all
}

// actedOn tells which partition an event is about, and under which generation a worker did it.
func actedOn(e history.Event) (partition, generation int32, ok bool) {
	switch v := e.Value.(type) {
	case *history.PointReached:
		if v != nil {
			return v.Partition, v.Generation, true
		}
	case *history.Write:
		if v != nil {
			return v.Partition, v.Generation, true
		}
	case *history.OffsetCommit:
		if v != nil {
			return v.Partition, v.Generation, true
		}
	}
	return 0, 0, false
}

// overlaps measures for how long flows of two lives were live on one partition.
func (r *Run) overlaps() []overlap {
	var out []overlap
	var live []*flow // those that may last beyond what comes
	for _, f := range r.flows() {
		live = slices.DeleteFunc(live, func(g *flow) bool { return g.to <= f.from })
		for _, g := range live {
			if length := min(f.to, g.to) - f.from; g.partition == f.partition && g.life != f.life && length > 0 {
				out = append(out, overlap{f.partition, g.life, f.life, time.Duration(length)})
			}
		}
		live = append(live, f)
	}
	return out
}
