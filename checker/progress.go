package checker

import (
	"fmt"
	"strings"

	"github.com/single-writer/chaos/history"
)

// checkProgress compares what is committed at the end with the end of the input (the last record, not the end of the log, in
// which markers take offsets); explained/progress.md is the definition, and says what it is when the plan did not finish.
//
// Without it an arm that refuses everything for ever would pass every other property. So it is judged at the end only: a
// history without one says nothing yet. The run itself gives the workers bounded time after the last step of its plan.
func checkProgress(r *Run) Result {
	switch {
	case !r.ended:
		return Result{Verdict: Unknown, Summary: "The history has no end: nothing is known of how far the run came."}
	case r.header.Input.Events > 0 && !r.input.read():
		return Result{Verdict: Unknown, Summary: "The input was not read from the log, so that its end is not known."}
	}
	var records, short int64
	var first *lag
	done := r.committedAtEnd()
	for _, p := range r.partitions {
		log := r.input.partitions[p]
		end := log.end()
		if end == 0 {
			continue
		}
		records += int64(len(log.entries))
		got, ok := done[p]
		switch {
		case !ok:
			return Result{Verdict: Unknown, Summary: fmt.Sprintf("The offset committed for partition %d at the end was not read.", p)}
		case got.offset >= end:
			continue
		}
		missing := int64(len(log.between(got.offset, end)))
		short += missing
		if first == nil {
			first = &lag{p, got, end, log.entries[len(log.entries)-1].at}
		}
	}
	counts := map[string]int{"records": int(records), "uncommitted": int(short)}
	complete := records > 0 && records >= r.header.Input.Events
	switch {
	case records == 0:
		return Result{Verdict: Vacuous, Summary: "There was no input.", Counts: counts}
	case !r.finished && !complete:
		return Result{Verdict: Vacuous, Counts: counts, Summary: fmt.Sprintf(
			"The plan did not finish: %d of %d events were produced.", records, r.header.Input.Events)}
	case first == nil:
		return Result{Verdict: Pass, Counts: counts, Summary: fmt.Sprintf("All of %s are committed.",
			count(int(records), "record"))}
	case !r.anyFree():
		return Result{Verdict: Vacuous, Counts: counts, Summary: "The plan left no worker free to go on."}
	}
	counts["violations"] = 1
	return Result{Verdict: Fail, Counts: counts, Witness: r.witness(first.record, first.got.at, len(r.events)-1),
		Summary: fmt.Sprintf("Partition %d came to its end with %d committed where its input ends at %d: %s never committed.",
			first.partition, first.got.offset, first.end, count(int(short), "record"))}
}

// lag is a partition that did not come to the end of its input.
type lag struct {
	partition int32
	got       endOffset
	end       int64
	record    int
}

// endOffset is what was committed at the end, by the event that says so.
type endOffset struct {
	offset int64
	at     int
}

// committedAtEnd gives what the ground truth at the end says, or else the last offset that was read back.
func (r *Run) committedAtEnd() map[int32]endOffset {
	out := map[int32]endOffset{}
	if v := r.truth(r.end); v != nil {
		for p, offset := range v.Committed {
			out[int32(p)] = endOffset{max(offset, 0), r.end}
		}
		return out
	}
	for p, c := range r.commits {
		for _, x := range c.all {
			// Who read it during the run cannot tell what came after.
			if !x.commit && x.outcome == history.OK && x.process == history.Drain && x.answer > out[p].at {
				out[p] = endOffset{x.offset, x.answer}
			}
		}
	}
	return out
}

// anyFree tells whether, at the end, some worker lived that the plan had neither held nor taken away. A worker that ended
// by its own error counts: it is restarted.
func (r *Run) anyFree() bool {
	lives, away := map[string]bool{}, map[string]bool{}
	for _, e := range r.events {
		if strings.Contains(e.Process, "/") { // only workers have lives
			lives[history.WorkerOf(e.Process)] = true
		}
		// The rig itself stops whoever is left, for its last reads.
		v, ok := e.Value.(*history.FaultDone)
		if !ok || v == nil || e.Process == history.Drain {
			continue
		}
		switch v.Fault {
		case history.FaultHold, history.FaultStop, history.FaultKill:
			away[v.Target] = true
		case history.FaultRelease, history.FaultStart:
			delete(away, v.Target)
		}
	}
	for w := range lives {
		if !away[w] {
			return true
		}
	}
	return false
}
