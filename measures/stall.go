package measures

import (
	"time"

	"github.com/single-writer/chaos/history"
)

// Stall is the longest time in which the committed offset of a partition did not advance: from one advance to the next, and
// to the end of the run where input was left. It holds what the plan itself lets pass, an eviction above all, which is the
// same for every arm.
type Stall struct {
	For time.Duration `json:"for_ns"`
	// From and To are the lines of the two advances; From is 0 where nothing was ever committed.
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
}

// stalls follows the committed offset of each partition.
type stalls struct {
	partitions []advance
	longest    Stall
}

// advance is when a partition's committed offset last rose, and what of its input was left.
type advance struct {
	any    bool
	offset int64
	time   int64
	line   int
	// end is the offset after the partition's last record.
	end int64
}

func newStalls(h *history.History) *stalls {
	return &stalls{partitions: make([]advance, max(0, h.Header.Input.Partitions))}
}

func (s *stalls) see(e history.Event) {
	switch v := e.Value.(type) {
	case *history.OffsetCommit:
		if a := s.of(v.Partition); a != nil && e.Type == history.OK && v.Offset > a.offset {
			if a.any {
				s.stood(a, e)
			}
			a.any, a.offset, a.time, a.line = true, v.Offset, e.Time, e.Line()
		}
	case *history.InputRecord:
		if a := s.of(v.Partition); a != nil {
			a.end = max(a.end, v.Offset+1)
		}
	case *history.Ending:
		for i := range s.partitions {
			if a := &s.partitions[i]; a.offset < a.end {
				s.stood(a, e)
			}
		}
	}
}

// of gives a partition of the input.
func (s *stalls) of(p int32) *advance {
	if p < 0 || int(p) >= len(s.partitions) {
		return nil
	}
	return &s.partitions[p]
}

// stood notes how long the partition had stood still.
func (s *stalls) stood(a *advance, e history.Event) {
	if d := time.Duration(e.Time - a.time); d > s.longest.For {
		s.longest = Stall{For: d, From: a.line, To: e.Line()}
	}
}
