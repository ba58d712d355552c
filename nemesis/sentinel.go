package nemesis

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// lookEvery is how often the coordinator is asked, on the world's clock: short against every time-out of a group.
const lookEvery = 20 * time.Millisecond

// Sentinel asks the coordinator about the group all the time, and notes what changed. A member that was listed, and is
// not any more though its process runs and did not fail, was evicted: the coordinator's own answer is the proof.
type Sentinel struct {
	Truth workload.Truth
	Crew  *workload.Crew
	last  history.GroupSeen
	// raw is the last answer as it came: most are the one before to the letter, and need no second look.
	raw string
	// asking keeps questions apart: of two at once the older answer could come last, and undo what the newer one showed.
	asking bool
	// ill tells that a broker is not well, changed when that was last otherwise, or a role was moved: the coordinator need not
	// answer meanwhile, and some time after. Both are empty where nothing is done to servers.
	ill     bool
	changed time.Duration
	// Failed is why it stopped looking.
	Failed error
}

// Run is the process "sentinel"; it ends when the run does.
func (s *Sentinel) Run(w workload.World) {
	for {
		if _, err := s.ask(w); err != nil && !Unfit(err) {
			s.Failed = err
			return
		}
		w.Sleep(lookEvery)
	}
}

// ask asks once and notes what changed since the last answer.
func (s *Sentinel) ask(w workload.World) (workload.CoordinatorAnswer, error) {
	if !w.Await(workload.DefaultWithin, func() bool { return !s.asking }) {
		return workload.CoordinatorAnswer{}, fmt.Errorf("ask the coordinator about the group: no turn to ask within %s", workload.DefaultWithin)
	}
	s.asking = true
	a, outcome, err := s.Truth.Coordinator().Await()
	s.asking = false
	if outcome != persistence.Answered {
		err = fmt.Errorf("ask the coordinator about the group: %w", err)
		if s.ill || s.changed > 0 && w.Now() < s.changed+workload.DefaultWithin {
			err = &unfit{err}
		}
		return a, err
	}
	before := s.last
	if a.Raw == s.raw && s.raw != "" || reflect.DeepEqual(before, a.Group) {
		return a, nil
	}
	s.last, s.raw = a.Group, a.Raw
	seen := a.Group
	w.Note(history.Group, &seen)
	for _, m := range before.Members {
		listed := slices.ContainsFunc(a.Group.Members, func(n history.MemberAtAll) bool { return n.Member == m.Member })
		name := history.WorkerOf(m.Client)
		if process, running := s.Crew.Life(name); !listed && running && process == m.Client && !s.Crew.Parting(name) {
			w.Note(history.Evicted, &history.Eviction{Target: name, Life: process, Member: m.Member, Proof: a.Raw})
		}
	}
	return a, nil
}
