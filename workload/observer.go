package workload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// Observer makes the rig's own reads. Those during a run are plain, at the consistency of the workers' own: a SERIAL read
// finishes what is in doubt, and a stronger plain one repairs replicas, so that either would change what the next owner finds.
type Observer struct {
	Input       *Input
	Rows        persistence.Rows
	Truth       Truth
	Consistency string
	// Journal tells whether a worker of the run keeps one: then what is left of it at the end is told too.
	Journal bool
}

// AllKeys is the target of a probe of every key.
const AllKeys = "all"

// Probe reads the key, or all keys, with the write times of its cells, and the committed offsets. It is done by the
// process "observer"; the caller waits for it.
func (o *Observer) Probe(w World, key string) error {
	if key == AllKeys {
		return o.apart(w, func(w World) error { return o.probe(w, o.Input.Keys) })
	}
	if err := o.known(key); err != nil {
		return err
	}
	return o.apart(w, func(w World) error { return o.probe(w, []string{key}) })
}

// known tells what is wrong with a key that the input does not have.
func (o *Observer) known(key string) error {
	if slices.Contains(o.Input.Keys, key) {
		return nil
	}
	return fmt.Errorf("there is no key %s; there are: %s", key, strings.Join(o.Input.Keys, ", "))
}

// apart lets the process "observer" do something; the caller waits for it.
func (o *Observer) apart(w World, do func(World) error) error {
	var err error
	done := false
	w.Go(history.Observer, func(w World) {
		err = do(w)
		done = true
	})
	if !w.Await(DefaultWithin, func() bool { return done }) {
		return fmt.Errorf("the observer did not come to its end within %s", DefaultWithin)
	}
	return err
}

func (o *Observer) probe(w World, keys []string) error {
	for _, k := range keys {
		if _, err := o.read(w, k, history.ForProbe, false); err != nil {
			return err
		}
	}
	_, err := o.committed(w)
	return err
}

func (o *Observer) read(w World, key string, purpose history.Purpose, serial bool) (*history.Row, error) {
	p := o.partition(key)
	v := history.RowRead{Partition: p, Key: key, Purpose: purpose, Consistency: o.Consistency}
	if serial {
		v.Consistency = "SERIAL"
	}
	st := persistence.Statement{Verb: persistence.Select, Partition: p, Key: key, Serial: serial, Writetimes: true}
	return persistence.ReadRow(w, o.Rows, st, v)
}

func (o *Observer) partition(key string) int32 {
	return int32(slices.Index(o.Input.Keys, key) % o.Input.Partitions)
}

// committed reads the committed offsets back, -1 where there is none.
func (o *Observer) committed(w World) ([]int64, error) {
	var all []int64
	for p := range o.Input.Partitions {
		v := history.CommittedOffset{Partition: int32(p)}
		op := w.Invoke(history.Committed, &v)
		offset, outcome, err := o.Truth.Committed(int32(p)).Await()
		done := v
		if outcome != persistence.Answered {
			done.Error = err.Error()
			w.Answer(op, outcome.Type(), history.Committed, &done)
			return nil, fmt.Errorf("read the committed offset of partition %d: %w", p, err)
		}
		done.Offset = offset
		w.Answer(op, history.OK, history.Committed, &done)
		if !offset.Known {
			offset.N = -1
		}
		all = append(all, offset.N)
	}
	return all, nil
}

// scan reads the whole table plainly.
func (o *Observer) scan(w World) ([]history.KeyedRow, error) {
	v := history.TableScan{Consistency: o.Consistency}
	op := w.Invoke(history.Scan, &v)
	a, outcome, err := o.Rows.Start(persistence.Statement{Verb: persistence.Scan, Writetimes: true}).Await()
	done := v
	if outcome != persistence.Answered {
		done.Error = err.Error()
		w.Answer(op, outcome.Type(), history.Scan, &done)
		return nil, fmt.Errorf("scan the table: %w", err)
	}
	done.Rows = []history.KeyedRow{}
	for _, r := range a.Rows {
		done.Rows = append(done.Rows, history.KeyedRow{Partition: r.Partition, Key: r.Key, Row: *r.Decode()})
	}
	w.Answer(op, history.OK, history.Scan, &done)
	return done.Rows, nil
}

// Start records what is stored and committed before anybody acts.
func (o *Observer) Start(w World) error { return o.truth(w, "start") }

func (o *Observer) truth(w World, at string) error {
	rows, err := o.scan(w)
	if err != nil {
		return err
	}
	committed, err := o.committed(w)
	if err != nil {
		return err
	}
	truth := &history.GroundTruth{At: at, Rows: rows, Committed: committed}
	if o.Journal && at == "end" {
		a, _, err := o.Rows.Start(persistence.Statement{Table: persistence.Journal, Verb: persistence.Scan}).Await()
		if err != nil {
			return fmt.Errorf("scan the journal: %w", err)
		}
		truth.Journal = persistence.JournalEntries(a.Rows)
	}
	w.Note(history.Truth, truth)
	return nil
}

// groupLog reads the coordinator's own log of the group. Describing the group only samples it, and a commit's answer may be
// lost: the log has every accepted commit in order, and every assignment that was handed out.
func (o *Observer) groupLog(w World) error {
	entries, _, err := o.Truth.GroupLog().Await()
	if err != nil {
		return fmt.Errorf("read the group's log: %w", err)
	}
	for i := range entries {
		w.Note(history.GroupLog, &entries[i])
	}
	return nil
}

// Finish makes the last reads, after all writers were stopped: the input as the log has it, the group's log, every key
// plainly, then every key at SERIAL, which settles what is still in doubt, then the table, for rows of no input key. In
// that order: a SERIAL read first would hide what a plain reader saw.
func (o *Observer) Finish(w World, e history.Ending) error {
	for p := range o.Input.Partitions {
		records, _, err := o.Truth.Input(int32(p)).Await()
		if err != nil {
			return fmt.Errorf("read the input of partition %d: %w", p, err)
		}
		for _, r := range records {
			event, err := decodeRecord(r)
			if err != nil {
				return err
			}
			w.Note(history.Record, &history.InputRecord{Partition: r.Partition, Offset: r.Offset, Event: event})
		}
	}
	if err := o.groupLog(w); err != nil {
		return err
	}
	for _, serial := range []bool{false, true} {
		purpose := history.ForEnd
		if serial {
			purpose = history.ForSettling
		}
		for _, k := range o.Input.Keys {
			if _, err := o.read(w, k, purpose, serial); err != nil {
				return err
			}
		}
	}
	if err := o.truth(w, "end"); err != nil {
		return err
	}
	w.Note(history.End, &e)
	return nil
}
