package failure

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
)

// Failures of thousands of runs are a few failures many times. Two are the same when the same property failed by the same
// kinds of events in the same relation: who before whom, under an older or a newer generation, at a lower or a higher offset.
// Numbers, names and times are no part of that.

// Fingerprint is the property and the shape of its witness.
func Fingerprint(h *history.History, r checker.Result) string {
	var shapes []string
	var before act
	workers := map[string]string{}
	for _, e := range r.Witness {
		event := h.Events[e.Index]
		now := actOf(event)
		shape := fmt.Sprintf("%s %s%s", played(workers, event.Process), kindOf(event), now.since(before))
		if len(shapes) == 0 || shapes[len(shapes)-1] != shape {
			shapes = append(shapes, shape)
		}
		if now.owned || now.placed {
			before = now
		}
	}
	return r.Property + ": " + strings.Join(shapes, "; ")
}

// played names a process by its part: workers are W1, W2, ... in the order in which the witness meets them.
func played(workers map[string]string, process string) string {
	name := history.WorkerOf(process)
	if name == process {
		return process
	}
	if workers[name] == "" {
		workers[name] = fmt.Sprintf("W%d", len(workers)+1)
	}
	return workers[name]
}

// kindOf is what kind of event it is.
func kindOf(e history.Event) string {
	kind := string(e.F)
	if e.Type != history.Note {
		kind += " " + string(e.Type)
	}
	switch v := e.Value.(type) {
	case *history.PointReached:
		return kind + " " + v.Point
	case *history.FaultDone:
		return kind + " " + v.Fault
	case *history.RowRead:
		return kind + " " + string(v.Purpose)
	}
	return kind
}

// act is under what an event was done, and where.
type act struct {
	generation int32
	owned      bool
	key        string
	offset     int64
	placed     bool
}

func actOf(e history.Event) act {
	switch v := e.Value.(type) {
	case *history.Write:
		return act{v.Generation, true, v.Key, v.Offset, true}
	case *history.RowRead:
		a := act{generation: v.Generation, owned: v.Member != "", key: v.Key}
		if v.Row != nil {
			a.offset, a.placed = v.Row.Offset.N, v.Row.Offset.Known
		}
		return a
	case *history.OffsetCommit:
		return act{v.Generation, true, "", v.Offset, true}
	case *history.Recovery:
		return act{v.Generation, true, "", v.Start, true}
	case *history.PointReached:
		return act{v.Generation, v.Member != "", v.Key, v.Offset.N, v.Offset.Known}
	}
	return act{}
}

// since is the relation to the act before: " by an older owner, lower".
func (a act) since(b act) string {
	s := ""
	if a.owned && b.owned {
		s += []string{" by an older owner", "", " by a newer owner"}[cmp.Compare(a.generation, b.generation)+1]
	}
	if a.placed && b.placed && a.key == b.key {
		s += []string{", lower", ", level", ", higher"}[cmp.Compare(a.offset, b.offset)+1]
	}
	return s
}
