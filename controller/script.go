package controller

import (
	"errors"
	"fmt"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// script is what happens in one run, from the first read of the truth to the last. It is a process of the world itself
// ("drain" in the history), so that it runs the same way in every one.
type script struct {
	observer *workload.Observer
	feeder   *workload.Feeder
	runner   *nemesis.Runner
	sentinel *nemesis.Sentinel
	truth    workload.Truth
	ends     []int64
	// unsettled is for how long a write in doubt may still take effect, if none does that left its worker longer ago.
	unsettled func(now, settle time.Duration) time.Duration
	// busy tells whether a worker has an operation under way.
	busy func() bool
	// order is what the run is to follow; nil where it is left alone.
	order Order
	// err is an error of the rig: the run has no verdict.
	err error
}

// The time that the end of a run may take, on the world's clock.
const (
	// lastAnswer is how long a worker's last request may go on.
	lastAnswer = time.Second
	// settle is how long writes in doubt may still arrive once they have left their worker: above the servers' write time-outs.
	settle = 3 * time.Second
	// lookEvery is how often the committed offset is looked at meanwhile.
	lookEvery = 20 * time.Millisecond
)

func (s *script) run(w workload.World) {
	if s.err = s.play(w); s.err != nil {
		// The plan may not have come to its end.
		s.err = errors.Join(s.err, s.runner.HealAll(w))
	}
}

func (s *script) play(w workload.World) error {
	if err := s.observer.Start(w); err != nil {
		return fmt.Errorf("read the truth at the start: %w", err)
	}
	if s.order != nil {
		w.Go(WatchedBy, s.order.Watch)
	}
	w.Go(history.Producer, s.feeder.Run)
	w.Go(history.Sentinel, s.sentinel.Run)
	w.Go(history.Nemesis, s.runner.Run)
	w.Await(forever, func() bool {
		return s.runner.Done && s.feeder.Done || s.runner.Failed != nil || s.feeder.Failed != nil || s.sentinel.Failed != nil
	})
	ending, err := s.ending(w)
	if err != nil {
		return err
	}
	if err := s.feeder.Stop(w, s.runner.Stage.Unwind); err != nil {
		return fmt.Errorf("stop the producer at the end: %w", err)
	}
	// Whoever has a request under way gets its answer: that the offset is committed can be read before the worker that
	// committed it has been told. One that is held will not take its answer.
	w.Await(lastAnswer, func() bool { return !s.busy() })
	if err := s.runner.StopAll(w); err != nil {
		return fmt.Errorf("stop the workers at the end: %w", err)
	}
	// What a rule has made late is on its way to a server only now, whenever it left its worker.
	unsettled := s.unsettled(w.Now(), settle)
	if late := s.runner.Late(); late > 0 {
		unsettled = max(unsettled, late+settle-w.Now())
	}
	if unsettled > 0 {
		w.Sleep(unsettled)
	}
	if err := s.observer.Finish(w, ending); err != nil {
		return fmt.Errorf("the last reads: %w", err)
	}
	return nil
}

// forever is longer than any run: what is waited for has limits of its own.
const forever = 24 * time.Hour

// ending tells why the run ended, once it has: a trigger whose moment did not come ends it, and it is judged all the
// same; anything else that failed is the rig's own failure.
func (s *script) ending(w workload.World) (history.Ending, error) {
	if s.sentinel.Failed != nil {
		return history.Ending{}, s.sentinel.Failed
	}
	for _, err := range []error{s.runner.Failed, s.feeder.Failed} {
		var late *workload.Timeout
		switch {
		case err == nil:
		case errors.As(err, &late):
			return history.Ending{Reason: late.Error()}, s.lastChance(w)
		default:
			return history.Ending{}, err
		}
	}
	reached, err := s.committed(w)
	if err != nil {
		return history.Ending{}, err
	}
	if !reached {
		return history.Ending{Finished: true, Reason: fmt.Sprintf(
			"plan and input were done, but the committed offset did not reach the end within %s: %s", workload.LastCommit,
			s.runner.Moments.Where())}, nil
	}
	return history.Ending{Finished: true, Reason: "plan and input were done and all of the input is committed"}, nil
}

// lastChance gives the workers of a plan that did not finish the same time as those of one that did, if all of the input is
// there: what they were about to commit would else look like what nobody would ever commit.
func (s *script) lastChance(w workload.World) error {
	if produced := s.feeder.Done && s.feeder.Failed == nil; !produced {
		return nil
	}
	_, err := s.committed(w)
	return err
}

// committed waits until everything is committed, and tells whether it is.
func (s *script) committed(w workload.World) (bool, error) {
	until := w.Now() + workload.LastCommit
	for {
		all := true
		for p, end := range s.ends {
			offset, _, err := s.truth.Committed(int32(p)).Await()
			if err != nil {
				return false, fmt.Errorf("read the committed offset: %w", err)
			}
			all = all && (end == 0 || offset.Known && offset.N >= end)
		}
		if all || w.Now() >= until {
			return all, nil
		}
		w.Sleep(lookEvery)
	}
}
