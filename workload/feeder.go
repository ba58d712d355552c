package workload

import (
	"fmt"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// Feeder produces the input, stage by stage, one record after another.
type Feeder struct {
	Input    *Input
	Producer Producer
	Moments  Moments
	// process is the one that feeds, sending whether it waits for the answer to a record; stopped makes it send no more.
	process          string
	sending, stopped bool
	// Done tells that it came to its end, Failed why that was too early.
	Done   bool
	Failed error
}

// Run is the process "producer".
func (f *Feeder) Run(w World) {
	f.process = w.Name()
	if !f.stopped {
		f.Failed = f.feed(w)
	}
	f.Done = true
}

// Stop ends the feeding of a run that is over before its input is: a record that comes after the rig's last reads would
// look like one that was lost. The record under way is answered first; unwind is how the world ends a process.
func (f *Feeder) Stop(w World, unwind func(process string)) error {
	f.stopped = true
	if f.Done || f.process == "" {
		return nil
	}
	if !w.Await(DefaultWithin, func() bool { return f.Done || !f.sending }) {
		return fmt.Errorf("the producer got no answer within %s", DefaultWithin)
	}
	if !f.Done {
		unwind(f.process)
	}
	return nil
}

// feed produces the stages. A stage's trigger is armed just before the records of the stage before are sent, and not when
// the last of them is acknowledged: a worker can fold a record, flush and commit before the producer has its answer, and
// the moment that the next stage waits for would be over.
func (f *Feeder) feed(w World) error {
	stages := f.Input.Stages
	if len(stages) == 0 {
		return nil
	}
	watch := WatchFor(f.Moments, stages[0].When, f.Input)
	for i, s := range stages {
		if err := WaitFor(w, watch, f.Moments, "input", i+1, s.When); err != nil {
			return err
		}
		var next Watch = noWatch{}
		if i+1 < len(stages) {
			next = WatchFor(f.Moments, stages[i+1].When, f.Input)
		}
		if s.After > 0 {
			w.Sleep(s.After)
		}
		for _, e := range f.Input.Events(s.First, s.Last) {
			if err := f.produce(w, e); err != nil {
				return err
			}
		}
		watch.Done()
		w.Note(history.Plan, &history.PlanStep{Of: "input", Step: i + 1, Status: "done"})
		watch = next
	}
	return nil
}

// produce appends one event. An event that is in doubt ends the run's input: what the log holds is then not what the
// scenario says, and producing it again could double it.
func (f *Feeder) produce(w World, e Placed) error {
	value, err := e.Event.Encode()
	if err != nil {
		return fmt.Errorf("encode event %d: %w", e.Event.ID, err)
	}
	v := history.Produced{Partition: e.Partition, Event: e.Event}
	op := w.Invoke(history.Produce, &v)
	f.sending = true
	a, outcome, err := f.Producer.Produce(e.Partition, e.Event.Account, value).Await()
	f.sending = false
	done := v
	if outcome != persistence.Answered {
		done.Error = err.Error()
		w.Answer(op, outcome.Type(), history.Produce, &done)
		return fmt.Errorf("produce event %d: %w", e.Event.ID, err)
	}
	done.Offset = history.Some(a.Offset)
	w.Answer(op, history.OK, history.Produce, &done)
	if a.Offset != e.Offset {
		return fmt.Errorf("produce event %d: it came to offset %d of partition %d, not %d: somebody else writes to the topic",
			e.Event.ID, a.Offset, e.Partition, e.Offset)
	}
	return nil
}
